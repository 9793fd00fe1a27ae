"""Generated conversations: what agents send, and what they should not send but do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

Message = dict[str, Any]
Body = dict[str, Any]

_WORDS = (
    "harbour",
    "Error: no such file",
    "crane_07",
    "src/yard/move.py:118",
    "ok",
    "😀",
    "naïve",
    "\t",
    "<|endoftext|>",
)


@st.composite
def texts(draw: st.DrawFn, most: int = 900) -> str:
    """A text of lines; sizes lean to the small, some are large."""
    lines = draw(st.sampled_from((1, 1, 2, 5, 20, most // 10)))
    words = draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4))
    salt = draw(st.integers(0, 99))
    return "\n".join(f"{' '.join(words)} {salt}-{line}" for line in range(lines))


def _extras() -> st.SearchStrategy[Message]:
    """Fields that pass untouched and do not decide."""
    return st.sampled_from(
        ({}, {}, {}, {"reasoning_content": "let me think " * 20}, {"name": "bob"}, {"vendor": {"b": 1, "a": None}})
    )


@st.composite
def _user(draw: st.DrawFn) -> list[Message]:
    text = draw(texts())
    content = draw(st.sampled_from((text, text, [{"type": "text", "text": text}, _image()])))
    return [{"role": "user", "content": content, **draw(_extras())}]


def _image() -> Message:
    return {"type": "image_url", "image_url": {"url": "https://example.invalid/a.png"}}


@st.composite
def _says(draw: st.DrawFn) -> list[Message]:
    return [{"role": "assistant", "content": draw(st.sampled_from(("", "done"))) or draw(texts()), **draw(_extras())}]


@st.composite
def _acts(draw: st.DrawFn) -> list[Message]:
    """One assistant message with calls, and their results in any order; ids may come again on every turn."""
    ids = draw(st.lists(st.sampled_from(("call_0", "call_1", "", "x" * 300)), min_size=1, max_size=3, unique=True))
    if draw(st.booleans()):
        ids = [f"{id}-{draw(st.integers(0, 10**6))}" for id in ids]
    calls = [
        {"id": id, "type": "function", "function": {"name": "read", "arguments": draw(_arguments())}} for id in ids
    ]
    content = draw(st.sampled_from((None, "", "looking")))
    results = [{"role": "tool", "tool_call_id": id, "content": draw(_result())} for id in draw(st.permutations(ids))]
    return [{"role": "assistant", "content": content, "tool_calls": calls, **draw(_extras())}, *results]


@st.composite
def _arguments(draw: st.DrawFn) -> str:
    text = draw(texts(3_000))
    whole = json.dumps(
        {"path": "a.py", "new": text, "n": 1.5, "deep": [{"old": text}]}, ensure_ascii=draw(st.booleans())
    )
    return draw(st.sampled_from(("{}", whole, whole, whole[: len(whole) // 2])))


@st.composite
def _result(draw: st.DrawFn) -> Any:
    text = draw(st.one_of(texts(6_000), texts(6_000), _logs()))
    return draw(
        st.sampled_from((text, text, text, "", [{"type": "text", "text": text}, {"type": "text", "text": "end"}]))
    )


def _logs() -> st.SearchStrategy[str]:
    """A log that is spilled: long, and only now and then with a failure in it."""
    return st.integers(0, 99).map(
        lambda salt: "\n".join(
            f"{'ERROR' if line == 2 * salt else 'INFO'} berth {salt} took crate {line} in {line * 7} s"
            for line in range(250)
        )
    )


@st.composite
def _late(draw: st.DrawFn) -> list[Message]:
    """A call whose result comes after other turns: a person spoke, a task ran in the background."""
    id = f"late-{draw(st.integers(0, 10**6))}"
    call = {"id": id, "type": "function", "function": {"name": "task", "arguments": "{}"}}
    between = draw(st.lists(st.one_of(_user(), _acts(), _says()), min_size=1, max_size=6))
    result = {"role": "tool", "tool_call_id": id, "content": draw(_result())}
    said = [message for messages in between for message in messages]
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, *said, result]


def _odd() -> st.SearchStrategy[list[Message]]:
    """What no client should send and some do."""
    return st.sampled_from(
        (
            [{"role": "tool", "tool_call_id": "nobody", "content": "orphan"}],
            [{"role": "wizard", "content": "what is this role"}],
            [{"role": "user", "content": None}],
            [{"role": "user"}],
        )
    )


def _rules() -> st.SearchStrategy[list[Message]]:
    return st.sampled_from(("system", "developer")).map(lambda role: [{"role": role, "content": "new rules"}])


@st.composite
def histories(draw: st.DrawFn, most_turns: int = 24) -> list[Message]:
    """A head, then turns. Tool users mostly act; talkers mostly talk."""
    head: list[Message] = []
    if draw(st.booleans()):
        head.append({"role": "system", "content": draw(texts())})
    head += draw(st.one_of(_user(), _user(), _user(), _odd()))
    acting = draw(st.booleans())
    usual = _acts() if acting else _says()
    turn = st.one_of(usual, usual, usual, usual, _acts(), _says(), _user(), _rules(), _late(), _odd())
    turns = draw(st.lists(turn, min_size=1, max_size=most_turns))
    return head + [message for messages in turns for message in messages]


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    """A request with such a history."""
    body: Body = {"model": "m", "messages": draw(histories())}
    if draw(st.booleans()):
        body["tools"] = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]
    if draw(st.booleans()):
        body["max_tokens"] = draw(st.sampled_from((1, 500, 10_000)))
    return body


def requests_of(body: Body) -> Iterator[Body]:
    """The requests that an agent makes on its way to this history: before each assistant message, and now."""
    messages = body["messages"]
    for index, message in enumerate(messages):
        if message["role"] == "assistant" and index:
            yield {**body, "messages": messages[:index]}
    yield body


def reserialised(body: Body, choose: Callable[[tuple[Any, ...]], Any]) -> bytes:
    """The same meaning in other bytes: key order, nulls, one-part lists, cache markers, reasoning left out."""
    changed = {**body, "messages": [_meant_alike(message, choose) for message in body["messages"]]}
    return json.dumps(changed, ensure_ascii=choose((True, False)), indent=choose((None, 1))).encode()


def _meant_alike(message: Message, choose: Callable[[tuple[Any, ...]], Any]) -> Message:
    fields = [(key, value) for key, value in message.items() if key != "reasoning_content" or choose((True, False))]
    if choose((True, False)):
        fields.reverse()
    changed = dict(fields)
    if choose((True, False)):
        changed["refusal"] = None
    if isinstance(changed.get("content"), str) and changed["content"] and choose((True, False)):
        part = {"type": "text", "text": changed["content"]}
        marked = {**part, "cache_control": {"type": "ephemeral"}}
        changed["content"] = [choose((part, marked))]
    return changed
