"""How a text is cut into sections."""

from __future__ import annotations

import pytest

from policies.audit.sections import cut


def names(text: str) -> list[str]:
    return [section.name for section in cut(text)]


def test_headings_begin_sections_and_the_line_is_told():
    sections = cut("Intro.\n\n# One\na\n\n## Two ##\nb\n")
    assert [(one.name, one.line) for one in sections] == [("Intro.", 1), ("One", 3), ("Two", 6)]
    assert sections[1].text == "# One\na\n\n"


def test_an_underlined_title_begins_a_section():
    assert names("Intro here.\n\nRules\n-----\nNo.\n\nWords\n=====\nYes.\n") == ["Intro here.", "Rules", "Words"]


@pytest.mark.parametrize("title", ["How to work:", "**How to work**", "HOW TO WORK"])
def test_a_short_line_of_its_own_is_a_title(title: str):
    assert names(f"You review code.\n\n{title}\nRead it all.\n")[1] in ("How to work", "HOW TO WORK")


def test_a_short_line_above_a_list_is_a_title():
    assert names("You review code.\n\nHow to work\n- Read it.\n- Say it.\n") == ["You review code.", "How to work"]


@pytest.mark.parametrize("line", ["Read it all.", "- Rules:", "a line " * 12 + ":", "Rules"])
def test_other_lines_are_no_titles(line: str):
    assert len(cut(f"You review code,\nall of it\n{line}\nand so on.\n")) == 1


def test_blocks_in_tags_are_sections_whatever_stands_in_them():
    text = "<role>\nYou review.\n</role>\n\n<rules kind='x'>\n# Not a section\n</rules>\nThe end.\n"
    assert names(text) == ["<role>", "<rules>", "The end."]


def test_a_tag_on_one_line_is_a_section():
    assert names("<role>You review.</role>\n<rules>No style.</rules>\n") == ["<role>", "<rules>"]


def test_a_tag_that_never_closes_is_text():
    assert names("<file> stands for the path.\n\n# Rules\nNone.\n") == ["<file>", "Rules"]
    assert len(cut("Say it.\n<file> stands for the path.\nSo.\n")) == 1


def test_what_stands_in_a_fence_is_no_mark():
    assert names("# One\n```\n# Two\n\n<b>\n</b>\n```\n# Three\n~~~~\n~~~\n# Four\n~~~~\n") == ["One", "Three"]


def test_numbered_parts_are_sections_where_there_are_no_headings():
    text = "You review code, all of it.\n\n1. Read every file.\nEach line.\n\nPart 2: Say what is wrong.\n\nMore.\n"
    assert names(text) == ["You review code, all of it.", "1. Read every file.", "Part 2: Say what is wrong."]


def test_paragraphs_are_sections_where_there_is_nothing_else():
    assert names("You review code.\nAll of it.\n\n\nSay what is wrong.\n") == ["You review code.", "Say what is wrong."]


def test_one_paragraph_is_one_section():
    assert names("You review code. " * 300)[0].startswith("You review code. You")
    assert len(cut("You review code. " * 300)) == 1


def test_a_section_with_most_of_a_long_text_is_cut_inside():
    blocks = "\n\n".join(
        f"Paragraph {word} " + "goes on and on " * 40 + "to its end." for word in ("one", "two", "six")
    )
    sections = cut(f"# Short\nx\n\n# Long\n{blocks}\n")
    assert [one.name.split()[0] for one in sections] == ["Short", "Long", "Paragraph", "Paragraph"]


def test_a_tag_around_all_of_it_is_cut_inside():
    body = "\n".join(f"# Part {word}\n" + "It goes on and on. " * 40 for word in ("one", "two"))
    assert names(f"<prompt>\n{body}\n</prompt>\n") == ["<prompt>", "Part one", "Part two"]


def test_sections_of_one_name_are_told_apart():
    assert names("# Rules\na\n# Rules\nb\n") == ["Rules", "Rules (2)"]


def test_a_long_beginning_is_shortened_at_a_word():
    assert names("Every single finding names the file and the line where it stands.\n") == [
        "Every single finding names the file and the ..."
    ]


def test_blank_text_is_one_section_and_empty_text_none():
    assert cut("") == ()
    assert names("\n\n") == ["(blank)"]


def test_blank_lines_above_the_first_mark_belong_to_it():
    assert [(one.name, one.text) for one in cut("\n\n# One\na\n# Two\n")] == [
        ("One", "\n\n# One\na\n"), ("Two", "# Two\n"),
    ]  # fmt: skip
