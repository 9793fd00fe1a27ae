"""One stream out of several: what each event becomes on its way to the client, and what was said in it.

Later rounds go on under the first one's id, without a role of their own; the client's calls are numbered as if ours
were not there. The end of a round (finish reason, usage, `[DONE]`) waits once we have a part in the stream.
"""

from __future__ import annotations

from typing import Any

from proxy.retrieval.calls import StreamedCalls
from proxy.retrieval.dialogue import Dialogue
from proxy.retrieval.events import DONE, chunk_of, data_of, event_of
from proxy.retrieval.merging import merged
from proxy.retrieval.spoken import Spoken, spoken

_KEPT_OF_FIRST = ("id", "created")
_PUT_APART = frozenset({"role", "content"})


class Heard:
    """Hears the events of all rounds in order. `is_between`: the client may have to wait for reasons of ours."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._first: dict[str, Any] = {}
        self._begin()

    def _begin(self) -> None:
        self.has_failed = False
        self._fields: dict[str, Any] = {}
        self._text: list[str] = []
        self._calls = StreamedCalls(self._dialogue.tools)
        self._finish: str | None = None
        self._ended_already = False
        self._held: list[bytes] = []

    def next_round(self) -> None:
        """Hear the next round."""
        self._begin()

    @property
    def is_between(self) -> bool:
        """Whether a call of ours is being made or answered, or a further round is under way."""
        return self._dialogue.rounds > 0 or self._calls.ours

    def said(self) -> Spoken:
        """What the round has said so far. A call after the stream's own end counts as cut off."""
        message = {**self._fields, "tool_calls": [call.fields for call in self._calls.calls]}
        if self._text:
            message["content"] = "".join(self._text)
        finish = "length" if self._ended_already and self._calls.ours else self._finish
        return spoken(message, finish, self._dialogue.rounds, self._dialogue.tools)

    def told(self) -> dict[str, Any]:
        """The message as the client has it."""
        calls = [call.fields for call in self._calls.calls if not call.is_ours]
        text = "".join(self._text)
        return {"content": self._dialogue.text + (self._dialogue.separator + text if text else ""), "tool_calls": calls}

    def end(self) -> bytes:
        """What waited for the end of the last round."""
        return b"".join(self._held)

    def hear(self, event: bytes) -> bytes:
        """What the client gets of this event, and when: now, at the end, or never."""
        data = data_of(event)
        if data is None:
            return event
        if data == DONE:
            return self._now_or_at_the_end(event)
        chunk = chunk_of(data)
        if chunk is None:
            return event
        if chunk.get("error") is not None:
            self.has_failed = True
            return event
        return self._chunk(event, chunk)

    def _now_or_at_the_end(self, event: bytes) -> bytes:
        if not self.is_between:
            return event
        self._held.append(event)
        return b""

    def _chunk(self, event: bytes, chunk: dict[str, Any]) -> bytes:
        choices = chunk.get("choices")
        if not self._first:
            self._first = {name: chunk[name] for name in _KEPT_OF_FIRST if name in chunk}
        chunk = {**chunk, **{name: value for name, value in self._first.items() if name in chunk}}
        if not isinstance(choices, list) or not choices:
            return self._now_or_at_the_end(event_of(chunk) if self._dialogue.rounds else event)
        choice = choices[0]
        delta = choice.get("delta") if isinstance(choice, dict) else None
        if not isinstance(delta, dict) or choice.get("index", 0) != 0:
            return event
        shown, is_same = self._delta(delta)
        finish = choice.get("finish_reason")
        self._finish = finish or self._finish
        if is_same and not self.is_between and not self._calls.waits:
            self._ended_already |= finish is not None
            return event
        return self._split(chunk, choice, shown, finish)

    def _delta(self, delta: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """What the client sees of a delta, and whether that is the delta as it came."""
        shown = {name: value for name, value in delta.items() if name != "tool_calls"}
        self._fields = merged(self._fields, {name: value for name, value in shown.items() if name not in _PUT_APART})
        text = shown.get("content")
        if isinstance(text, str) and text:
            shown["content"] = text if self._text else self._dialogue.separator + text
            self._text.append(text)
        elif not isinstance(text, str):
            self._fields = merged(self._fields, {"content": text})
        if self._dialogue.rounds:
            shown.pop("role", None)
        items = delta.get("tool_calls")
        if not isinstance(items, list):
            return shown, True
        calls = list(self._calls.take(items))
        if calls:
            shown["tool_calls"] = calls
        return shown, _unnumbered(calls) == _unnumbered(items)

    def _split(self, chunk: dict[str, Any], choice: dict[str, Any], shown: dict[str, Any], finish: Any) -> bytes:
        """The visible part at once, the end of the round later."""
        if finish is not None:
            if late := list(self._calls.unnamed()):
                shown["tool_calls"] = [*shown.get("tool_calls", []), *late]
            closing = {**chunk, "choices": [{**choice, "delta": {}, "finish_reason": self._reason(finish)}]}
            self._held.append(event_of(closing))
            chunk = {name: value for name, value in chunk.items() if name != "usage"}
        if not any(value not in (None, "", []) for value in shown.values()):
            return b""
        return event_of({**chunk, "choices": [{**choice, "delta": shown, "finish_reason": None}]})

    def _reason(self, finish: Any) -> Any:
        """The reason as it is; only a round in which nothing but our calls was left out has not called a tool."""
        has_theirs = any(not call.is_ours for call in self._calls.calls)
        return "stop" if finish == "tool_calls" and not has_theirs else finish


def _unnumbered(items: list[Any]) -> list[Any]:
    return [
        {name: value for name, value in item.items() if name != "index"} if isinstance(item, dict) else item
        for item in items
    ]
