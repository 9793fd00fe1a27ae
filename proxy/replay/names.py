"""Names in stubs, taken away again: what would be in context if stubs held no list of names.

A name in a stub shows that a thing exists, not what was said of it; so evidence is reported with and without.
"""

from __future__ import annotations


def without_names(text: str) -> str:
    """`text` without the lines of names that stubs hold. Stubs are plain so far (`policies.markers`): none to take."""
    return text
