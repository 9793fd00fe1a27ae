"""What a step works on: the conversation and its terms, the view that it changes, and what the fold remembers."""

from __future__ import annotations

from dataclasses import dataclass

from policies.arrival.seen import Seen
from policies.conversation import Conversation
from policies.history.told import Told
from policies.summaries import Summaries
from policies.terms import Terms
from policies.view import View


@dataclass(frozen=True, slots=True)
class Scene:
    """One place in a walk. `seen`, `told` and `summaries` change with the view, each by its own rules."""

    view: View
    seen: Seen
    told: Told
    summaries: Summaries
    conversation: Conversation
    terms: Terms


@dataclass(frozen=True, slots=True)
class Text:
    """A text that a step may replace: part or call `part` of message `index`, `tokens` long as it stands now."""

    index: int
    part: int
    tokens: int
    text: str
