"""The budget: how a model's window is shared out, and what history may hold of it.

All figures are tokens by the proxy's own counter. The window is the model's input limit; where it includes
the output, a share of it is held back for the answer while the fold decides (`reserve`), and the client's own
maximum counts only at the brake.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from policies.schema import Policy


@dataclass(frozen=True, slots=True)
class Budget:
    """A window and its shares. `reserve` is what checkpoints leave free for the answer."""

    window: int
    includes_output: bool
    system: int
    active: int
    history: int
    output: int
    lend_unused: bool
    token_factor: float = 1.0

    @property
    def reserve(self) -> int:
        """The whole output share, or nothing where the window excludes output."""
        return self.output if self.includes_output else 0

    @property
    def input_limit(self) -> int:
        """What the input may come to at a checkpoint."""
        return self.window - self.reserve

    def history_limit(self, system_used: int, active_used: int) -> int:
        """What history may hold beside what the other sections use; can be negative."""
        free = self.input_limit - system_used - active_used
        return free if self.lend_unused else min(free, self.history)

    def answer_room(self, max_output: int | None) -> int:
        """What the input may not enter: the client's own maximum output, capped at the output share."""
        if max_output is None or not self.includes_output:
            return 0
        return min(int(max_output / self.token_factor), self.output)

    def clamped(self, max_output: int | None, forwarded: int) -> int | None:
        """The client's maximum output lowered to what `forwarded` leaves; None where it fits as it is."""
        if max_output is None or not self.includes_output:
            return None
        left = int((self.window - forwarded) * self.token_factor)
        return max(1, left) if max_output > left else None

    def squeezed(self, eighths: int) -> Budget:
        """The same budget as if `eighths` of the window were taken, for what no section counts."""
        part = 1 - eighths / 8
        return replace(
            self,
            window=int(self.window * part),
            system=int(self.system * part),
            active=int(self.active * part),
            history=int(self.history * part),
            output=int(self.output * part),
        )


def budget_for(policy: Policy, window: int, includes_output: bool, token_factor: float = 1.0) -> Budget:
    """Share out `window`, given in the model's own tokens; `token_factor` of them make one counted token."""
    counted = int(window / token_factor)
    shares = policy.window_shares
    return Budget(
        window=counted,
        includes_output=includes_output,
        system=int(counted * shares.system_prompt),
        active=int(counted * shares.active_content),
        history=int(counted * shares.message_history),
        output=int(counted * shares.output_buffer),
        lend_unused=policy.lend_unused,
        token_factor=token_factor,
    )
