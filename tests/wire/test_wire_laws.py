"""The laws of the wire over generated bodies: bytes in = bytes out, meaning over bytes, edits to the byte."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from policies.edits import Drop, Edit, Note, Replace, ReplaceArguments
from proxy.wire.envelope import slice_body
from proxy.wire.facts import call_list
from proxy.wire.reader import Read, Reader
from proxy.wire.render import render
from proxy.wire.spans import array_spans
from tests.wire.wire_builders import BODY, HISTORY, TEXT, write

RANDOM = st.randoms(use_true_random=False)


def read(history: list[dict[str, Any]], rnd: random.Random) -> Read:
    return Reader(len).read(slice_body(write({"model": "m", "messages": history}, rnd)))


@given(BODY, RANDOM)
def test_rendering_what_was_sliced_gives_the_same_bytes(body: dict[str, Any], rnd: random.Random) -> None:
    raw = write(body, rnd)
    assert json.loads(raw) == body
    assert render(slice_body(raw), model=body["model"]) == raw


@given(BODY, RANDOM)
def test_every_span_is_the_value_of_its_key(body: dict[str, Any], rnd: random.Random) -> None:
    envelope = slice_body(write(body, rnd))
    assert {key: json.loads(envelope.raw(key)) for key in envelope.spans} == body
    assert [json.loads(bytes(raw)) for raw in envelope.messages] == body["messages"]
    spans = array_spans(envelope.body, envelope.spans["messages"])
    assert [envelope.body[slice(*span)] for span in spans] == [bytes(raw) for raw in envelope.messages]


@given(BODY, TEXT, RANDOM)
def test_another_model_is_the_only_change(body: dict[str, Any], model: str, rnd: random.Random) -> None:
    raw = write(body, rnd)
    start, end = slice_body(raw).spans["model"]
    sent = render(slice_body(raw), model=model)
    assert json.loads(sent) == {**body, "model": model}
    assert sent.startswith(raw[:start])
    assert sent.endswith(raw[end:])


def restated(message: dict[str, Any], rnd: random.Random) -> dict[str, Any]:
    """The same message as another client would send it."""
    message = copy.deepcopy(message)
    for name in ("refusal", "name", "reasoning_content"):
        if rnd.random() < 0.3:
            message.setdefault(name, None)
    if rnd.random() < 0.5:
        message["reasoning_content"] = "I wonder"
    if rnd.random() < 0.5:
        message["cache_control"] = {"type": "ephemeral"}
    if message.get("content") is None and rnd.random() < 0.5:
        message.pop("content", None)
    match message.get("content"):
        case str(text) if rnd.random() < 0.5:
            message["content"] = [{"type": "text", "text": text}]
        case [{"type": "text", "text": str(text)}] if rnd.random() < 0.5:
            message["content"] = text
    if isinstance(message.get("content"), list):
        for part in message["content"]:
            part["cache_control"] = rnd.choice([None, {"type": "ephemeral"}])
    return message


@given(HISTORY, RANDOM)
def test_the_same_meaning_has_the_same_facts(history: list[dict[str, Any]], rnd: random.Random) -> None:
    plain = read(history, rnd)
    other = read([restated(message, rnd) for message in history], rnd)
    assert [(m.digest, m.tokens, m.parts, m.calls) for m in other.messages] == [
        (m.digest, m.tokens, m.parts, m.calls) for m in plain.messages
    ]
    assert other.chain == plain.chain
    assert list(map(other.conversation.canonical, range(len(history)))) == list(
        map(plain.conversation.canonical, range(len(history)))
    )


@given(TEXT, TEXT, RANDOM)
def test_another_text_is_another_meaning(one: str, other: str, rnd: random.Random) -> None:
    first, second = read([{"role": "user", "content": one}, {"role": "user", "content": other}], rnd).messages
    assert (first.digest == second.digest) == (one == other)


@st.composite
def edit_lists(draw: st.DrawFn, history: list[dict[str, Any]]) -> list[Edit]:
    """Edits that a plan may hold: of parts and arguments that are there, drops that do not overlap, notes."""
    edits: list[Edit] = []
    for index, message in enumerate(history):
        content = message.get("content")
        parts = [content] if isinstance(content, str) else content or []
        for part, value in enumerate(parts):
            if (isinstance(value, str) or value["type"] == "text") and draw(st.booleans()):
                edits.append(Replace(index, part, draw(TEXT), "art_x", 1, 1, "spill"))
        for call in range(len(call_list(message))):
            if draw(st.booleans()):
                edits.append(ReplaceArguments(index, call, draw(TEXT), "art_x", 1, 1))
        if draw(st.integers(0, 5)) == 0:
            edits.append(Note(index, draw(TEXT), 1))
        if draw(st.integers(0, 3)) == 0:
            edits.append(Drop(index, index + 1, "art_x", 1))
    for index in draw(st.lists(st.integers(0, len(history)), max_size=2)):
        edits.append(Note(index, draw(TEXT), 1, insert=True))
    return draw(st.permutations(edits))


def model_of(history: list[dict[str, Any]], edits: list[Edit]) -> list[dict[str, Any]]:
    """What the edits mean, on the parsed structure."""
    messages = copy.deepcopy(history)
    for edit in sorted(edits, key=lambda edit: isinstance(edit, Note)):
        _apply(messages, edit)
    dropped = {index for edit in edits if isinstance(edit, Drop) for index in _indices(edit)}
    inserted = [edit for edit in edits if isinstance(edit, Note) and edit.insert]
    result: list[dict[str, Any]] = []
    for index in range(len(messages) + 1):
        result += [{"role": "user", "content": note.text} for note in inserted if note.index == index]
        result += messages[index : index + 1] if index not in dropped else []
    return result


def _apply(messages: list[dict[str, Any]], edit: Edit) -> None:
    match edit:
        case Replace():
            if isinstance(messages[edit.index]["content"], str):
                messages[edit.index]["content"] = edit.text
            else:
                messages[edit.index]["content"][edit.part]["text"] = edit.text
        case ReplaceArguments():
            call_list(messages[edit.index])[edit.call]["function"]["arguments"] = edit.text
        case Note(insert=False):
            _append(messages[edit.index], edit.text)
        case _:
            pass


def _append(message: dict[str, Any], text: str) -> None:
    match message.get("content"):
        case list() as parts:
            parts.append({"type": "text", "text": text})
        case None | "":
            message["content"] = text
        case str(words):
            message["content"] = f"{words}\n\n{text}"


@given(st.data(), BODY, RANDOM)
def test_edits_do_what_they_mean_and_touch_nothing_else(
    data: st.DataObject, body: dict[str, Any], rnd: random.Random
) -> None:
    edits = data.draw(edit_lists(body["messages"]))
    raw = write(body, rnd)
    before = slice_body(raw)
    sent = render(before, model="gpt-5", edits=edits)
    assert json.loads(sent) == {**body, "messages": model_of(body["messages"], edits)}

    start, end = before.spans["messages"]
    assert sent.startswith(raw[: start + 1])
    assert sent.endswith(raw[end - 1 :])
    touched = {index for edit in edits for index in _indices(edit)}
    kept = [bytes(m) for i, m in enumerate(before.messages) if i not in touched]
    position = start
    for message in kept:
        position = sent.index(message, position) + len(message)


def _indices(edit: Edit) -> range:
    if isinstance(edit, Drop):
        return range(edit.start, edit.end)
    return range(edit.index, edit.index + (not (isinstance(edit, Note) and edit.insert)))
