"""The proxy's editing without HTTP: a body in, the body that would go upstream out, and the plan between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from policies.history.transcript import transcript
from policies.plan import Report
from policies.schema import Policy
from policies.summaries import Decision, Undecided
from proxy.context import Asked, ContextEngine, Edited
from proxy.errors import ContextTooLong
from proxy.keeping import every_original, originals
from proxy.policy_files import load_policies
from proxy.replay.reading_back import read_back
from proxy.retrieval.exchange import Exchange
from proxy.tokens import Counter
from proxy.upstream import Prices, Route
from proxy.wire.envelope import slice_body

PRICES = Prices(input=1.25, output=10, cache_read=0.125, cache_write=1.5625)


@dataclass(frozen=True)
class Seen:
    """One request as it came and as it went; `edited` is None where the brake answered."""

    sent: bytes
    edited: Edited | None

    @property
    def taken_in(self) -> bytes:
        """The request with the exchanges that were put back: what the plan's edits speak of."""
        assert self.edited is not None
        return self.edited.read.envelope.body

    @property
    def got(self) -> bytes:
        assert self.edited is not None
        return self.edited.body

    @property
    def report(self) -> Report:
        assert self.edited is not None
        return self.edited.plan.report

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages that went upstream."""
        found: list[dict[str, Any]] = json.loads(self.got)["messages"]
        return found

    def every_locator(self) -> set[str]:
        """The locators of all results and arguments of the request, taken out or not."""
        assert self.edited is not None
        every = every_original(self.edited.read.conversation, engine().locate("local"))
        return {original.locator for original in every}

    def kept(self) -> dict[str, str]:
        """The originals by locator."""
        assert self.edited is not None
        taken = originals(self.edited.plan.edits, self.edited.read.conversation)
        return {original.locator: original.text() for original in taken}


@cache
def counters() -> dict[str, Counter]:
    return {"o200k_base": Counter("o200k_base")}


@cache
def presets() -> dict[str, Policy]:
    """The built-in ones, and one that summarises."""
    known = load_policies()
    history = known["default"].history.model_copy(update={"then": "summarise"})
    return {**known, "brief": known["default"].model_copy(update={"history": history, "keep_last_turns": 4})}


def engine(policies: dict[str, Policy] | None = None) -> ContextEngine:
    """A fresh engine: nothing remembered."""
    return ContextEngine(policies or presets(), counters(), b"k" * 32)


def route(window: int | None, includes_output: bool = True) -> Route:
    return Route(
        name="m",
        sdk_model="openai/m",
        model="m",
        provider="openai",
        transport="relay",
        base_url="http://127.0.0.1:1/v1",
        api_key=None,
        window=window,
        window_includes_output=includes_output,
        prices=PRICES,
    )


def proxied(
    to: ContextEngine,
    sent: bytes,
    window: int | None,
    policy: str = "default",
    exchanges: Mapping[int, Exchange] = MappingProxyType({}),
) -> Seen:
    """Edit one body that has these exchanges, each by the message that it belongs to."""
    asked = to.carried_here(Asked(slice_body(sent), "local", route(window), policy), exchanges)
    decided: dict[str, Decision] = {}
    while True:
        try:
            return Seen(sent, to.edit_here(replace(asked, decided=decided.get)))
        except ContextTooLong:
            return Seen(sent, None)
        except Undecided as stop:
            decided[stop.segment.key] = _decision(to, asked, stop)


def _decision(to: ContextEngine, asked: Asked, stop: Undecided) -> Decision:
    """What was recorded of a segment: mostly a text of its own, now and then that it was dropped."""
    if stop.segment.key[-1] in "abcdefgh":
        return Decision(None)
    count, most = counters()["o200k_base"].count, stop.segment.tokens // 4
    text = transcript(to.read(asked).conversation, stop.changes, stop.segment.messages, most, count)
    return Decision(f"{stop.segment.previous[-200:]}\n{text[:2000]}")


def exchange_after(seen: Seen, policy: str) -> Exchange | None:
    """What a model leaves behind that read the newest original back before it answered; None if it could not."""
    if seen.edited is None or seen.edited.offer is None or not seen.kept():
        return None
    locator = list(seen.kept())[-1]
    back = read_back(
        seen.edited,
        {locator: frozenset()},
        route=route(seen.edited.decided.plan.report.forwarded + 4_000),
        policy=presets()[policy],
        count=counters()["o200k_base"].count,
        tenant="local",
        locate=engine().locate("local"),
    )
    return back.exchange if back else None


def dumped(body: dict[str, Any]) -> bytes:
    """A body as most clients write it."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
