"""One batch: the steps that make room, in order, until the input fits.

Clear what is old; drop the oldest turns if that was not enough; keep fewer turns whole, halving down to two, and
do both again; at last shorten the largest results that remain. Each function answers the offset of the first
changed token, None where nothing changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from policies import markers
from policies.conversation import Conversation
from policies.edits import Note, Replace
from policies.history.candidates import Candidates
from policies.history.drop import droppable
from policies.history.shorten import shorten
from policies.scene import Scene
from policies.terms import Terms
from policies.view import View

FEWEST_TURNS = 2
SETTLED_SHARE = 0.75
"""Once the keep window had to shrink, it shrinks until this part of the input limit holds everything, so that the
next batch is some turns away and not one."""
SHORTEST = 60
"""No result is shortened below this many tokens: about two markers."""


def clear(scene: Scene, candidates: Candidates, keep: int) -> int | None:
    """Put everything in place that waits to be cleared."""
    offset = candidates.offset
    changes = candidates.taken()
    if not changes:
        return None
    scene.view.apply(changes)
    scene.seen.repoint(scene.view, keep)  # pointers stand behind what they point at, so the offset holds
    return offset


def make_room(scene: Scene, candidates: Candidates) -> int | None:
    """A batch that the window forces."""
    changed: list[int | None] = []
    for keep in keep_windows(scene.terms.policy.keep_last_turns):
        candidates.look(scene, scene.view.keep_start(keep))
        changed.append(clear(scene, candidates, keep))
        changed.append(_drop(scene, keep))
        if _settled(scene.view, scene.terms, keep):
            break
    else:
        changed.append(_shorten(scene))
    return min((offset for offset in changed if offset is not None), default=None)


def keep_windows(keep: int) -> Iterator[int]:
    """`keep` halved again and again, down to two turns."""
    while keep > FEWEST_TURNS:
        yield keep
        keep //= 2
    yield FEWEST_TURNS


def _settled(view: View, terms: Terms, keep: int) -> bool:
    total = terms.fixed_tokens + view.total
    if FEWEST_TURNS < keep < terms.policy.keep_last_turns:
        return total <= SETTLED_SHARE * terms.budget.input_limit
    return total <= terms.budget.input_limit


def _drop(scene: Scene, keep: int) -> int | None:
    """Drop the oldest turns if history is still too large once cleared."""
    view, terms, messages = scene.view, scene.terms, scene.conversation.messages
    rule = terms.policy.history
    limit = max(0, terms.budget.history_limit(terms.fixed_tokens + view.system, view.active(keep)))
    history = view.history(keep)
    if rule.then == "nothing" or history <= rule.drop_above * limit:
        return None
    chosen = _oldest(view, history - rule.target * limit, view.keep_start(keep))
    if not set(chosen) - view.gone:
        return None
    gone = view.gone.union(chosen)
    indices = list(view.gone_messages(messages, gone))
    locator = terms.locate("turns", b"".join(messages[i].digest for i in indices))
    text = markers.dropped(len(gone), sum(messages[i].tokens for i in indices), locator)
    following = next(t.start for p, t in enumerate(view.turns) if p not in gone and t.role != "system")
    insert = view.noted_at is None
    at = following if view.noted_at is None else view.noted_at
    view.drop(chosen, messages, locator, Note(at, text, terms.count(text), insert))
    scene.seen.repoint(view, keep)
    return view.offset(min(at, indices[0]))


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


def _shorten(scene: Scene) -> int | None:
    """Shorten the largest results, oldest first, until the input fits."""
    view, conversation, terms = scene.view, scene.conversation, scene.terms
    results = list(_results(view, conversation))
    excess = terms.fixed_tokens + view.total - terms.budget.input_limit
    cap = _cap([size for _, _, size in results], excess)
    first: int | None = None
    for index, part, size in results:
        if terms.fixed_tokens + view.total <= terms.budget.input_limit:
            break
        if size <= cap:
            continue
        text = conversation.text(index, part)
        locator = terms.locate("result", text.encode())
        shorter = shorten(text, cap, locator, terms)
        after = terms.count(shorter)
        if after < size:
            before = conversation.messages[index].parts[part]
            view.apply([Replace(index, part, shorter, locator, before, after, "shorten")])
            first = view.offset(index) if first is None else first
    return first


def _results(view: View, conversation: Conversation) -> Iterator[tuple[int, int, int]]:
    """Message, part and present size of every result that is still there, oldest first."""
    for index, message in enumerate(conversation.messages[: view.messages]):
        if message.role == "tool" and view.weights[index]:
            for part, tokens in enumerate(message.parts):
                yield index, part, view.standing((index, False, part), tokens)


def _cap(sizes: list[int], excess: int) -> int:
    """The size to which all larger ones must come down to save `excess`, at least `SHORTEST`."""
    sizes = sorted(sizes, reverse=True)
    above = 0
    for count, size in enumerate(sizes, start=1):
        above += size
        following = sizes[count] if count < len(sizes) else 0
        if above - count * following >= excess:
            return max(SHORTEST, (above - excess) // count)
    return SHORTEST
