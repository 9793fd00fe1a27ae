"""Small recorded sessions of our own, in each format that `proxy.replay` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def write(folder: Path, value: Any, name: str = "session.dat") -> Path:
    """The value as a file of one JSON document; the name says nothing of the format."""
    path = folder / name
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def write_lines(folder: Path, *values: Any, name: str = "session.dat") -> Path:
    """The values as JSON Lines."""
    path = folder / name
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def system(text: str = "You look after the ferry's bookings.") -> Json:
    return {"role": "system", "content": text}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def says(text: str, **more: Any) -> Json:
    return {"role": "assistant", "content": text, **more}


def calls(*ids: str, name: str = "lookup", arguments: str = '{"booking": "QF-3"}', **more: Any) -> Json:
    made = [{"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": made, **more}


def result(id_: str, text: str = "deck 2, cabin 14") -> Json:
    return {"role": "tool", "tool_call_id": id_, "content": text}


def chat() -> list[Json]:
    """Three answers, one of them a call."""
    return [
        system(),
        user("Where is QF-3?"),
        calls("c1"),
        result("c1"),
        says("On deck 2."),
        user("Thanks"),
        says("Safe travels."),
    ]


def run(*messages: Json, task: int = 7, **more: Any) -> Json:
    """A tau-bench run with these messages."""
    return {"task_id": task, "reward": 1.0, "info": {"source": "user"}, "traj": list(messages), **more}


def trajectory(*history: Json, **more: Any) -> Json:
    """A SWE-agent trajectory with this history."""
    step = {"action": "ls", "observation": "a.py", "thought": "look", "state": {}}
    return {"environment": "main", "trajectory": [step], "history": list(history), "info": {}, **more}


def typed_action(text: str) -> Json:
    """An answer of an older SWE-agent: the command stands in the text."""
    command = f"```\n{text}\n```"
    content = f"Now {text}.\n{command}"
    return {"role": "assistant", "content": content, "thought": f"Now {text}.", "action": text, "agent": "primary"}


def called_action(*ids: str, **more: Any) -> Json:
    """An answer of a newer SWE-agent: a call beside the agent's own notes."""
    return {**calls(*ids, name="bash", arguments='{"command": "ls"}'), "content": "Look around.", "action": "ls",
            "agent": "main", "message_type": "action", **more}  # fmt: skip


def observation(*ids: str, text: str = "a.py") -> Json:
    """The result of a newer SWE-agent: it names its calls in a list."""
    return {"role": "tool", "content": text, "agent": "main", "message_type": "observation", "tool_call_ids": list(ids)}


def pi_header(**more: Any) -> Json:
    return {"type": "session", "id": "5b0c", "timestamp": "2026-02-01T08:00:00.000Z", "cwd": "/srv/ferry", **more}


def pi_entry(message: Json, **more: Any) -> Json:
    return {"type": "message", "timestamp": "2026-02-01T08:00:01.000Z", "message": message, **more}


def pi_user(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1}


def pi_answer(*parts: Json, stop: str = "stop") -> Json:
    return {"role": "assistant", "content": list(parts), "provider": "p", "model": "m", "usage": {}, "stopReason": stop}


def pi_text(text: str) -> Json:
    return {"type": "text", "text": text}


def pi_thinking(text: str) -> Json:
    return {"type": "thinking", "thinking": text, "thinkingSignature": "s"}


def pi_call(id_: str, **arguments: Any) -> Json:
    return {"type": "toolCall", "id": id_, "name": "read", "arguments": arguments}


def pi_result(id_: str, *parts: Json) -> Json:
    return {
        "role": "toolResult",
        "toolCallId": id_,
        "toolName": "read",
        "content": list(parts),
        "isError": False,
        "timestamp": 2,
    }


def pi_image() -> Json:
    return {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
