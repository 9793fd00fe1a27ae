"""The words of Quayside, the invented port-operations project that both demo sessions work on.

A `Thing` is something its code deals with. Every thing has at least one field of each kind, so that a
template may name a text, number, money and time field of whichever thing it is filled for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "number", "money", "time", "flag"]


@dataclass(frozen=True, slots=True)
class Thing:
    """One noun of the project, its fields, the states it passes through and what is done with it."""

    name: str
    plural: str
    partner: str
    action: str
    states: tuple[str, str, str, str]
    fields: tuple[tuple[str, Kind], ...]

    def first(self, kind: Kind) -> str:
        """The first field of this kind."""
        return next(name for name, held in self.fields if held == kind)

    @property
    def title(self) -> str:
        """The name as a class name."""
        return "".join(word.capitalize() for word in self.name.split("_"))


def _fields(spec: str) -> tuple[tuple[str, Kind], ...]:
    kinds: dict[str, Kind] = {"s": "text", "n": "number", "m": "money", "t": "time", "b": "flag"}
    pairs = (entry.split(":") for entry in spec.split())
    return tuple((name, kinds[letter]) for name, letter in pairs)


def _thing(nouns: str, action: str, states: str, fields: str) -> Thing:
    """`nouns` are name, plural and the thing it belongs to."""
    name, plural, partner = nouns.split()
    first, second, third, fourth = states.split()
    return Thing(name, plural, partner, action, (first, second, third, fourth), _fields(fields))


THINGS: dict[str, Thing] = {
    thing.name: thing
    for thing in (
        _thing(
            "berth berths vessel",
            "assign",
            "free reserved occupied closed",
            "code:s length_m:n depth_m:n hourly_rate:m available_from:t tidal:b crane_count:n",
        ),
        _thing(
            "vessel vessels agent",
            "clear",
            "expected anchored alongside departed",
            "imo_number:s flag_state:s draught_cm:n gross_tonnage:n port_dues:m arrives_at:t bunkering:b",
        ),
        _thing(
            "container containers vessel",
            "release",
            "inbound stacked held released",
            "serial:s iso_type:s weight_kg:n slot_row:n deposit:m discharged_at:t reefer:b hazardous:b",
        ),
        _thing(
            "tariff tariffs agent",
            "publish",
            "draft approved effective superseded",
            "schedule:s currency:s free_days:n band_count:n base_rate:m effective_from:t weekend_counts:b",
        ),
        _thing(
            "invoice invoices agent",
            "settle",
            "open issued disputed settled",
            "reference:s currency:s line_count:n days_due:n total:m issued_at:t reverse_charge:b",
        ),
        _thing(
            "manifest manifests vessel",
            "lodge",
            "draft lodged amended accepted",
            "voyage:s customs_office:s item_count:n revision:n declared_value:m lodged_at:t transit:b",
        ),
        _thing(
            "pilotage pilotages vessel",
            "dispatch",
            "requested rostered boarded completed",
            "station:s pilot_name:s tug_count:n wait_minutes:n fee:m boards_at:t night_rate:b",
        ),
        _thing(
            "yard_move yard_moves container",
            "schedule",
            "queued claimed moving done",
            "from_slot:s to_slot:s priority:n attempt:n charge:m queued_at:t rehandle:b",
        ),
        _thing(
            "gate_visit gate_visits container",
            "admit",
            "booked waiting inside left",
            "plate:s haulier:s lane:n minutes_inside:n penalty:m slot_start:t trusted:b",
        ),
        _thing(
            "customs_hold customs_holds manifest",
            "lift",
            "raised notified inspected lifted",
            "case_number:s officer:s item_index:n days_open:n bond:m raised_at:t priority_lane:b",
        ),
        _thing(
            "agent agents invoice",
            "approve",
            "applicant approved suspended closed",
            "legal_name:s vat_number:s credit_days:n open_invoices:n credit_limit:m joined_at:t prepaid:b",
        ),
        _thing(
            "crane_shift crane_shifts berth",
            "staff",
            "planned staffed running closed",
            "crane:s foreman:s lifts_planned:n lifts_done:n bonus:m starts_at:t overtime:b",
        ),
        _thing(
            "tide_window tide_windows berth",
            "open",
            "forecast confirmed open passed",
            "gauge:s model_run:s height_cm:n margin_cm:n surcharge:m opens_at:t spring:b",
        ),
        _thing(
            "reefer_log reefer_logs container",
            "sample",
            "ok drifting alarmed muted",
            "probe:s setpoint_unit:s sample_minutes:n drift_tenths:n power_cost:m sampled_at:t plugged:b",
        ),
    )
}

_FIRST_DETAILS = (
    "quay 7",
    "the night shift",
    "an amended booking",
    "a late discharge",
    "the old terminal",
    "two agents",
)
_SECOND_DETAILS = ("the ledger", "the yard planner", "customs", "the gate kiosk", "the billing run", "the tide model")


def words(thing: Thing, rng: random.Random) -> dict[str, str]:
    """What a template may name: the thing, its partner, one field of each kind, its states, some figures."""
    partner = THINGS[thing.partner]
    first, second, third, fourth = thing.states
    return {
        "thing": thing.name, "Thing": thing.title, "things": thing.plural, "THING": thing.name.upper(),
        "partner": partner.name, "Partner": partner.title, "partners": partner.plural,
        "action": thing.action, "Action": thing.action.capitalize(),
        "first": first, "second": second, "third": third, "fourth": fourth,
        "text": thing.first("text"), "number": thing.first("number"), "Number": thing.first("number").capitalize(),
        "money": thing.first("money"), "time": thing.first("time"), "flag": thing.first("flag"),
        "whom": rng.choice(_FIRST_DETAILS), "where": rng.choice(_SECOND_DETAILS),
        "small": str(rng.randint(3, 9)), "medium": str(rng.randint(12, 90)), "large": str(rng.randint(200, 5000)),
        "rate": f"{rng.randint(101, 998) / 10:.2f}", "ticket": f"QS-{rng.randint(1200, 4900)}",
    }  # fmt: skip
