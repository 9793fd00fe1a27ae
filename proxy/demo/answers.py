"""An assistant message as a provider sends it: whole, or cut into stream chunks, and put together again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from proxy.demo.session import Message

_PIECE = 240  # characters per chunk: some tens of chunks for a long answer
_HEAD = {"id": "chatcmpl-demo", "created": 1790000000}


def completion(model: str, answer: Message, usage: Mapping[str, Any]) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    choice = {"index": 0, "message": answer, "logprobs": None, "finish_reason": _reason(answer)}
    return {**_HEAD, "object": "chat.completion", "model": model, "choices": [choice], "usage": dict(usage)}


def chunks(model: str, answer: Message, usage: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """The same as stream chunks; the usage chunk, the last one, only if `usage` is given."""
    frame = {**_HEAD, "object": "chat.completion.chunk", "model": model}
    for delta in _deltas(answer):
        yield {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": _reason(answer)}]}
    if usage is not None:
        yield {**frame, "choices": [], "usage": dict(usage)}


def assembled(events: Iterable[str]) -> tuple[Message, Mapping[str, Any] | None]:
    """The message and the usage that the `data:` texts of a stream add up to; ValueError on an error event."""
    message: Message = {"role": "assistant", "content": None}
    usage = None
    for event in events:
        if event == "[DONE]":
            break
        chunk = json.loads(event)
        if "error" in chunk:
            raise ValueError(f"the stream broke off: {chunk['error']}")
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            _add(message, choice["delta"])
    return message, usage


def _deltas(answer: Message) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if answer.get("content") is None else ""}
    for piece in _pieces(answer.get("content") or ""):
        yield {"content": piece}
    for index, call in enumerate(answer.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]}
        for piece in _pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _add(message: Message, delta: Mapping[str, Any]) -> None:
    if delta.get("content") is not None:
        message["content"] = (message["content"] or "") + delta["content"]
    for part in delta.get("tool_calls") or ():
        calls = message.setdefault("tool_calls", [])
        if part["index"] == len(calls):
            calls.append({"id": part["id"], "type": part["type"], "function": dict(part["function"])})
        else:
            calls[part["index"]]["function"]["arguments"] += part["function"]["arguments"]


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))


def _reason(answer: Message) -> str:
    return "tool_calls" if answer.get("tool_calls") else "stop"
