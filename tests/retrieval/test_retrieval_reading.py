"""What the model is told for a call: pages of originals in their frames, or one sentence."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from policies.edits import Replace
from policies.reducers.reducer import no_outline
from proxy.artifacts import Artifact
from proxy.retrieval.reading import Reads
from proxy.retrieval.sources import Sources, is_marked
from tests.build import call, conversation, locate, result, user
from tests.http.http_builders import FakeArtifacts
from tests.retrieval.desk import LINES, LOCATOR, NOWHERE, words

SOURCE = """import os

class Boat:
    @property
    def name(self):
        return "boat"

    def sail(self):
        if self.name:
            return os.name

class Crane:
    def name(self):
        return "crane"

def main():
    Boat().sail()
"""


class Setting:
    """One original in the store, and what was told of its reading."""

    def __init__(self, text: str = LINES, page_tokens: int = 500, body: bytes = b"") -> None:
        self.artifacts = FakeArtifacts()
        now = time.time()
        self.artifacts.kept["t", LOCATOR] = Artifact(LOCATOR, "result", text, now, now + 60, ())
        self.told: list[tuple[str, str]] = []
        self.edits: tuple[Replace, ...] = ()
        self.conversation = conversation(user("go"))
        self.page_tokens, self.body = page_tokens, body

    async def ask(self, arguments: dict[str, Any] | str, limit: int = 10_000) -> str:
        sources = Sources("t", self.edits, self.conversation, self.body, self.artifacts, locate)
        reads = Reads(sources, words, self.page_tokens, no_outline, lambda by, result: self.told.append((by, result)))
        return await reads.answer(arguments if isinstance(arguments, str) else json.dumps(arguments), limit)

    async def read(self, **arguments: Any) -> str:
        return await self.ask({"locator": LOCATOR, **arguments})


def body(told: str) -> str:
    """A page without its frame."""
    return "".join(line + "\n" for line in told.splitlines() if not line.startswith("[Forebay: "))


def following(told: str) -> str | None:
    match = re.search(r'goes on with lines "(.*)"\]$', told)
    return match[1] if match else None


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [
        ("120", 120, 120),
        ("10-80", 10, 80),
        ("L10-L12", 10, 12),
        ("10:12", 10, 12),
        ("10, 12", 10, 12),
        ("12-10", 10, 12),
        ("lines 10 to 12", 10, 12),
        ("10..12", 10, 12),
        ("0-2", 1, 2),
        ("499-900", 499, 500),
        ("498-", 498, 500),
    ],
)
async def test_lines_as_models_write_them(lines: str, first: int, last: int) -> None:
    told = await Setting().read(lines=lines)
    assert body(told) == "".join(f"line {n} of the log\n" for n in range(first, last + 1))
    assert told.startswith(f"[Forebay: lines {first}-{last} of 500 of {LOCATOR}]")


async def test_a_number_is_a_line_and_empty_fields_are_absent() -> None:
    assert (
        body(await Setting().ask({"locator": LOCATOR, "lines": 7, "grep": "", "symbol": None})) == "line 7 of the log\n"
    )


async def test_a_locator_is_found_in_a_copied_marker() -> None:
    assert "line 7 of" in await Setting().ask({"locator": f"[Forebay: all kept as {LOCATOR}]", "lines": "7"})


@pytest.mark.parametrize(
    ("text", "page_tokens"),
    [(LINES, 500), (LINES, 1), ("\n".join(["w " * 20_000] * 5), 2_000), ("x" * 100_000, 100), ("a b\n\n" * 900, 150)],
    ids=["plain", "tiny pages", "long lines", "one word", "gaps"],
)
async def test_reading_on_reaches_the_end_in_bounded_pages(text: str, page_tokens: int) -> None:
    setting, read, lines = Setting(text, page_tokens), "", "1-"
    for _ in range(2_000):
        told = await setting.read(lines=lines)
        assert words(told) <= max(page_tokens, 64 + 60)
        head, _, rest = told.partition("]\n")
        assert head.startswith("[Forebay: lines ")
        page, _, _ = rest.rpartition("[Forebay: ") if following(told) else (rest, "", "")
        read += page
        if following(told) is None:
            break
        lines = following(told) or ""
    assert read.replace("\n", "") == text.replace("\n", "")


async def test_a_small_limit_makes_a_small_page() -> None:
    told = await Setting().ask({"locator": LOCATOR}, limit=200)
    assert words(told) <= 200
    assert following(told) is not None


async def test_grep_shows_context_and_searches_within_lines() -> None:
    told = await Setting().read(grep="line (7|300) ", lines="5-400")
    assert body(told).splitlines()[:5] == ["5-line 5 of the log", "6-line 6 of the log", "7:line 7 of the log",
                                           "8-line 8 of the log", "9-line 9 of the log"]  # fmt: skip
    assert "300:line 300 of the log" in told


@pytest.mark.parametrize("pattern", ["f(x", "[a", "(?=x)", "a{2000}"])
async def test_a_pattern_that_is_none_is_searched_literally(pattern: str) -> None:
    told = await Setting(f"one\n call {pattern} here\nthree").read(grep=pattern)
    assert f"2: call {pattern} here" in told
    assert "literally" in told


async def test_grep_without_a_match_says_so() -> None:
    setting = Setting()
    assert "no line of" in await setting.read(grep="nothing like it")
    assert setting.told == [("grep", "nothing")]


async def test_many_matches_go_on_until_all_are_told() -> None:
    setting, numbers, lines = Setting(page_tokens=200), [], "1-"
    while lines:
        told = await setting.read(grep="log", lines=lines)
        numbers += [int(match) for match in re.findall(r"^(\d+):", told, re.MULTILINE)]
        lines = following(told) or ""
    assert numbers == list(range(1, 501))


@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize(
    ("symbol", "said", "unsaid"),
    [
        ("main", "Boat().sail()", "crane"),
        ("Boat.name", '"boat"', "crane"),
        ("Crane.name", '"crane"', "boat"),
        ("Boat", "return os.name", "crane"),
        ("sail", "if self.name", "main"),
    ],
)
async def test_a_definition_is_read_whole_by_its_name(symbol: str, said: str, unsaid: str, numbered: bool) -> None:
    text = "".join(f"{n:6}\t{line}\n" for n, line in enumerate(SOURCE.splitlines(), 1)) if numbered else SOURCE
    told = await Setting(text).read(symbol=symbol)
    assert said in told
    assert unsaid not in told


async def test_further_definitions_of_a_name_are_named() -> None:
    told = await Setting(SOURCE).read(symbol="name")
    assert "@property" in told
    assert "also defined in lines 13-14" in told


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("export async function load(x) {", "load"),
        ("func (b *Boat) Sail(n int) error {", "Sail"),
        ("pub fn run() {", "run"),
        ("  public int count(String a) {", "count"),
        ("const handler = async () => {", "handler"),
        ("struct Berth {", "Berth"),
        ("static void *grow(int n)", "grow"),
        ("impl Crane {", "Crane"),
        ("def self.find(id)", "find"),
    ],
)
async def test_definitions_are_known_by_their_words_in_many_languages(line: str, name: str) -> None:
    told = await Setting(f"other()\n{line}\n    inner\n}}\nrest()").read(symbol=name)
    assert "inner" in told
    assert "rest()" not in told


async def test_a_call_is_no_definition() -> None:
    setting = Setting("x = 1\nreturn load(x)\nload(2)\n")
    assert "defines no 'load'" in await setting.read(symbol="load")
    assert setting.told == [("symbol", "nothing")]


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "null",
        "[]",
        "{",
        '"art_abcdefgh2345"',
        {"lines": "1"},
        {"locator": "report.txt"},
        {"locator": LOCATOR, "lines": "all"},
        {"locator": LOCATOR, "lines": [1, 2]},
        {"locator": LOCATOR, "start": 10},
        {"locator": LOCATOR, "grep": True},
        {"locator": LOCATOR, "lines": "9000-9001"},
        {"locator": LOCATOR, "grep": "x" * 1_001},
    ],
    ids=str,
)
async def test_what_cannot_be_understood_is_one_text_for_the_model(arguments: Any) -> None:
    setting = Setting()
    told = await setting.ask(arguments)
    assert words(told) < 80
    assert [result for _, result in setting.told] == ["misread"]


async def test_an_original_in_the_request_at_hand_needs_no_store() -> None:
    setting = Setting()
    setting.artifacts.down = True
    setting.conversation = conversation(user("go"), result("what it said\nand more"))
    setting.edits = (Replace(1, 0, "stub", NOWHERE, 10, 1, "spill"),)
    assert "what it said" in await setting.ask({"locator": NOWHERE})


async def test_unknown_foreign_and_expired_of_others_are_one_text() -> None:
    setting = Setting()
    setting.artifacts.kept["other", NOWHERE] = setting.artifacts.kept["t", LOCATOR]
    foreign = await setting.ask({"locator": NOWHERE})
    setting.artifacts.kept.clear()
    assert await setting.ask({"locator": NOWHERE}) == foreign
    assert setting.told == [("lines", "unknown")] * 2


async def test_a_store_that_is_down_is_said_to_be() -> None:
    setting = Setting()
    setting.artifacts.down = True
    assert "cannot be read now" in await setting.read(lines="1")
    assert setting.told == [("lines", "failed")]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (f"[Forebay: result cleared; kept as {LOCATOR}]", True),
        (f"[Forebay: lines 1-2 of 3 of {LOCATOR}]", True),
        (f"kept as {LOCATOR}", False),
        (f"[Forebay: cleared] {LOCATOR}", False),
        (f"[Forebay: kept as {LOCATOR}x]", False),
    ],
)
def test_a_locator_is_ours_and_expired_only_inside_a_marker(text: str, marked: bool) -> None:
    assert is_marked(json.dumps({"content": text}).encode(), LOCATOR) is marked


async def test_what_left_with_its_turn_is_read_from_the_request_too() -> None:
    """A summary may quote the marker of a result that went with it."""
    desk = Setting("something else")
    desk.conversation = conversation(user("go"), call("run", arguments='{"a": "b\\nc"}'), result("crate 7"))
    assert "crate 7" in await desk.read(locator=locate("result", b"crate 7"))
    assert "a:\nb\nc" in await desk.read(locator=locate("arguments", b'{"a": "b\\nc"}'))
