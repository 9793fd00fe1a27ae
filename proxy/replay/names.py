"""Names in stubs, taken away again: what would be in context if stubs held no list of names.

A name in a stub shows that a thing exists, not what was said of it; so evidence is reported with and without.
"""

from __future__ import annotations

import re

from policies import markers

_LEAD = re.escape(markers.listed([""]))
_LIST = re.compile(rf"(?:^\[|; ){_LEAD}[^\]\n]*\]", re.MULTILINE)


def without_names(text: str) -> str:
    """`text` without the names that stubs list: at the end of a result's, or of the marker of a cleared argument."""
    return _LIST.sub("]", text)
