"""Tool definitions, written short: each parameter as `type, what it is`, with `?` where it may be left out."""

from __future__ import annotations

from typing import Any


def tool(name: str, about: str, /, **parameters: str) -> dict[str, Any]:
    """A definition in OpenAI's shape: `tool("read", "Read a file.", path="string, the file", limit="integer?")`."""
    told = {key: text.partition(", ")[::2] for key, text in parameters.items()}
    properties = {
        key: {"type": "array", "items": {"type": "string"}, "description": text}
        if kind.startswith("array")
        else {"type": kind.rstrip("?"), "description": text}
        for key, (kind, text) in told.items()
    }
    required = [key for key, (kind, _) in told.items() if not kind.endswith("?")]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


def coding_tools() -> list[dict[str, Any]]:
    """Four tools, as the pi coding agent has them."""
    line = "integer?, line to start at, counted from 1"
    return [
        tool(
            "read",
            "Read a text file. Output ends after 2,000 lines or 50 kB; use offset and limit for long files.",
            path="string, path of the file, relative or absolute",
            offset=line,
            limit="integer?, most lines to read",
        ),
        tool(
            "bash",
            "Run a command in the working folder; returns what it printed, standard error included.",
            command="string, the command",
            timeout="integer?, seconds; none by default",
        ),
        tool(
            "edit",
            "Replace text in a file. The old text must match exactly, white space included, and stand there once.",
            path="string, path of the file",
            oldText="string, text to find",
            newText="string, text to put in its place",
        ),
        tool(
            "write",
            "Write a file, made new or overwritten; makes the folders above it.",
            path="string, path of the file",
            content="string, all of its text",
        ),
    ]


def window_tools() -> list[dict[str, Any]]:
    """Tools of an agent that sees files through a window of 100 lines."""
    file, number = "string, path of the file", "integer, line number, counted from 1"
    return [
        tool("open", "Open a file, its window around a line.", path=file, line="integer?, middle of the window"),
        tool("goto", "Move the window to a line.", line=number),
        tool("scroll_down", "Move the window 100 lines down."),
        tool("find_file", "Find files by name.", name="string, name or pattern", folder="string?, where to look"),
        tool("search_dir", "Find a text in all files.", term="string, what to find", folder="string?, where to look"),
        tool("search_file", "Find a text in the open file.", term="string, what to find"),
        tool("create", "Make a file with this text and open it.", path=file, text="string, all of its text"),
        tool(
            "edit",
            "Put text in the place of the lines from start to end of the open file, both included.",
            start=number,
            end=number,
            replacement="string, the new lines",
        ),
        tool("bash", "Run a command that ends by itself.", command="string, the command"),
        tool("submit", "Hand in the working folder as it is."),
    ]
