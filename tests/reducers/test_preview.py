"""Previews: what stays, how large they grow, and when there is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.reducers.preview import GROWTH, MOST_KEPT, preview
from tests.reducers.reducing import LOCATOR, body, count, no_outline, outline, shown
from tests.reducers.samples import all_samples
from tests.reducers.samples.sample import Sample

SAMPLES = list(all_samples())
each = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
limits = pytest.mark.parametrize("limit", [200, 600])


@limits
@each
def test_error_lines_and_own_frames_stay_to_the_letter(sample: Sample, limit: int):
    made = preview(sample.text, limit, LOCATOR, count, outline)
    if made is None:  # then the result is not spilled, and nothing is lost either
        return
    kept = shown(body(made.text), sample.text)
    lines = sample.text.split("\n")
    shown_lines = {lines[number] for number in kept}
    assert [line for line in (*sample.vital, *sample.own) if line not in shown_lines] == []


@each
def test_a_sample_gets_a_preview_within_its_bounds(sample: Sample):
    made = preview(sample.text, 600, LOCATOR, count, outline)
    whole = count(sample.text)
    if made is None:
        assert 2 * len(sample.vital) > sample.text.count("\n")  # nearly all of it are errors
        return
    assert made.kind == sample.kind
    assert made.tokens == count(made.text) <= min(GROWTH * 600, MOST_KEPT * whole)


@each
def test_a_preview_fills_its_limit_where_there_is_more_to_tell(sample: Sample):
    made = preview(sample.text, 300, LOCATOR, count, outline)
    quiet = not sample.vital and not sample.text.startswith("[{")
    if made and quiet and sample.name != "a long unbroken run" and sample.kind != "file listing":
        assert 0.6 * 300 <= made.tokens <= 300


def test_the_headline_says_what_it_is_how_much_and_where():
    text = "\n".join(f"depot/part{n}.py:{n}:    open(gate)" for n in range(200))
    made = preview(text, 300, LOCATOR, count, outline)
    assert made is not None
    assert made.text.split("\n")[0] == (
        f"[Forebay: preview of search results, 200 lines, {count(text)} tokens; 200 matches in 200 files; "
        f"all kept as {LOCATOR}]"
    )


def test_lines_that_must_stay_take_the_preview_over_its_limit():
    text = "\n".join(
        f"line {n} of much\nValueError: row {n}" if n % 40 == 0 else f"line {n} of much" for n in range(1_000)
    )
    made = preview(text, 150, LOCATOR, count, outline)
    assert made is not None
    assert made.text.count("ValueError") == 25
    assert 150 < made.tokens <= 600


def test_what_explains_the_errors_still_finds_room_beside_them():
    text = "\n".join(
        f"step {n} of much\nValueError: row {n}" if n % 40 == 0 else f"step {n} of much" for n in range(1_000)
    )
    made = preview(text, 200, LOCATOR, count, outline)
    assert made is not None
    assert "step 0 of much\nValueError: row 0\nstep 1 of much" in made.text


def test_there_is_no_preview_where_the_errors_need_more():
    text = "\n".join(f"ValueError: row {n} of the ledger\nfine\nfine" for n in range(400))
    assert preview(text, 100, LOCATOR, count, outline) is None


def test_errors_that_repeat_to_the_letter_stay_once_where_all_would_not_fit():
    text = "\n".join("ConnectionError: no answer\nwaiting for the gate" for _ in range(500))
    made = preview(text, 100, LOCATOR, count, outline)
    assert made is not None
    assert 1 <= made.text.count("ConnectionError: no answer") < 500
    shown(body(made.text), text)


def test_there_is_no_preview_that_saves_little():
    assert preview("\n".join(f"row {n}" for n in range(8)), 600, LOCATOR, count, outline) is None
    assert preview("", 600, LOCATOR, count, outline) is None


def test_a_line_larger_than_the_limit_is_a_gap_and_its_neighbours_survive():
    text = "start\n" + "_" * 40_000 + "\n" + "a" * 40_000 + "\nlast line: linker ran out of disk\n"
    made = preview(text, 200, LOCATOR, count, outline)
    assert made is not None
    assert body(made.text) == "start\n[lines 2-3 left out]\nlast line: linker ran out of disk\n"


def test_a_gap_that_weighs_no_more_than_its_marker_is_shown():
    text = "\n".join(["KeyError: 1", "a", "KeyError: 2", *["word " * 20] * 60])
    made = preview(text, 60, LOCATOR, count, outline)
    assert made is not None
    assert body(made.text).startswith("KeyError: 1\na\nKeyError: 2\n")


def test_bytes_of_a_line_stay_as_they_are():
    text = "\n".join(["\x1b[31mKeyError: 1\x1b[0m  \r", *["word \t " * 20] * 60])
    made = preview(text, 100, LOCATOR, count, outline)
    assert made is not None
    assert "\x1b[31mKeyError: 1\x1b[0m  \r\n" in made.text


def test_counting_is_bounded():
    calls = 0

    def counted(text: str) -> int:
        nonlocal calls
        calls += 1
        return count(text)

    for sample in SAMPLES:
        calls = 0
        preview(sample.text, 400, LOCATOR, counted, outline)
        assert calls <= 12, sample.name


LINES = st.one_of(
    st.sampled_from([line for sample in SAMPLES for line in sample.text.split("\n")[:25]]),
    st.sampled_from([line for sample in SAMPLES for line in (*sample.vital, *sample.own)]),
    st.text(st.characters(exclude_characters="\n"), max_size=80),
    st.sampled_from(["", " ", "{", "}", "[", "]", "---", "@@ -1 +1 @@", "+++ b", "x" * 3_000]),
)
TEXTS = st.lists(LINES, max_size=120).flatmap(
    lambda lines: st.integers(1, 6).map(lambda times: "\n".join(lines * times))
)


@given(text=TEXTS, limit=st.integers(1, 800))
def test_any_text_gives_whole_lines_and_marked_gaps_within_bounds(text: str, limit: int):
    made = preview(text, limit, LOCATOR, count, no_outline)
    if made is not None:
        shown(body(made.text), text)
        assert made.tokens == count(made.text) <= min(GROWTH * limit, MOST_KEPT * count(text))
        assert made == preview(text, limit, LOCATOR, count, outline=no_outline)
