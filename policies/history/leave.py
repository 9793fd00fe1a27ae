"""How the oldest turns leave: dropped, or replaced by a summary of exactly the segment that was fixed for it.

One notice after the pinned user text, and one locator, stand for all that are gone.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable

from policies import markers
from policies.edits import Note
from policies.history.drop import droppable
from policies.history.facts import facts
from policies.scene import Scene
from policies.summaries import Segment, Undecided
from policies.view import View


def drop(scene: Scene, keep: int) -> int | None:
    """Drop the oldest turns down to the target, if history is still too large."""
    chosen = _excess_turns(scene, keep) if is_overfull(scene, keep) else ()
    if not set(chosen) - scene.view.gone:
        return None
    scene.summaries.segment = None  # what was fixed for a summary is among them
    return _take_out(scene, chosen, keep)


def summarise(scene: Scene, keep: int) -> int | None:
    """Let the fixed segment leave as it was decided; Undecided where it was not. One is fixed now if none was."""
    fix(scene, keep)
    segment = scene.summaries.segment
    if segment is None:
        return None
    decision = scene.terms.decided(segment.key)
    if decision is None:
        raise Undecided(segment, scene.view.messages, tuple(scene.view.changes.values()))
    scene.summaries.settle(segment, decision, scene.terms.count(decision.text or ""))
    return _take_out(scene, segment.turns, keep)


def unsay(scene: Scene, keep: int) -> int | None:
    """Take a summary's text out again, where it is itself too much: its turns then count as dropped."""
    if not scene.summaries.text:
        return None
    scene.summaries.forget()
    return _take_out(scene, (), keep)


def fix(scene: Scene, keep: int) -> None:
    """Fix the segment that the next summary is to stand for, if none is."""
    if scene.summaries.segment is not None:
        return
    view, terms, messages = scene.view, scene.terms, scene.conversation.messages
    turns = tuple(position for position in _excess_turns(scene, keep) if position not in view.gone)
    if not turns:
        return
    indices = tuple(view.gone_messages(messages, turns))
    how = terms.policy.summarise
    told = repr((how.model, how.prompt, how.max_tokens)).encode() + scene.summaries.text.encode()
    meaning = b"".join(messages[index].digest for index in indices)
    key = terms.locate("summary", hashlib.sha256(told).digest() + meaning)
    tokens = sum(view.weights[index] for index in indices)
    scene.summaries.segment = Segment(key, turns, indices, tokens, scene.summaries.text)


def limit(scene: Scene, keep: int) -> int:
    """What history may hold now, at least nothing."""
    view, terms = scene.view, scene.terms
    return max(0, terms.budget.history_limit(terms.fixed_tokens + view.system, view.active(keep)))


def is_overfull(scene: Scene, keep: int) -> bool:
    """Whether history is still so large that turns must leave."""
    return scene.view.history(keep) > scene.terms.policy.history.drop_above * limit(scene, keep)


def _excess_turns(scene: Scene, keep: int) -> list[int]:
    """The oldest turns that bring history down to its target."""
    view = scene.view
    excess = view.history(keep) - scene.terms.policy.history.target * limit(scene, keep)
    return _oldest(view, excess, view.keep_start(keep)) if excess > 0 else []


def _oldest(view: View, excess: float, boundary: int) -> list[int]:
    """The oldest turns before `boundary` that weigh `excess` together, or all that may leave."""
    enough = bisect_left(view.starts, excess, hi=boundary)
    for end in view.assistants:
        if enough <= end < boundary:
            chosen = droppable(view.turns, end, view.spared)
            if sum(view.weight(position) for position in chosen) >= excess:
                return chosen
            break
    return droppable(view.turns, boundary, view.spared)


def _take_out(scene: Scene, chosen: Iterable[int], keep: int) -> int:
    view, terms, messages = scene.view, scene.terms, scene.conversation.messages
    gone = view.gone.union(chosen)
    indices = list(view.gone_messages(messages, gone))
    locator = terms.locate("turns", b"".join(messages[i].digest for i in indices))
    text = _notice(scene, len(gone), indices, locator)
    following = next(t.start for p, t in enumerate(view.turns) if p not in gone and t.role != "system")
    insert = view.noted_at is None
    at = following if view.noted_at is None else view.noted_at
    view.drop(chosen, messages, locator, Note(at, text, terms.count(text), insert), scene.summaries.turns)
    scene.seen.repoint(view, keep)
    return view.offset(min(at, indices[0]))


def _notice(scene: Scene, turns: int, indices: list[int], locator: str) -> str:
    summaries, messages = scene.summaries, scene.conversation.messages
    tokens = sum(messages[i].tokens for i in indices)
    if not summaries.text:
        return markers.dropped(turns, tokens, locator)
    head = markers.summarised(turns, tokens, turns - len(summaries.turns), locator)
    own = list(scene.view.gone_messages(messages, summaries.turns))
    told = facts(scene.conversation, own, scene.terms)
    return "\n".join([head, summaries.text, *([markers.facts_follow(), told] if told else []), markers.summary_ends()])
