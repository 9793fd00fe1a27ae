"""A checkout of the invented project in memory: what an agent's file tools read, search and change.

Reads, searches and diffs are real, so a session written against it agrees with itself: an edit is seen by the
next read, and a search finds the lines that a read showed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from proxy.demo.session import Call


class Checkout:
    """Files by path; every method does what the tool does and gives the call to be written down."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._original = dict(files)
        self._files = dict(files)

    def read(self, path: str) -> Call:
        lines = self._files[path].splitlines()
        numbered = "\n".join(f"{number:>5}\t{line}" for number, line in enumerate(lines, start=1))
        return Call("read", {"path": path}, numbered)

    def grep(self, pattern: str, below: str = "") -> Call:
        wanted = re.compile(pattern)
        hits = [
            f"{path}:{number}:{line}"
            for path, text in sorted(self._files.items())
            if path.startswith(below)
            for number, line in enumerate(text.splitlines(), start=1)
            if wanted.search(line)
        ]
        return Call("grep", {"pattern": pattern, "path": below or "."}, "\n".join(hits) or "no match")

    def listing(self, below: str) -> Call:
        rows = [
            f"-rw-r--r-- 1 dev dev {len(text):>7} Mar 29 10:{len(path) % 60:02} {path}"
            for path, text in sorted(self._files.items())
            if path.startswith(below)
        ]
        return Call("shell", {"command": f"find {below} -type f -ls"}, "\n".join(rows))

    def edit(self, path: str, old: str, new: str) -> Call:
        text = self._files[path]
        if text.count(old) != 1:
            raise ValueError(f"{path} holds the text to replace {text.count(old)} times: {old[:60]!r}")
        self._files[path] = text.replace(old, new)
        line = text[: text.index(old)].count("\n") + 1
        result = f"{path}: replaced {old.count(chr(10)) + 1} lines at line {line} with {new.count(chr(10)) + 1}"
        return Call("edit", {"path": path, "old_text": old, "new_text": new}, result)

    def write(self, path: str, text: str) -> Call:
        self._files[path] = text
        return Call("write", {"path": path, "content": text}, f"{path}: {len(text.splitlines())} lines written")

    def diff(self) -> Call:
        """All changes since the start, as `git diff` shows them."""
        out: list[str] = []
        for path, text in sorted(self._files.items()):
            before = self._original.get(path, "")
            if text != before:
                pair = (before.splitlines(), text.splitlines())
                out += [
                    f"diff --git a/{path} b/{path}",
                    *difflib.unified_diff(*pair, f"a/{path}", f"b/{path}", lineterm=""),
                ]
        return Call("shell", {"command": "git diff"}, "\n".join(out))


def shell(command: str, output: str) -> Call:
    """A command whose output is given."""
    return Call("shell", {"command": command}, output)
