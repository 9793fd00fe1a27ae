"""What an audit finds, where, and what it says could go. A word is a token."""

from __future__ import annotations

import json
from typing import Any

import pytest

from policies.audit import Audit, Finding, Other, Place, Prompt, Schema, Text, audit
from policies.audit.filler import without_filler
from policies.audit.prompt import schema
from tests.build import count, words


def tool(name: str, description: str = "", group: str = "tools", **properties: Any) -> Schema:
    definition = {"name": name, "description": description, "parameters": {"properties": properties}}
    return schema(group, name, definition, json.dumps(definition))


def told(text: str) -> dict[str, str]:
    return {"description": text}


def audited(*parts: str | Schema | Other) -> Audit:
    texts = tuple(Text(f"system {number}" if number else "system", part) for number, part in enumerate(_texts(parts)))
    schemas = tuple(part for part in parts if isinstance(part, Schema))
    others = tuple(part for part in parts if isinstance(part, Other))
    return audit(Prompt(texts, schemas, others, 1_000_000), count)


def _texts(parts: tuple[str | Schema | Other, ...]) -> list[str]:
    return [part for part in parts if isinstance(part, str)]


def only(audit: Audit) -> Finding:
    (finding,) = audit.findings
    return finding


def many(words: int, word: str = "w") -> str:
    """A text of so many words that are all different, so that no two of its sentences are alike."""
    return " ".join(f"{word}{chr(97 + n % 26)}{chr(97 + n // 26)}x" for n in range(words))


def test_rows_and_framing_add_up():
    found = audited("# A\none two\n# B\nthree\n", tool("read"), Other("system 2 (image_url)", 85))
    assert [(row.group, row.name, row.line) for row in found.rows] == [
        ("system", "A", 1), ("system", "B", 3), ("tools", "read", None), ("parts", "system 2 (image_url)", None),
    ]  # fmt: skip
    assert sum(row.tokens for row in found.rows) + found.framing == found.tokens
    assert (found.group("system"), found.group("parts")) == (7, 85)


def test_a_statement_said_again_is_found_with_both_places():
    finding = only(audited("# A\nAlways name the file and the line.\n# B\nx y\n\nEach finding names file and line.\n"))
    assert finding.kind == "repeated statement"
    assert finding.tokens == 6
    assert finding.places == (Place("system", "A", 2), Place("system", "B", 6))
    assert finding.quote == "Always name the file and the line."


def test_a_statement_of_the_text_that_a_description_repeats_is_found():
    finding = only(
        audited("Post each finding at once when sure.\n", tool("post", "Post each finding at once when sure."))
    )
    assert (finding.kind, finding.tokens) == ("repeated statement", 7)
    assert finding.places == (
        Place("system", "Post each finding at once when sure.", 1),
        Place("tools", "post", path=""),
    )


def test_a_description_that_parameters_repeat_is_found():
    path = told("Path from the root of the repository.")
    finding = only(
        audited(tool("read", "Reads.", path=path), tool("write", "Writes anew.", to=path, items={"items": path}))
    )
    assert (finding.kind, finding.tokens) == ("repeated description", 14)
    assert [(place.name, place.path) for place in finding.places] == [
        ("read", "path"), ("write", "to"), ("write", "items[]"),
    ]  # fmt: skip


def test_the_longest_of_a_group_stays():
    finding = only(
        audited("- name the file exactly\n- you must always name the file exactly\n- name the file exactly\n")
    )
    assert finding.quote == "- you must always name the file exactly"
    assert finding.tokens == 10


def test_lists_whose_items_differ_in_a_word_are_no_repeats():
    assert audited("- high: readable remotely by all tenants\n- low: readable remotely by all tenants\n").findings == ()


def test_twin_tools_are_one_finding():
    rest = told(many(60))
    one, two, three = (tool(name, "Reads a file of the repository.", path=rest) for name in ("read", "show", "open"))
    finding = audited(one, two, tool("ask", "Asks.", question=told(many(60, "q"))), three).findings[0]
    assert (finding.kind, [place.name for place in finding.places]) == ("twin tools", ["read", "show", "open"])
    assert finding.tokens == count(two.json) + count(three.json)
    assert "2 tools share at least 100%" in finding.quote


def test_two_twins_are_named():
    rest = told(many(60))
    finding = only(audited(tool("read", path=rest), tool("show", path=rest)))
    assert finding.quote == "read and show share 100% of what they say"


def test_a_response_schema_is_no_twin():
    rest = told(many(60))
    kinds = {
        one.kind for one in audited(tool("read", path=rest), tool("out", group="response_format", path=rest)).findings
    }
    assert "twin tools" not in kinds


def test_all_but_the_longest_of_dominant_examples_could_go():
    text = f"# Rules\n{many(300)}\n# Examples\nLook.\n\nExample 1\n{words(150)}\nExample 2:\n{words(120)}\n"
    finding = only(audited(text))
    assert (finding.kind, finding.tokens) == ("examples", 122)
    assert [place.line for place in finding.places] == [6, 22]
    assert finding.quote == "2 of them, 274 tokens, 47% of the texts"


def test_of_one_dominant_example_half_could_go():
    finding = only(audited(f"Rules.\n\n<example>\n{words(400)}\n</example>\n"))
    assert (finding.kind, finding.tokens) == ("examples", 201)


