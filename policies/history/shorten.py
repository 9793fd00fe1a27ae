"""Shortening: the last resort before the brake. Large results that must stay lose the lines that tell least.

Only whole lines leave, and each gap says which lines they were. What tells most is what a preview would show
(`policies/reducers`); here the limit is hard, so even of those lines only the first ones may fit.
"""

from __future__ import annotations

from itertools import chain

from policies import markers
from policies.reducers import recognise
from policies.reducers.layout import Kept, Layout
from policies.reducers.preview import readable
from policies.terms import Terms

NOTHING: Kept = frozenset()


def shorten(text: str, limit: int, locator: str, terms: Terms) -> str:
    """`text` in at most `limit` tokens: the most telling lines, gaps marked; possibly one gap, whatever it weighs."""
    seen = readable(text)
    ranking = recognise(seen).rank(seen, terms.outline)

    def gap(first: int, last: int) -> str:
        return markers.left_out(first, last, locator)

    layout = Layout(text.split("\n"), terms.count(text), gap, terms.count)
    kept = layout.fitted(NOTHING, chain(ranking.must, ranking.then), limit, lambda kept: terms.count(layout.text(kept)))
    return layout.text(kept)
