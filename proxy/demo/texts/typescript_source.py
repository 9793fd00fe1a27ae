"""TypeScript modules of the invented project: types, a client, a reducer, a table, a form."""

from __future__ import annotations

import random
from collections.abc import Sequence
from string import Template

from proxy.demo.texts.vocabulary import THINGS, Thing, words

_TYPES = {"text": "string", "number": "number", "money": "string", "time": "string", "flag": "boolean"}

_CLIENT = """
export class ${Thing}Client {
  private readonly inFlight = new Map<string, Promise<$Thing>>();

  constructor(private readonly base: string, private readonly fetcher: typeof fetch = fetch) {}

  /** One $thing; callers that ask for the same $text at once share one request. */
  get($text: string): Promise<$Thing> {
    const running = this.inFlight.get($text);
    if (running) return running;
    const asked = this.load(`$${this.base}/$things/$${encodeURIComponent($text)}`).finally(() => {
      this.inFlight.delete($text);
    });
    this.inFlight.set($text, asked);
    return asked;
  }

  async $action($text: string, version: number): Promise<$Thing> {
    const response = await this.fetcher(`$${this.base}/$things/$${$text}/$action`, {
      method: "POST",
      headers: { "content-type": "application/json", "if-match": `"$${version}"` },
      body: JSON.stringify({ requestedBy: "$where", limit: $medium }),
    });
    if (response.status === 409) throw new Stale(`$thing $${$text} changed since version $${version}`);
    if (!response.ok) throw new Failed(response.status, await response.text());
    return parse$Thing(await response.json());
  }

  private async load(url: string): Promise<$Thing> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.fetcher(url);
      if (response.ok) return parse$Thing(await response.json());
      if (response.status < 500 || attempt >= $small) throw new Failed(response.status, url);
      await pause(attempt * $large);
    }
  }
}
"""

_REDUCER = """
export type ${Thing}Event =
  | { kind: "loaded"; items: $Thing[] }
  | { kind: "moved"; $text: string; state: ${Thing}State; at: string }
  | { kind: "filtered"; text: string }
  | { kind: "failed"; message: string };

export interface ${Thing}View {
  items: readonly $Thing[];
  filter: string;
  error: string | null;
}

export function reduce(view: ${Thing}View, event: ${Thing}Event): ${Thing}View {
  switch (event.kind) {
    case "loaded":
      return { ...view, items: [...event.items].sort(by$Thing), error: null };
    case "moved":
      return {
        ...view,
        items: view.items.map((item) =>
          item.$text === event.$text ? { ...item, state: event.state, changedAt: event.at } : item,
        ),
      };
    case "filtered":
      return { ...view, filter: event.text.trim().toLowerCase() };
    case "failed":
      return { ...view, error: `$things could not be loaded: $${event.message}` };
  }
}

function by$Thing(left: $Thing, right: $Thing): number {
  return left.$time.localeCompare(right.$time) || left.$text.localeCompare(right.$text);
}
"""

_TABLE = """
export function ${Thing}Table({ view, on${Action} }: ${Thing}TableProps): JSX.Element {
  const shown = useMemo(
    () => view.items.filter((item) => item.$text.toLowerCase().includes(view.filter)),
    [view.items, view.filter],
  );
  const total = shown.reduce((sum, item) => sum + Number(item.$money), 0);
  if (view.error) return <Banner tone="bad">{view.error}</Banner>;
  return (
    <table aria-label="$things of $whom">
      <thead>
        <tr><th>$text</th><th>$number</th><th>$money</th><th>state</th><th /></tr>
      </thead>
      <tbody>
        {shown.slice(0, $medium).map((item) => (
          <tr key={item.$text} data-state={item.state}>
            <td>{item.$text}</td>
            <td className="figure">{item.$number}</td>
            <td className="figure">{money(item.$money)}</td>
            <td>{item.$flag ? `$${item.state} (!)` : item.state}</td>
            <td><button disabled={item.state !== "$first"} onClick={() => on${Action}(item)}>$action</button></td>
          </tr>
        ))}
      </tbody>
      <tfoot><tr><td colSpan={4}>{shown.length} $things, {money(total.toFixed(2))}</td></tr></tfoot>
    </table>
  );
}
"""