@pytest.mark.parametrize(
    "example",
    [
        f"For example:\n\n```\n{words(300)}\n```",
        f"Such as this sample:\n{words(300)}",
        f"<few_shot_example>\n{words(100)}\n\n{words(200)}\n</few_shot_example>",
        f"A good example:\n{words(300)}\n\n{many(20)}",
    ],
)
def test_examples_are_found_by_what_stands_above_them(example: str):
    finding = only(audited(f"# Rules\nDo it.\nMore follows here.\n{example}\n"))
    assert finding.kind == "examples"
    assert [place.line for place in finding.places] == [4]


@pytest.mark.parametrize(
    "text",
    [
        f"# Rules\nGive an example of the attack.\n{words(300)}\n",
        f"# Rules\n{'A sample ' + 'that is long ' * 12}:\n{words(300)}\n",
        f"# Rules\nFor example:\n\n{words(300)}\n",
        f"# Rules\n{many(300)}\nA second example:",
        f"# Rules\n{many(300)}\n\nA second example:\n\n",
        f"# Rules\n{many(900)}\n# Examples\n{words(210)}\n",
    ],
)
def test_what_is_no_example_or_does_not_dominate_is_no_finding(text: str):
    assert [one.kind for one in audited(text).findings] == []


def test_what_stands_in_an_example_is_no_repeat():
    assert audited("Name the file and the line.\n\n<example>\nName the file and the line.\n</example>\n").findings == ()


def test_the_schema_with_most_of_the_tokens_is_named():
    big = tool("search", f"{many(40)}. {many(220, 'B').capitalize()}.", limit={"type": "integer"})
    finding = only(audited("Do it.\n", big, tool("ask", "Asks.")))
    assert (finding.kind, finding.tokens, finding.places) == ("schema", 220, (Place("tools", "search"),))
    assert finding.quote.startswith("search is ")


def test_long_schemas_that_fill_the_prompt_are_named_together():
    one, two = (tool(name, f"{many(150, name)}. {many(80, f'Z{name}').capitalize()}.") for name in ("one", "two"))
    finding = only(audited("Do it.\n", one, two))
    assert (finding.kind, finding.tokens, len(finding.places)) == ("schema", 160, 2)


def test_a_dominant_schema_is_told_though_nothing_is_known_to_go():
    finding = only(audited("Do it.\n", tool("search", many(260)), tool("ask", "Asks.")))
    assert (finding.kind, finding.tokens) == ("schema", 0)


def test_short_schemas_dominate_nothing():
    assert audited("Do it.\n", *(tool(f"t{n}", many(150, f"t{n}")) for n in range(3))).findings == ()
    assert audited(f"{many(900)}\n", tool("a", many(210, "a")), tool("b", many(210, "b"))).findings == ()


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("Please note that it is late.", "it is late."),
        ("In order to win, play.", "to win, play."),
        ("Please make sure to always read it.", "read it."),
        ("It is very important to note that money counts.", "money counts."),
        ("As an AI language model, you err.", "you err."),
        ("As mentioned above, read it.", "read it."),
        ("Thank you in advance for your help!", ""),
        ("Please, wait.", "wait."),
        (
            "It fails due to the fact that it is late in the event that it rains.",
            "It fails because it is late if it rains.",
        ),
        ("Feel free to ask.", "ask."),
        ("This is pleasing  and notable.", "This is pleasing  and notable."),
    ],
)
def test_phrases_without_content_are_taken_out(sentence: str, left: str):
    assert without_filler(sentence) == left


def test_filler_is_one_finding_a_section_with_its_lines():
    found = audited("# A\nPlease read. \nRead all.\n\nPlease note that it ends.\n# B\nFeel free to ask.\n")
    first, second = found.findings
    assert (first.kind, first.tokens, [place.line for place in first.places]) == ("filler", 4, [2, 5])
    assert first.quote == "please, please note that"
    assert (second.tokens, second.places) == (3, (Place("system", "B", 7),))


def test_many_phrases_are_quoted_in_part():
    text = "Please go. Feel free to ask. Bear in mind that it ends. Needless to say, it does. In order to win, play."
    assert only(audited(text)).quote == "please, feel free to, bear in mind that, needless to say, ..."


def test_filler_in_what_could_go_anyway_is_not_counted_again():
    found = audited("# A\nAll findings name the file and the line of it.\n# B\nPlease name the file and line.\n")
    assert [(one.kind, one.tokens) for one in found.findings] == [("repeated statement", 6)]


def test_findings_come_with_the_largest_first():
    found = audited("# A\nPlease go.\n# B\nName the file exactly here.\n# C\nName the file exactly here.\n")
    assert [one.tokens for one in found.findings] == [5, 1]


def test_names_and_descriptions_of_a_schema_are_found_at_any_depth():
    definition = {
        "function": {
            "description": "Top.",
            "parameters": {
                "properties": {
                    "description": {"description": "Of a property named so.", "enum": [{"description": "no"}]},
                    "list": {"type": "array", "items": {"anyOf": [{"properties": {"x": {"description": "Inner."}}}]}},
                    "blank": {"description": "  "},
                    "odd": True,
                },
                "$defs": ["not by name"],
            },
        }
    }
    found = schema("tools", "t", definition, "")
    assert [(one.path, one.text) for one in found.descriptions] == [
        ("", "Top."), ("description", "Of a property named so."), ("list[].x", "Inner."),
    ]  # fmt: skip
    assert found.properties == ("description", "list", "list[].x", "blank", "odd")
