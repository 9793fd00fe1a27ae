"""Noise: what a terminal draws and nobody reads. Colour codes, and progress that was drawn over.

A line that was overwritten with carriage returns keeps its last state, as a terminal would show it. One line at
the end says that something was left out, and where the original is.
"""

from __future__ import annotations

import re

from policies import markers

_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_TIMESTAMP = re.compile(
    r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]+(?=\S)", re.MULTILINE
)
MIN_SHARE = 0.05
"""Below this share of the text, the mark would take up what stripping gains."""


def without_noise(text: str, timestamps: bool, locator: str) -> str:
    """The text without noise and with a mark at its end; the same object where there is little to strip."""
    clean = _CODES.sub("", text)
    if "\r" in clean:
        clean = "\n".join(_last_state(line) for line in clean.split("\n"))
    if timestamps:
        clean = _TIMESTAMP.sub("", clean)
    if len(text) - len(clean) < MIN_SHARE * len(text):
        return text
    return f"{clean}\n{markers.stripped(locator)}"


def _last_state(line: str) -> str:
    """What a terminal shows of a line once it is drawn."""
    states = [state for state in line.split("\r") if state]
    return states[-1] if states else ""
