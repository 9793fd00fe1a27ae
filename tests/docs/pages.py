"""Reading the pages: where they are, their code blocks, their links, the words of code on them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"(?:<!-- (\w+) -->\n)?^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACE = re.compile(r"`((?:policies|proxy|tests|docs|benchmarks|deploy|\.ci)/[\w./-]*)`")


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def fences(language: str, mark: str | None = None) -> list[Any]:
    """The code blocks of all pages in one language, and behind one `<!-- mark -->` if that is given."""
    return [
        pytest.param(text, id=f"{name_of(path)}-{number}")
        for path in PAGES
        for number, (told, of, text) in enumerate(FENCE.findall(path.read_text(encoding="utf-8")))
        if of == language and mark in (None, told)
    ]


def missing(names: set[str], name: str) -> list[str]:
    """Those that do not stand on the page as a word of code."""
    assert names, "nothing was found to look for"
    words = set(re.findall(r"[\w.{}/:-]+", " ".join(re.findall(r"`([^`\n]+)`", page(name)))))
    return sorted(names - words)
