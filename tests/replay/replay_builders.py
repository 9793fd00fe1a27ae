"""Sessions, terms and rows for tests of replays."""

from __future__ import annotations

from typing import Any

from policies.schema import Policy
from policies.terms import CachePrices
from proxy.policy_files import load_policies
from proxy.replay import Recorded
from proxy.replay.prompt import Sent
from proxy.replay.recall import Recall
from proxy.replay.rows import Played, Replayed, Row
from proxy.replay.setup import PRICES, Setup, plain_route
from tests.replay.samples import calls, result, says, system, user


def setup(policy: str = "default", window: int = 272_000, prices: CachePrices = PRICES, **own: Policy) -> Setup:
    """Terms; own policies by keyword."""
    return Setup(policy, {**load_policies(), **own}, plain_route(window), prices)


def session(turns: int = 40, lines: int = 60, name: str = "s", closing: str = "Done.") -> Recorded:
    """So many calls with results of about 15 tokens a line, then words."""
    messages = [system(), user("Look through the yard.")]
    for turn in range(turns):
        text = "\n".join(f"crane_{turn}_{line} moves box {1000 + turn * 100 + line} slowly" for line in range(lines))
        messages += [calls(f"c{turn}", name="look", arguments=f'{{"bay": {turn}}}'), result(f"c{turn}", text)]
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    return Recorded(name, [*messages, says(closing)], tools, "openai-chat")


def row(untouched: int, forwarded: int | None, **more: Any) -> Row:
    """One request with nothing cached; `cached=(a, b)` for both sides."""
    cached = more.pop("cached", (0, 0))
    went = None if forwarded is None else Sent(forwarded, cached[1], more.pop("broke", False))
    return Row(Sent(untouched, cached[0]), went, more.pop("output", 0), more.pop("over_window", False), **more)


def played(*rows: Row, prices: CachePrices = PRICES, restart: bool | None = True) -> Played:
    return Played(prices, rows, restart)


def replayed(*rows: Row, name: str = "s", mends: tuple[str, ...] = ()) -> Replayed:
    """A session that came out alike under every regime."""
    regimes = setup().regimes
    return Replayed(name, "openai-chat", mends, tuple(played(*rows, prices=prices) for prices in regimes))


def recall(used: int, in_context: int) -> Recall:
    return Recall(used, in_context, used, in_context)
