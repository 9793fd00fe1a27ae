"""`forebay replay`: what would the proxy have done to these sessions?"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from policies.terms import CachePrices
from proxy.cli.parser import Commands
from proxy.replay import Recorded, RecordingError, load, requests
from proxy.replay.glossary import explained
from proxy.replay.progress import Progress
from proxy.settings.faults import ConfigError, Fault


def add_to(commands: Commands) -> None:
    """The command and its options."""
    parser = commands.add_parser(
        "replay",
        help="run recorded sessions through the policies offline",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run recorded sessions through the proxy's own editing, request by request, with a simulated\n"
        "provider cache, and print what it costs, saves and loses beside the untouched session. Nothing is sent.",
        epilog=f"figures:\n{explained()}\n\nexample: forebay replay session.jsonl --policy coding --window 128000",
    )
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE",
        help="OpenAI messages or request bodies (JSON, JSON Lines), SWE-agent .traj, pi logs, tau-bench results",
    )  # fmt: skip
    parser.add_argument("--policy", default="default", metavar="NAME", help="the policy to try (default: default)")
    parser.add_argument("--policies", type=Path, metavar="DIR", help="folder of policy files beside the built-in ones")
    parser.add_argument(
        "--model", metavar="M", help="take window, prices and vocabulary of this model, e.g. openai/gpt-5"
    )
    parser.add_argument(
        "--window", type=_window, metavar="N", help="its window in tokens (default: the model's, or 272000)"
    )
    parser.add_argument(
        "--prices", type=_prices, metavar="W/D",
        help="cache write and read price per ordinary input price (default: the model's, or 1.25/0.1)",
    )  # fmt: skip
    parser.add_argument(
        "--json", type=Path, metavar="OUT", help="write every figure of every session and request there"
    )
    parser.add_argument(
        "--plot", type=Path, metavar="OUT.png", help="draw tokens per request and cost so far (needs matplotlib)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """0 where every session went through; what is wrong with the arguments is told before anything runs."""
    from proxy.replay.asked import setup_for  # noqa: PLC0415 -- heavy: tokenizer and price table
    from proxy.replay.many import replay_all  # noqa: PLC0415
    from proxy.replay.table import report  # noqa: PLC0415

    _check_outputs(arguments)
    setup = setup_for(arguments.policy, arguments.policies, arguments.model, arguments.window, arguments.prices)
    sessions = _sessions(arguments.files)
    with Progress(sys.stderr, len(sessions)) as progress:
        try:
            replayed = replay_all(sessions, setup, progress.done)
        except RecordingError as error:
            raise _told(error) from None
    print(report(replayed, setup), end="")
    if arguments.json:
        from proxy.replay.as_json import as_json  # noqa: PLC0415

        arguments.json.write_text(json.dumps(as_json(replayed, setup), indent=1) + "\n", encoding="utf-8")
    if arguments.plot:
        from proxy.replay.plot import draw, panels  # noqa: PLC0415

        draw(panels(replayed), arguments.plot)
    return 0


def _check_outputs(arguments: argparse.Namespace) -> None:
    for option, path in (("--json", arguments.json), ("--plot", arguments.plot)):
        if path is not None and not path.parent.is_dir():
            raise ConfigError([Fault(option, "", f"there is no folder {path.parent}; create it")])
        if path is not None and path.is_dir():
            raise ConfigError([Fault(option, "", f"{path} is a folder; name a file")])
    if arguments.plot is not None:
        from proxy.replay.plot import need_matplotlib  # noqa: PLC0415

        need_matplotlib()


def _sessions(files: Iterable[Path]) -> list[Recorded]:
    """The sessions of all files that hold a request, names made unique; the others are told."""
    try:
        loaded = [session for path in files for session in load(path)]
    except RecordingError as error:
        raise _told(error) from None
    found = [session for session in loaded if any(True for _ in requests(session, ""))]
    if found and len(found) < len(loaded):
        left_out = len(loaded) - len(found)
        print(f"forebay replay: left out, for they hold no request: {left_out} of {len(loaded)}", file=sys.stderr)
    if not found:
        raise ConfigError([Fault("", "", "the files hold no request: no answer of a model follows a user's message")])
    return _uniquely_named(found)


def _uniquely_named(sessions: Sequence[Recorded]) -> list[Recorded]:
    seen: Counter[str] = Counter()
    named: list[Recorded] = []
    for session in sessions:
        seen[session.name] += 1
        again = seen[session.name]
        named.append(session if again == 1 else replace(session, name=f"{session.name} ({again})"))
    return named


def _told(error: RecordingError) -> ConfigError:
    return ConfigError([Fault("", "", str(error))])


def _window(text: str) -> int:
    thousands = text.removesuffix("k")
    if not thousands.isdecimal() or not int(thousands):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens; write 128000 or 128k")
    return int(thousands) * (1000 if thousands != text else 1)


def _prices(text: str) -> CachePrices:
    write, slash, read = text.partition("/")
    try:
        prices = CachePrices(float(write), float(read))
    except ValueError:
        slash = ""
        prices = CachePrices()
    if not slash or not 0 < prices.write < 100 or not 0 <= prices.read < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no pair of prices; write cache write/read, e.g. 1.25/0.1")
    return prices