_FORM = """
export function ${Thing}Form({ item, client, on${Action}ed }: ${Thing}FormProps): JSX.Element {
  const [$number, set$Number] = useState(String(item.$number));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const wanted = Number($number);
  const valid = Number.isInteger(wanted) && wanted >= 0 && wanted <= $large;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!valid || busy) return;
    setBusy(true);
    try {
      on${Action}ed(await client.$action(item.$text, wanted));
      setProblem(null);
    } catch (error) {
      if (error instanceof Stale) setProblem(`Someone else changed $thing $${item.$text}; load it again.`);
      else if (error instanceof Failed) setProblem(`The server answered $${error.status}; try again in $small s.`);
      else throw error;
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit} data-ticket="$ticket">
      <label htmlFor="$number">$number for $whom</label>
      <input id="$number" inputMode="numeric" value={$number} onChange={(e) => set$Number(e.target.value)} />
      {!valid && <Hint>a whole number from 0 to $large</Hint>}
      {problem && <Banner tone="bad">{problem}</Banner>}
      <button disabled={!valid || busy}>{busy ? "..." : "$action"}</button>
    </form>
  );
}
"""

_TESTS = """
describe("$thing client", () => {
  it("shares one request between callers that ask at once", async () => {
    const fetcher = answering(sample$Thing({ $number: $medium }));
    const client = new ${Thing}Client("/api", fetcher);
    await Promise.all([client.get("A-$large"), client.get("A-$large")]);
    expect(fetcher).toHaveBeenCalledTimes(1);
  });

  it("asks again after a 503, and gives up after $small", async () => {
    const fetcher = failing(503);
    await expect(new ${Thing}Client("/api", fetcher).get("B-$medium")).rejects.toThrow(Failed);
    expect(fetcher).toHaveBeenCalledTimes($small);
  });

  it("names the version that was stale", async () => {
    const client = new ${Thing}Client("/api", failing(409));
    await expect(client.$action("C-$small", $medium)).rejects.toThrow("changed since version $medium");
  });

  it("keeps $money as text, so that no cent is rounded away", () => {
    const parsed = parse$Thing({ ...wire, $money: "$rate" });
    expect(parsed.$money).toBe("$rate");
  });
});
"""


def _types(thing: Thing, rng: random.Random) -> str:
    states = " | ".join(f'"{state}"' for state in thing.states)
    fields = [f"  {name}: {_TYPES[kind]};" for name, kind in thing.fields]
    reads = [f'    {name}: take(raw, "{name}", "{_TYPES[kind]}"),' for name, kind in thing.fields]
    limit = rng.randint(20, 400)
    return "\n".join(
        [
            f"\nexport type {thing.title}State = {states};\n", f"export interface {thing.title} {{", *fields,
            f"  {thing.partner}Id: string;", f"  state: {thing.title}State;", "  changedAt: string | null;", "}",
            f"\n/** Refuses what {rng.choice(('the May server', 'the old terminal', 'release 13'))} used to send. */",
            f"export function parse{thing.title}(raw: unknown): {thing.title} {{",
            f'  if (!isRecord(raw)) throw new Malformed("{thing.name}", raw);',
            f"  if (Object.keys(raw).length > {limit}) throw new Malformed(\"{thing.name} with {limit} keys\", raw);",
            "  return {", *reads, f'    {thing.partner}Id: take(raw, "{thing.partner}_id", "string"),',
            f'    state: oneOf(raw, "state", [{", ".join(repr(state) for state in thing.states)}]),',
            '    changedAt: optional(raw, "changed_at", "string"),', "  };", "}\n",
        ]
    )  # fmt: skip


_TEMPLATES = {"client": _CLIENT, "reducer": _REDUCER, "table": _TABLE, "form": _FORM, "tests": _TESTS}


def typescript_module(thing: str, shapes: Sequence[str]) -> str:
    """A module about `thing`: any of types, client, reducer, table, form, tests, in this order."""
    rng = random.Random(f"typescript {thing} {' '.join(shapes)}")
    held = THINGS[thing]
    header = (
        'import { Failed, Malformed, Stale } from "../errors";\n'
        'import { isRecord, money, oneOf, optional, pause, take } from "../wire";\n'
    )
    parts = [
        _types(held, rng) if shape == "types" else Template(_TEMPLATES[shape]).substitute(words(held, rng))
        for shape in shapes
    ]
    return header + "".join(parts)
