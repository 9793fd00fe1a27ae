"""Numbers and lines as people read them in every table of an audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from policies.audit import Finding, Place
from proxy.audit.audited import Terms
from proxy.audit.money import LEAST_CACHED

NAME = 52
MOST_FINDINGS = 15
MOST_PLACES = 4
_MOST_QUOTED = 90


def dollars(amount: float | None) -> str:
    """A day's dollars, to the cent."""
    return "unknown" if amount is None else f"{'-' if round(amount, 2) < 0 else ''}${abs(amount):,.2f}"


def dollars_a_call(amount: float | None) -> str:
    """A call's, to the millionth."""
    return "unknown" if amount is None else f"${amount:.6f}"


def percent(share: float | None) -> str:
    """One digit behind the point."""
    return "unknown" if share is None else f"{share:.1%}"


def cells(name: str, *values: str, width: int = 11) -> str:
    """A name, and its values to the right of it."""
    short = name if len(name) <= NAME else name[: NAME - 4].rstrip() + " ..."
    return (short.ljust(NAME) + "".join(value.rjust(width) for value in values)).rstrip()


def model_line(terms: Terms) -> str:
    """For which model the figures are."""
    route = terms.route
    if not terms.named:
        return f"no model named (--model): tokens by {route.encoding}, no window and no prices"
    window = f"window {route.window:,}" if route.window else "window unknown"
    prices = route.prices
    if prices.input is None:
        told = "prices unknown (state them in a configuration: models[].prices)"
    elif prices.cache_read is None:
        told = f"${prices.input:g} per million input tokens, no price known for its cache"
    else:
        write = prices.cache_write or prices.input
        told = (
            f"${prices.input:g} per million input tokens, cache ${write:g} to write and ${prices.cache_read:g} to read"
        )
    factor = f", token factor {route.token_factor:g}" if route.token_factor != 1 else ""
    return f"model {route.sdk_model}: {window}, {told}{factor}"


def too_short(name: str) -> str:
    """The warning that a price from the cache needs more than this prompt."""
    return f"  note: {name} is under {LEAST_CACHED:,} tokens; alone, most providers do not cache it"


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Findings, the largest first, as far as a screen holds them."""
    for finding in findings[:MOST_FINDINGS]:
        quote = " ".join(finding.quote.split())
        shown = quote if len(quote) <= _MOST_QUOTED else quote[: _MOST_QUOTED - 4].rstrip() + " ..."
        yield f"{finding.tokens:>8,}  {finding.kind}: {shown}"
        yield f"{'':10}at: {_places(finding.places)}"
        yield f"{'':10}do: {finding.advice}"
    if rest := findings[MOST_FINDINGS:]:
        yield f"{sum(finding.tokens for finding in rest):>8,}  in {len(rest)} smaller ones; --json lists them"


def kinds_line(findings: Iterable[Finding]) -> str:
    """What each kind comes to, the largest first."""
    tokens: Counter[str] = Counter()
    for finding in findings:
        tokens[finding.kind] += finding.tokens
    return f"by kind: {', '.join(f'{kind} {weight:,}' for kind, weight in tokens.most_common())}"


def method_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """How the tokens of each kind were estimated."""
    methods = dict.fromkeys((finding.kind, finding.how) for finding in findings)
    if methods:
        yield "how the tokens are estimated (no token is counted for two findings)"
    for kind, how in methods:
        yield f"  {kind}: {how}"


def _places(places: Sequence[Place]) -> str:
    """Rows in order, each with all its lines or properties."""
    inside: dict[tuple[str, str], dict[str, None]] = {}
    for place in places:
        steps = inside.setdefault((place.group, place.name), {})
        if place.line is not None or place.path:
            steps[str(place.path or place.line)] = None
    told = [_row(group, name, list(steps)) for (group, name), steps in inside.items()]
    shown = "; ".join(told[:MOST_PLACES])
    return shown if len(told) <= MOST_PLACES else f"{shown}; and {len(told) - MOST_PLACES} more"


def _row(group: str, name: str, steps: Sequence[str]) -> str:
    if not steps:
        return name
    shown = ", ".join(steps[:MOST_PLACES]) + (", ..." if len(steps) > MOST_PLACES else "")
    return f"{group} line {shown} ({name})" if steps[0].isdecimal() else f"{name}: {shown}"
