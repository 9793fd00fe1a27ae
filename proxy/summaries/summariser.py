"""One call of the summariser: a bounded request, and an answer that is taken only if it is a summary."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from proxy.errors import UpstreamError
from proxy.summaries.prompt import messages
from proxy.summaries.work import Work
from proxy.upstream import Route, Upstream, UpstreamCall, Usage
from proxy.upstream.providers import PROVIDERS

RESERVE_TOKENS = 200
"""What the frame of the call takes beside instructions and record."""
LEAST_RECORD_TOKENS = 500
"""With less room than this the summariser's window is no use."""
MOST_OF_SEGMENT = 0.5
"""A summary saves at least half of what it stands for."""

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FINISHED = frozenset({"stop", "end_turn", "eos", None})


class NoSummary(Exception):
    """There is none; `result` is how metrics name the reason."""

    def __init__(self, result: Literal["failed", "invalid"], why: str) -> None:
        super().__init__(why)
        self.result = result


@dataclass(frozen=True, slots=True)
class Summariser:
    """`on_usage(tenant, route, usage)` is told what each call was billed."""

    upstream: Upstream
    on_usage: Callable[[str, Route, Usage], None]

    async def write(self, work: Work) -> str:
        """The summary of a segment. Raises NoSummary where the provider gives none, or none that is one."""
        call = UpstreamCall(work.route, _body(work), {}, stream=False)
        try:
            async with self.upstream.open(call) as answer:
                body = b"".join([chunk async for chunk in answer.chunks()])
                if answer.usage is not None:
                    self.on_usage(work.tenant, work.route, answer.usage)
                if answer.status >= 300:
                    raise NoSummary("failed", f"the summariser answered {answer.status}")
        except UpstreamError as error:
            raise NoSummary("failed", str(error)) from error
        return _valid(_said(body), work)


def _body(work: Work) -> bytes:
    output = _max_output(work)
    told = messages(work.settings.prompt, output, work.previous, "")
    record = work.transcript(_room(work, output, sum(work.count(message["content"]) for message in told)))
    field = "max_completion_tokens" if work.route.base_url == PROVIDERS["openai"].base_url else "max_tokens"
    body = {
        "model": work.route.model,
        "messages": messages(work.settings.prompt, output, work.previous, record),
        field: output,  # OpenAI's own newer models refuse max_tokens; servers of one's own know nothing else
    }
    return json.dumps(body).encode()


def _max_output(work: Work) -> int:
    most = work.settings.max_tokens
    return most if work.route.max_output is None else min(most, work.route.max_output)


def _room(work: Work, output: int, frame: int) -> int:
    """What the record may take of the summariser's window, in counted tokens."""
    if work.route.window is None:
        return work.segment_tokens * 2
    factor = work.route.token_factor
    answer = output if work.route.window_includes_output else 0
    room = int((work.route.window - answer) / factor) - frame - RESERVE_TOKENS
    if room < min(LEAST_RECORD_TOKENS, work.segment_tokens):
        raise NoSummary("failed", f"the window of {work.route.name} leaves {room} tokens for the record")
    return room


def _said(body: bytes) -> dict[str, Any]:
    """The first choice of a completion."""
    try:
        completion = json.loads(body)
    except (ValueError, RecursionError):
        completion = None
    match completion:
        case {"choices": [{"message": dict()} as choice, *_]}:
            return dict(choice)
        case _:
            raise NoSummary("invalid", "the summariser's answer is no completion")


def _valid(choice: dict[str, Any], work: Work) -> str:
    finish, message = choice.get("finish_reason"), choice["message"]
    if message.get("tool_calls"):
        raise NoSummary("invalid", "the summariser called a tool")
    if finish not in _FINISHED:
        raise NoSummary("invalid", f"the summary ended with {str(finish)[:40]!r}")
    content = message.get("content")
    text = _THINKING.sub("", content).strip() if isinstance(content, str) else ""
    if not text:
        raise NoSummary("invalid", "the summary is empty")
    tokens = work.count(text)
    most = MOST_OF_SEGMENT * (work.segment_tokens + work.count(work.previous))
    if tokens > most:
        raise NoSummary("invalid", f"the summary has {tokens} tokens; at most {most:.0f} would save half")
    return text
