from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import RequestError
from proxy.retrieval import pages
from proxy.retrieval.grep import SHOWN_OF_A_LINE, grep
from proxy.retrieval.pages import PAGE_CHARACTERS, PAGE_LINES, Cursor, lines_of, read

START = Cursor()
TEXT = "".join(f"line {number}\n" for number in range(1, 11))


def all_pages(text: str) -> list[pages.Page]:
    told = [read(text, START, None)]
    while told[-1].next:
        told.append(read(text, told[-1].next, None))
    return told


@given(st.text(alphabet="ab\n\r\u2028\x0b", max_size=60))
def test_lines_put_together_are_the_text_and_only_a_line_feed_ends_one(text):
    assert "".join(lines_of(text)) == text
    assert all("\n" not in line[:-1] for line in lines_of(text))


@pytest.mark.parametrize(
    "text",
    ["", "a", "\n", "x\n" * (PAGE_LINES * 3 + 1), "x" * (PAGE_CHARACTERS * 3 + 1), ("y" * 100_000 + "\n") * 9,
     "z" * PAGE_CHARACTERS + "\n", "é" * PAGE_CHARACTERS + "\nend", ("w" * (PAGE_CHARACTERS + 7) + "\n") * 3],
)  # fmt: skip
def test_following_next_reads_any_text_to_its_end(text):
    told = all_pages(text)
    assert "".join(page.text for page in told) == text
    assert all(len(page.text) <= PAGE_CHARACTERS and page.text.count("\n") <= PAGE_LINES for page in told)


def test_a_range_is_read_inclusively_and_has_no_next():
    page = read(TEXT, Cursor(3), 4)
    assert page == pages.Page(lines=10, start=3, end=4, next=None, text="line 3\nline 4\n")


def test_a_range_past_the_end_ends_with_the_text():
    assert read(TEXT, Cursor(10), 99).end == 10


@pytest.mark.parametrize(("start", "end"), [(11, None), (5, 4)])
def test_a_range_outside_the_text_is_refused(start, end):
    with pytest.raises(RequestError):
        read(TEXT, Cursor(start), end)


def test_a_line_longer_than_a_page_goes_on_by_characters():
    page = read("x" * (PAGE_CHARACTERS + 1), START, None)
    assert page.next is not None
    assert (page.end, page.next.encoded()) == (1, f"1:{PAGE_CHARACTERS}")


def test_grep_tells_numbers_context_and_gaps():
    assert grep(TEXT, "line [258]$", 0, START, None).text == "2:line 2\n--\n5:line 5\n--\n8:line 8\n"
    assert grep(TEXT, "line (3|5)$", 1, START, None).text == "2-line 2\n3:line 3\n4-line 4\n5:line 5\n6-line 6\n"


def test_grep_without_a_match_says_what_it_searched():
    assert grep(TEXT, "nothing", 2, Cursor(2), 9) == pages.Page(10, 2, 9, None, "")


def test_grep_stays_within_its_range():
    assert grep(TEXT, "line", 3, Cursor(4), 5).text == "4:line 4\n5:line 5\n"


def test_grep_of_many_matches_goes_on_where_it_stopped_and_loses_none():
    text = "match\n" * (PAGE_LINES * 2 + 5)
    told, start = [], START
    while start:
        page = grep(text, "match", 0, start, None)
        told += page.text.splitlines()
        assert len(told) <= len(text)
        start = page.next
    assert told == [f"{number}:match" for number in range(1, PAGE_LINES * 2 + 6)]


def test_grep_scans_a_bounded_part_and_goes_on(monkeypatch):
    monkeypatch.setattr("proxy.retrieval.grep.SCAN_CHARACTERS", 30)
    page = grep(TEXT, "line 9", 0, START, None)
    assert (page.text, page.end, page.next) == ("", 4, Cursor(5))
    assert grep(TEXT, "line 9", 0, Cursor(7), None).text == "9:line 9\n"


def test_grep_shows_a_long_line_around_its_match_and_says_so():
    line = "a" * 5_000 + "needle" + "b" * 5_000
    text = grep(line, "needle", 0, START, None).text
    assert "needle" in text
    assert f"of {len(line)}; start=1 reads on]" in text
    assert len(text) < SHOWN_OF_A_LINE + 100


@pytest.mark.parametrize("pattern", ["", "(", "a" * 1_001, "(?=look)", r"\1", "a{2000}", "\udcff"])
def test_a_pattern_that_re2_does_not_take_is_refused(pattern):
    with pytest.raises(RequestError):
        grep(TEXT, pattern, 0, START, None)


def test_a_pattern_that_would_ruin_a_backtracking_engine_is_answered():
    assert grep("a" * 100_000, "(a+)+$b", 0, START, None).text == ""
