"""The model of a policy file: every key, its default, its bounds."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Share = Annotated[float, Field(ge=0, le=1)]
Tokens = Annotated[int, Field(ge=0)]


class Section(BaseModel):
    """Part of a policy file; a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WindowShares(Section):
    """How the window is shared out. The shares add up to 1."""

    system_prompt: Share = Field(0.05, description="System and developer messages, tool and response schemas.")
    active_content: Share = Field(0.50, description="Pinned user text and the latest turns.")
    message_history: Share = Field(0.25, description="Everything between.")
    output_buffer: Share = Field(0.20, description="The answer.")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = self.system_prompt + self.active_content + self.message_history + self.output_buffer
        if abs(total - 1) > 1e-6:
            raise ValueError(f"window_shares add up to {total:g}; they must add up to 1")
        return self


class Noise(Section):
    """Strip what carries nothing (colour codes, progress bars) when a result arrives."""

    enabled: bool = Field(True, description="Strip noise on arrival.")
    timestamps: bool = Field(False, description="Strip timestamps too.")


class Repeats(Section):
    """Point an exact repeat of a result back at its first copy."""

    enabled: bool = Field(True, description="Replace exact repeats on arrival.")
    loop_notice_after: Tokens = Field(0, description="Mark the newest result after this many equal calls; 0: never.")


class Spill(Section):
    """Keep large results outside the context, with a preview in their place."""

    enabled: bool = Field(True, description="Spill large results on arrival.")
    threshold_tokens: Tokens = Field(2000, description="Results over this are spilled.")
    source_threshold_tokens: Tokens = Field(20000, description="The same for source files.")
    min_tokens: Tokens = Field(500, description="Results under this are never touched on arrival.")
    preview_tokens: Tokens = Field(600, description="What a preview may take.")
    exclude_tools: tuple[str, ...] = Field((), description="Tools whose results are never spilled.")


class OnArrival(Section):
    """What may happen to a tool result when it is first seen, and never later."""

    noise: Noise = Noise()
    repeats: Repeats = Repeats()
    spill: Spill = Spill()


class ClearResults(Section):
    """Old tool results give way to a stub, in a batch."""

    enabled: bool = Field(True, description="Clear old tool results.")
    exclude_tools: tuple[str, ...] = Field((), description="Tools whose results are never cleared.")


class ClearArguments(Section):
    """Long arguments of old tool calls give way to a stub, in a batch."""

    enabled: bool = Field(True, description="Clear long arguments of old calls.")
    over_tokens: Tokens = Field(200, description="Arguments up to this stay.")


class StaleReads(Section):
    """Reads of a file that was edited or read again later are cleared, in a batch."""

    enabled: bool = Field(True, description="Clear stale reads.")


class Stubs(Section):
    """What a cleared result leaves behind beside its locator and size."""

    error_tokens: Tokens = Field(100, description="First error lines kept in a stub.")
    name_tokens: Tokens = Field(800, description="Names kept in a stub that would otherwise vanish.")


class CostRule(Section):
    """Edit early where that is cheaper with the provider's prompt cache counted."""

    enabled: bool = Field(True, description="Let a batch go ahead when it pays.")
    slack: Share = Field(0.05, description="How far the own bill may exceed the untouched one for it.")


class History(Section):
    """What happens to turns older than the keep window."""

    drop_above: Share = Field(0.75, description="Drop if history, once cleared, is above this part of its limit.")
    target: Share = Field(0.5, description="Drop down to this part of the limit.")
    clear_results: ClearResults = ClearResults()
    clear_arguments: ClearArguments = ClearArguments()
    stale_reads: StaleReads = StaleReads()
    stubs: Stubs = Stubs()
    cost_rule: CostRule = CostRule()
    then: Literal["drop", "summarise", "nothing"] = Field("drop", description="What becomes of the oldest turns.")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.target > self.drop_above:
            raise ValueError(f"history.target {self.target} exceeds drop_above {self.drop_above}; lower target")
        return self


class Summarise(Section):
    """How the oldest turns become a summary."""

    model: str | None = Field(None, description="The summariser's model name.")
    prompt: str | None = Field(None, description="Its instructions; null: the built-in ones.")
    max_tokens: int = Field(2000, gt=0, description="Its output limit.")
    timeout_seconds: float = Field(20, gt=0, description="How long a request waits for it at the most.")
    soft_trigger: Share = Field(0.8, description="Start at this part of the history's limit.")


class Retrieval(Section):
    """The tool by which the model reads back what was taken out."""

    enabled: bool = Field(True, description="Add the tool and answer its calls.")
    max_rounds: int = Field(5, gt=0, description="Rounds of calls answered within one request.")
    page_tokens: int = Field(2000, gt=0, description="What one answer may take.")


class Isolate(Section):
    """Sub-agents as sessions of their own."""

    on_request: bool = Field(True, description="Honour x-context-isolate.")


class Policy(Section):
    """One policy: what may be done to a conversation, and when."""

    mode: Literal["enforce", "observe", "off"] = Field(
        "enforce", description="enforce; observe: count and report, change nothing; off: forward only."
    )
    window_shares: WindowShares = WindowShares()
    lend_unused: bool = Field(True, description="History may use what the other sections leave.")
    keep_last_turns: int = Field(12, ge=2, description="Assistant turns kept whole; halved to 2 before the brake.")
    on_arrival: OnArrival = OnArrival()
    history: History = History()
    summarise: Summarise = Summarise()
    retrieval: Retrieval = Retrieval()
    isolate: Isolate = Isolate()
    on_system_over: Literal["report", "reject"] = Field("report", description="Fixed part over its share.")
    on_overflow: Literal["reject", "forward"] = Field("reject", description="Input over the window after editing.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.on_arrival.spill.enabled and not self.retrieval.enabled:
            raise ValueError("on_arrival.spill needs a way back for the model; switch retrieval.enabled on too")
        return self
