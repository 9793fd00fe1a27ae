"""The fold: walks a history in order and decides, at each checkpoint, what leaves.

Before every assistant turn (where an earlier request was made), and once at the end, stands a checkpoint. It sees
only what lay before it, so the next request of the same agent, with a longer history, repeats every decision
and lands on the same bytes, without a record and on any replica.

A `Fold` holds no text and is cheap to copy: keep one per prefix and a request costs the work of its new turns.
"""

from __future__ import annotations

from typing import Literal, Self

from policies import batch
from policies.conversation import Conversation
from policies.cost import Account
from policies.history.candidates import Candidates
from policies.terms import Terms
from policies.view import View

Reason = Literal["window", "cost"]


class Fold:
    """The state of a walk: the view, the account, and what could be cleared at the next batch."""

    __slots__ = ("account", "batches", "candidates", "checked", "view")

    def __init__(self) -> None:
        self.view = View()
        self.account = Account()
        self.candidates = Candidates()
        self.batches: tuple[Reason, ...] = ()
        self.checked = False  # whether the checkpoint at the present end was held

    def copy(self) -> Self:
        """A fold that can go on apart from this one."""
        twin = object.__new__(type(self))
        twin.view = self.view.copy()
        twin.account = self.account
        twin.candidates = self.candidates.copy()
        twin.batches = self.batches
        twin.checked = self.checked
        return twin

    def take(self, conversation: Conversation, terms: Terms) -> None:
        """Walk over the messages that were not taken in yet."""
        for message in conversation.messages[self.view.messages :]:
            if message.role == "assistant":
                self.checkpoint(conversation, terms)
            self.view.append(message)
            self.checked = False

    def checkpoint(self, conversation: Conversation, terms: Terms) -> None:
        """Decide, as for a request made here. Holding it twice at one place changes nothing."""
        if self.checked:
            return
        self.checked = True
        keep = terms.policy.keep_last_turns
        self.candidates.look(self.view, conversation, terms, self.view.keep_start(keep))
        untouched = terms.fixed_tokens + self.view.received
        self.account = self.account.requested(untouched, terms.fixed_tokens + self.view.total, terms.prices)
        self.account = self.account.holding(self.candidates.gain, terms.prices)
        reason = self._due(terms)
        if reason is not None:
            self._edit(reason, conversation, terms)

    def _due(self, terms: Terms) -> Reason | None:
        view, keep = self.view, terms.policy.keep_last_turns
        system = terms.fixed_tokens + view.system
        if view.history(keep) > terms.budget.history_limit(system, view.active(keep)):
            return "window"
        rule = terms.policy.history.cost_rule
        behind = view.total - self.candidates.offset - self.candidates.gain
        if rule.enabled and self.account.pays(self.candidates.gain, behind, rule.slack, terms.prices):
            return "cost"
        return None

    def _edit(self, reason: Reason, conversation: Conversation, terms: Terms) -> None:
        """One batch; a cost-driven one clears only, for nothing forces a turn to leave."""
        if reason == "cost":
            first_changed = batch.clear(self.view, self.candidates)
        else:
            first_changed = batch.make_room(self.view, self.candidates, conversation, terms)
        if first_changed is None:
            return
        self.batches += (reason,)
        sent, unchanged = terms.fixed_tokens + self.view.total, terms.fixed_tokens + first_changed
        self.account = self.account.rewritten(sent, unchanged, terms.prices)
