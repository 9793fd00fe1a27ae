"""Folders and files that nobody wrote: dependencies, caches, build outputs, and what the root's .gitignore names.

Of a .gitignore only plain names and paths are read, without wildcards: what these leave in is shown, and never too
much left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

FOLDERS = frozenset(
    {
        "__pycache__", "bower_components", "build", "dist", "node_modules", "obj", "out", "site-packages", "target",
        "vendor", "venv",
    }
)  # fmt: skip
"""Names of folders that are not looked into, beside those that begin with a dot."""
TOKENS = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
"""Files that say of their folder what it is, whatever its name."""
_WILD = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class PassedOver:
    """What a root's .gitignore adds: names anywhere, paths from the root; with a slash at the end folders only."""

    names: frozenset[str] = field(default_factory=frozenset)
    paths: frozenset[str] = field(default_factory=frozenset)

    def has(self, path: str, name: str, *, is_folder: bool) -> bool:
        """Whether the file or folder at this path is left out."""
        if name.startswith(".") or (is_folder and name in FOLDERS):
            return True
        if name in self.names or path in self.paths:
            return True
        return is_folder and (name + "/" in self.names or path + "/" in self.paths)


def passed_over(gitignore: str) -> PassedOver:
    """What a .gitignore names plainly. A name that one of its lines takes back stays in."""
    lines = [line.strip() for line in gitignore.splitlines()]
    back = {line[1:].rstrip("/").rpartition("/")[2] for line in lines if line.startswith("!")}
    names: set[str] = set()
    paths: set[str] = set()
    for line in lines:
        bare = line.removeprefix("**/")
        inner = bare.rstrip("/").rpartition("/")[2]
        if not inner or line.startswith(("#", "!")) or _WILD.search(bare) or inner in back:
            continue
        if "/" in bare.rstrip("/"):
            paths.add(bare.removeprefix("/"))
        else:
            names.add(bare)
    return PassedOver(frozenset(names), frozenset(paths))
