"""What a file is taken for, and what is told of one that is nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxy.audit.audited import audit_file
from proxy.audit.fixed import prompt_of
from proxy.audit.reading import Asked, read
from proxy.errors import RequestError
from proxy.replay import RecordingError
from proxy.tokens import Counter
from tests.build import count

SYSTEM = {"role": "system", "content": "You review code."}
USER = {"role": "user", "content": "Go."}
ANSWER = {"role": "assistant", "content": "Going."}
TOOL = {"type": "function", "function": {"name": "read", "description": "Reads."}}


def written(folder: Path, value: Any, name: str = "body.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def asked(folder: Path, value: Any, name: str = "body.json") -> Asked:
    return read(written(folder, value, name))


def test_of_a_body_what_stands_before_the_first_answer_is_fixed(tmp_path: Path):
    late = {"role": "developer", "content": "Late."}
    body = {"model": "m", "messages": [SYSTEM, USER, late, ANSWER, late], "tools": [TOOL], "temperature": 1}
    assert asked(tmp_path, body) == Asked("body.json", {"messages": [SYSTEM, late], "tools": [TOOL]})


def test_a_body_may_be_tools_alone(tmp_path: Path):
    assert asked(tmp_path, {"tools": [TOOL]}).body == {"messages": [], "tools": [TOOL]}


@pytest.mark.parametrize("name", ["prompt.md", "prompt.txt", "prompt"])
def test_text_is_a_system_prompt(name: str, tmp_path: Path):
    text = "{role}: you review code.\n"
    assert asked(tmp_path, text, name).body == {"messages": [{"role": "system", "content": text}]}


def test_text_that_happens_to_be_json_is_text(tmp_path: Path):
    assert asked(tmp_path, "42", "prompt.txt").body == {"messages": [{"role": "system", "content": "42"}]}


def test_of_many_bodies_the_first_is_audited_and_the_others_told(tmp_path: Path):
    bodies = [{"messages": [SYSTEM, USER]}, {"messages": [SYSTEM, USER, ANSWER]}]
    assert asked(tmp_path, bodies).notes == ("the first of 2 requests; all have the same fixed part",)
    lines = "\n".join(json.dumps(body) for body in [*bodies, {"messages": [USER], "tools": [TOOL]}])
    assert asked(tmp_path, lines, "bodies.jsonl").notes == ("the first of 3 requests; 1 with another fixed part",)


@pytest.mark.parametrize("session", [[SYSTEM, USER, ANSWER], {"history": [SYSTEM, USER, ANSWER]}])
def test_of_a_recorded_session_the_texts_are_audited(session: Any, tmp_path: Path):
    found = asked(tmp_path, session)
    assert [message["content"] for message in found.body["messages"]] == ["You review code."]
    assert found.notes == ("the recording holds no tool definitions: texts only",)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("none.json", None, "none.json: expected a readable file, No such file or directory"),
        ("none.md", None, "none.md: expected a readable file, No such file or directory"),
        ("broken.json", "{", "broken.json:1: expected JSON"),
        ("odd.json", {"rows": []}, "odd.json: expected OpenAI messages (a list"),
        ("empty.md", " \n", "empty.md: expected a prompt, found an empty file"),
        ("mixed.json", [{"messages": []}, 1], "mixed.json: expected request bodies alone, found 1 other values"),
        ("other.json", {"system": "x", "messages": []}, "other.json: found system beside messages"),
        ("quiet.json", {"messages": [USER]}, "quiet.json: expected a system text or tools before the first answer"),
        ("quiet.jsonl", {"history": []}, "quiet.jsonl: expected a session with messages, found none"),
        ("role.json", {"messages": [{"content": "x"}]}, "role.json: messages[0].role must be a string"),
        ("part.json", {"messages": [{**SYSTEM, "content": 3}]}, "part.json: messages[0].content must be a string"),
        ("deep.json", '{"tools": [' + '{"items":' * 700 + "1" + "}" * 700 + "]}", "nested too deep"),
    ],
)
def test_what_cannot_be_audited_is_told_in_a_line(name: str, value: Any, told: str, tmp_path: Path):
    path = tmp_path / name if value is None else written(tmp_path, value, name)
    with pytest.raises(RecordingError) as error:
        audit_file(path, Counter("o200k_base"))
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_text_that_is_not_utf8_is_told(tmp_path: Path):
    (tmp_path / "prompt.md").write_bytes(b"caf\xe9 au lait")
    with pytest.raises(RecordingError, match="found the byte 0xe9"):
        read(tmp_path / "prompt.md")


def test_a_file_that_was_estimated_says_so(tmp_path: Path):
    audited = audit_file(written(tmp_path, "You review code.\n", "p.md"), Counter("o200k_base", tmp_path))
    assert audited.notes == ("no vocabulary is installed: tokens are estimated by length",)


def test_parts_and_schemas_have_names_of_their_own():
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}
    messages = [
        {"role": "system", "content": "One."},
        {
            "role": "developer",
            "content": [{"type": "text", "text": "Two."}, image, {"type": "thinking", "thinking": "x"}],
        },
        {"role": "system", "content": "Three."},
        {"role": "system", "content": None},
    ]
    body = {
        "messages": messages,
        "tools": [TOOL, TOOL, {"type": "web_search"}, {"type": "custom", "custom": {"name": "shell"}}, 3],
        "response_format": {"type": "json_schema", "json_schema": {"name": "verdict"}},
    }
    prompt = prompt_of(body, count)
    assert [(text.name, text.text) for text in prompt.texts] == [
        ("system", "One."), ("developer", "Two."), ("system 2", "Three."),
    ]  # fmt: skip
    assert [(one.name, one.tokens) for one in prompt.others] == [("developer 2 (image_url)", 85)]
    assert [(one.group, one.name) for one in prompt.schemas] == [
        ("tools", "read"), ("tools", "read (2)"), ("tools", "web_search"), ("tools", "shell"), ("tools", "(unnamed)"),
        ("response_format", "verdict"),
    ]  # fmt: skip


@pytest.mark.parametrize("depth", [600, 3000])
def test_a_schema_that_is_nested_too_deep_is_told(depth: int):
    definition: dict[str, Any] = {}
    for _ in range(depth):
        definition = {"items": definition}
    with pytest.raises(RequestError, match="nested too deeply; flatten it"):
        prompt_of({"messages": [], "tools": [definition]}, count)


def test_a_lone_surrogate_is_counted_as_the_proxy_mends_it(tmp_path: Path):
    audited = audit_file(
        written(tmp_path, '{"messages": [{"role": "system", "content": "a \\ud83d b"}]}'), Counter("o200k_base")
    )
    assert audited.audit.group("system") > 0
