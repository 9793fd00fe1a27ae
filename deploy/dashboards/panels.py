"""A dashboard as data: sections of panels, each with a title, a description, a unit and its queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Unit = Literal["reqps", "cps", "s", "percentunit", "short", "bytes", "currencyUSD", "none"]
"""Grafana's name of a unit: requests or counts per second, seconds, 0 to 1 as percent ...; `none` is a bare number"""


@dataclass(frozen=True, slots=True)
class Query:
    """PromQL, and what its lines are called (labels in double braces)."""

    expr: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines over time, or with `now` the latest value in large figures."""

    title: str
    description: str
    unit: Unit
    queries: tuple[Query, ...]
    now: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A row of panels under a heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A choice at the top: a label of a metric. `several`: any number of values, all of them at first."""

    name: str
    label: str
    metric: str
    several: bool


@dataclass(frozen=True, slots=True)
class Dashboard:
    """`name` is its file's, and with a prefix its address in Grafana."""

    name: str
    title: str
    description: str
    variables: tuple[Variable, ...]
    sections: tuple[Section, ...]

    def panels(self) -> Iterator[Panel]:
        """All of them, in order."""
        for section in self.sections:
            yield from section.panels


MODEL = Variable("model", "Model", "forebay_requests_total", several=True)
TENANT = Variable("tenant", "Tenant", "forebay_requests_total", several=False)


def panel(title: str, unit: Unit, description: str, *queries: tuple[str, str], now: bool = False) -> Panel:
    """A row of a dashboard's table; a query is PromQL and the name of its lines."""
    return Panel(title, description, unit, tuple(Query(expr, legend) for expr, legend in queries), now)


def rate(metric: str, by: str, labels: str = "") -> str:
    """The rate of a counter per second, summed by labels over all replicas."""
    return f"sum by ({by}) (rate({metric}{{{labels}}}[$__rate_interval]))"


def total(metric: str, labels: str = "") -> str:
    """The same, summed over everything."""
    return f"sum(rate({metric}{{{labels}}}[$__rate_interval]))"


def quantile(part: float, histogram: str, labels: str = "", by: str = "") -> str:
    """A quantile of a histogram over all replicas."""
    kept = f"le, {by}" if by else "le"
    return f"histogram_quantile({part:g}, sum by ({kept}) (rate({histogram}_bucket{{{labels}}}[$__rate_interval])))"
