"""A pi message as OpenAI's: parts become content, calls and reasoning.

A tool message of OpenAI's holds no image, so the images of a result follow it as a user message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proxy.replay.messages import call
from proxy.replay.recorded import Message, Place, kind

_BROKEN_OFF = ("error", "aborted")


def converted(message: Any, place: Place) -> Iterator[Message]:
    """The messages that stand for one of pi's: one, none, or a result with its images."""
    if not isinstance(message, dict):
        raise place.fault(f"expected a message, found {kind(message)}")
    match message.get("role"):
        case "user" | "custom" | "hookMessage":
            yield told(message.get("content"), place)
        case "assistant":
            yield from _answer(message, place)
        case "toolResult":
            yield from _result(message, place)
        case "bashExecution":
            if not message.get("excludeFromContext"):
                yield {"role": "user", "content": _executed(message)}
        case "branchSummary":
            yield {"role": "user", "content": f"Summary of another branch of this session:\n{message.get('summary')}"}
        case "compactionSummary":
            return
        case role:
            raise place.fault(f"expected a message of role user, assistant or toolResult, found {role!r}")


def told(content: Any, place: Place) -> Message:
    """A user message with these parts."""
    if isinstance(content, str):
        return {"role": "user", "content": content}
    return {"role": "user", "content": [_shown(part, place) for part in _parts(content, place)]}


def _answer(message: Mapping[str, Any], place: Place) -> Iterator[Message]:
    if message.get("stopReason") in _BROKEN_OFF:
        return
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    for part in _parts(message.get("content"), place):
        match part:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "thinking", "thinking": str(thought)}:
                thoughts.append(thought)
            case {"type": "toolCall", "id": str(id_), "name": str(name)}:
                calls.append(call(id_, name, part.get("arguments", {})))
            case _:
                raise place.fault(f"expected a part of type text, thinking or toolCall, found {part.get('type')!r}")
    answer: Message = {"role": "assistant", "content": "".join(texts) or None}
    if reasoning := "\n\n".join(filter(None, thoughts)):
        answer["reasoning_content"] = reasoning
    if calls:
        answer["tool_calls"] = calls
    yield answer


def _result(message: Mapping[str, Any], place: Place) -> Iterator[Message]:
    id_ = message.get("toolCallId")
    if not isinstance(id_, str):
        raise place.fault(f"expected a toolCallId in a toolResult, found {kind(id_)}")
    parts = _parts(message.get("content"), place)
    shown = [_shown(part, place) for part in parts]
    texts = [part["text"] for part in shown if part["type"] == "text"]
    images = [part for part in shown if part["type"] == "image_url"]
    text = "\n".join(texts) or ("(an image follows)" if images else "")
    yield {"role": "tool", "tool_call_id": id_, "content": text}
    if images:
        yield {"role": "user", "content": [{"type": "text", "text": "The image of the tool's result:"}, *images]}


def _shown(part: Mapping[str, Any], place: Place) -> dict[str, Any]:
    match part:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text}
        case {"type": "image", "data": str(data), "mimeType": str(mime)}:
            return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{data}"}}
        case _:
            raise place.fault(f"expected a part of type text or image, found {part.get('type')!r}")


def _parts(content: Any, place: Place) -> Sequence[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise place.fault(f"expected content that is a string or a list of parts, found {kind(content)}")
    return content


def _executed(message: Mapping[str, Any]) -> str:
    """A command that the user ran by hand, and what it printed."""
    lines = [f"I ran a command: {message.get('command')}", str(message.get("output") or "(it printed nothing)")]
    if message.get("cancelled"):
        lines.append("(I cancelled it)")
    elif message.get("exitCode"):
        lines.append(f"(exit status {message['exitCode']})")
    return "\n".join(lines)
