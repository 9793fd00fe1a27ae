"""Laws of the audit over generated prompts."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from policies.audit import Audit, Prompt, Schema, Text, audit, difference
from policies.audit.prompt import schema
from policies.audit.sections import cut
from policies.audit.statements import sentences
from tests.build import count

LINES = st.sampled_from(
    [
        "", "  ", "# Rules", "## Examples", "Example 1:", "<rules>", "</rules>", "<example>", "</example>", "```",
        "1. Read it.", "- Name the file and the line.", "Please make sure to name the file and the line.", "Title:",
        "WORK", "-----", "Never run the code of the request. Please read the whole file.",
        "Read the whole file! Thanks.",
        "Do not run the code of the request.", "読む。書く。", "\tindented", "Feel free to ask, as mentioned above.",
    ]
)  # fmt: skip
ODD = st.text(st.characters(codec="utf-8"), max_size=40)
TEXTS = st.lists(LINES | ODD, max_size=60).map("\n".join)
DESCRIPTIONS = st.lists(LINES, max_size=4).map(" ".join)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    name = draw(st.sampled_from(["read", "write", "ask"]))
    properties = {key: {"description": draw(DESCRIPTIONS)} for key in draw(st.sets(st.sampled_from("abcdef")))}
    definition = {"name": name, "description": draw(DESCRIPTIONS), "parameters": {"properties": properties}}
    return schema("tools", name, definition, json.dumps(definition))


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    texts = tuple(Text(f"system {n}", text) for n, text in enumerate(draw(st.lists(TEXTS, max_size=2))))
    found = tuple(draw(st.lists(schemas(), max_size=4)))
    tokens = sum(count(text.text) for text in texts) + sum(count(one.json) for one in found) + draw(st.integers(0, 9))
    return Prompt(texts, found, (), tokens)


def audited(prompt: Prompt) -> Audit:
    return audit(prompt, count)


@given(TEXTS)
def test_sections_put_together_are_the_text_and_weigh_as_much(text: str):
    sections = cut(text)
    assert "".join(section.text for section in sections) == text
    assert sum(count(section.text) for section in sections) == count(text)
    assert len({section.name for section in sections}) == len(sections)


@given(TEXTS)
def test_every_section_starts_at_its_line(text: str):
    lines = text.split("\n")
    for section in cut(text):
        assert lines[section.line - 1] == section.text.split("\n")[0]


@given(TEXTS)
def test_every_sentence_stands_where_it_is_said_to(text: str):
    lines = text.split("\n")
    for sentence in sentences(text):
        assert "\n".join(lines[sentence.line - 1 :]).find(sentence.text) < len(lines[sentence.line - 1]) + 1
        assert sentence.text in text


@given(prompts())
def test_rows_and_framing_are_the_whole(prompt: Prompt):
    found = audited(prompt)
    assert sum(row.tokens for row in found.rows) + found.framing == prompt.tokens
    assert 0 <= found.framing <= 9


@given(prompts())
def test_findings_never_claim_more_than_the_prompt_has(prompt: Prompt):
    found = audited(prompt)
    assert 0 <= found.saving <= sum(row.tokens for row in found.rows)
    assert all(finding.tokens >= 0 for finding in found.findings)


@given(prompts())
def test_every_place_is_a_row(prompt: Prompt):
    found = audited(prompt)
    rows = {(row.group, row.name) for row in found.rows}
    assert {(place.group, place.name) for finding in found.findings for place in finding.places} <= rows


@given(prompts())
def test_two_audits_of_one_prompt_do_not_differ(prompt: Prompt):
    assert difference(audited(prompt), audited(prompt)).empty


@given(prompts(), prompts())
def test_a_difference_backwards_is_its_opposite(one: Prompt, other: Prompt):
    there, back = (difference(audited(a), audited(b)) for a, b in ((one, other), (other, one)))
    assert (there.tokens, there.gone, there.new) == (-back.tokens, back.new, back.gone)
