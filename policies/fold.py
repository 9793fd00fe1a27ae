"""The fold: walks a history in order and decides, at each checkpoint, what leaves.

Before every assistant turn (where an earlier request was made), and once at the end, stands a checkpoint. It sees
only what lay before it, so the next request of the same agent, with a longer history, repeats every decision
and lands on the same bytes, without a record and on any replica.

A `Fold` holds names but no text, and is cheap to copy: keep one per prefix and a request costs the work of its new
turns.
"""

from __future__ import annotations

from typing import Literal, Self

from policies import batch
from policies.arrival.loops import Loops
from policies.arrival.seen import Seen
from policies.arrival.steps import arrived
from policies.conversation import Conversation
from policies.cost import Account
from policies.history import leave
from policies.history.candidates import Candidates
from policies.history.stale_reads import Files
from policies.history.told import Told
from policies.scene import Scene
from policies.summaries import Summaries
from policies.terms import Terms
from policies.view import View

Reason = Literal["window", "cost"]


class Fold:
    """The state of a walk: the view, the account, what could be cleared, and what was seen, read and told."""

    __slots__ = ("account", "batches", "candidates", "checked", "files", "loops", "seen", "summaries", "told", "view")

    def __init__(self) -> None:
        self.view = View()
        self.account = Account()
        self.candidates = Candidates()
        self.seen = Seen()
        self.files = Files()
        self.loops = Loops()
        self.told = Told()
        self.summaries = Summaries()
        self.batches: tuple[Reason, ...] = ()
        self.checked = False  # whether the checkpoint at the present end was held

    def copy(self) -> Self:
        """A fold that can go on apart from this one."""
        twin = object.__new__(type(self))
        twin.view = self.view.copy()
        twin.account = self.account
        twin.candidates = self.candidates.copy()
        twin.seen, twin.files, twin.told = self.seen.copy(), self.files.copy(), self.told.copy()
        twin.loops, twin.summaries = self.loops.copy(), self.summaries.copy()
        twin.batches = self.batches
        twin.checked = self.checked
        return twin

    def take(self, conversation: Conversation, terms: Terms) -> None:
        """Walk over the messages that were not taken in yet."""
        for message in conversation.messages[self.view.messages :]:
            if message.role == "assistant":
                self.checkpoint(conversation, terms)
            self._take_next(conversation, terms)
            self.checked = False

    def _scene(self, conversation: Conversation, terms: Terms) -> Scene:
        return Scene(self.view, self.seen, self.told, self.summaries, conversation, terms)

    def _take_next(self, conversation: Conversation, terms: Terms) -> None:
        index = self.view.messages
        message = conversation.messages[index]
        self.view.append(message)
        rules = terms.policy.history
        if message.role == "assistant" and rules.stale_reads.enabled:
            self.files.called(conversation, index)
        if message.role == "tool" and self.view.turns:
            tool = self._tool_of(conversation, index)
            for change in arrived(self._scene(conversation, terms), index, tool):
                self.view.arrive(change)
        if self.view.turns:
            said = self.loops.take(conversation, self.view.turns[-1], index, terms)
            if said is not None:
                self.view.notice(said)
        if rules.stubs.name_tokens:
            self.told.hear(self.view, conversation, index, rules.clear_arguments.over_tokens)

    def _tool_of(self, conversation: Conversation, index: int) -> str:
        """The name of the tool whose result the newest message is; empty where no call asked for it."""
        turn, call_id = self.view.turns[-1], conversation.messages[index].result_of
        earlier = (conversation.messages[i] for i in range(index - 1, turn.start - 1, -1))
        return next((call.name for message in earlier for call in message.calls if call.id == call_id), "")

    def checkpoint(self, conversation: Conversation, terms: Terms) -> None:
        """Decide, as for a request made here. Holding it twice at one place changes nothing."""
        if self.checked:
            return
        self.checked = True
        view, candidates = self.view, self.candidates
        scene = self._scene(conversation, terms)
        candidates.look(scene, view.keep_start(terms.policy.keep_last_turns))
        if self.files.stale and view.turns:
            candidates.look_at_stale(scene, self.files.take_stale(view.turns[-1].start))
        untouched = terms.fixed_tokens + view.received
        self.account = self.account.requested(untouched, terms.fixed_tokens + view.total, terms.prices)
        gain = candidates.gain - self.seen.owed(view, terms.policy.keep_last_turns, candidates.waiting)
        self.account = self.account.holding(gain, terms.prices)
        reason = self._due(terms, gain)
        if reason is not None:
            self._edit(reason, scene)
        if terms.policy.history.then == "summarise":
            self._look_ahead(scene)

    def _due(self, terms: Terms, gain: int) -> Reason | None:
        view, keep = self.view, terms.policy.keep_last_turns
        system = terms.fixed_tokens + view.system
        if view.history(keep) > terms.budget.history_limit(system, view.active(keep)):
            return "window"
        rule = terms.policy.history.cost_rule
        behind = view.total - self.candidates.offset - gain
        if rule.enabled and self.account.pays(gain, behind, rule.slack, terms.prices):
            return "cost"
        return None

    @staticmethod
    def _look_ahead(scene: Scene) -> None:
        """Fix what the next summary is to stand for once history nears its limit, so that it can be written in time."""
        keep = scene.terms.policy.keep_last_turns
        if scene.view.history(keep) > scene.terms.policy.summarise.soft_trigger * leave.limit(scene, keep):
            leave.fix(scene, keep)

    def _edit(self, reason: Reason, scene: Scene) -> None:
        """One batch; a cost-driven one clears only, for nothing forces a turn to leave."""
        terms, before = scene.terms, self.summaries.price
        if reason == "cost":
            first_changed = batch.clear(scene, self.candidates, terms.policy.keep_last_turns)
        else:
            first_changed = batch.make_room(scene, self.candidates)
        if first_changed is None:
            return
        self.batches += (reason,)
        self.account = self.account.spent(self.summaries.price - before)
        sent, unchanged = terms.fixed_tokens + self.view.total, terms.fixed_tokens + first_changed
        self.account = self.account.rewritten(sent, unchanged, terms.prices)
