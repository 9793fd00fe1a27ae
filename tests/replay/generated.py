"""Whole sessions of our own, as long as real ones, written as the tools that would have recorded them.

Everything is derived from positions, so a session is the same in every run.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tests.replay.samples import calls, result, run, says, system, trajectory, typed_action, user

_SYSTEM = """You answer for the ferry line Quickwater. You may look up bookings, search sailings and change what a
passenger has confirmed. Rules:
- Find the booking before you say anything about it.
- Say what you will change and what it costs, and wait for a yes.
- A fare of class saver cannot be changed within two days of the sailing; a fare of class flex always can.
- Vehicles over three metres travel on the lower deck only.
- Hand over to a colleague what these rules do not cover."""

_PORTS = ("Hamsund", "Orlwick", "Brae", "Tinholm", "Kestrel Quay", "Lund Point")
_SHELL = """You are at work in a shell, in the repository /srv/tide. Write what you think, then one command in a
block of three backticks. After each command you are shown what it printed."""
_TASK = """The nightly import of tide tables leaves gaps for harbours west of Greenwich. Find out why and mend it.
The tests must stay green. You are done when `make check` prints nothing."""


def number(*of: object, below: int = 10_000) -> int:
    """A number derived from anything."""
    digest = hashlib.blake2s(repr(of).encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big") % below


def customer_service(turns: int = 30) -> list[dict[str, Any]]:
    """tau-bench results with one run: small results, a third of the answers are words to the passenger."""
    messages = [system(_SYSTEM), user("Hello, I need to change a couple of my sailings this summer.")]
    for turn in range(turns):
        if turn % 3 == 2:
            messages += [says(_question(turn)), user(_reply(turn))]
        else:
            name, arguments, found = _looked_up(turn)
            id_ = f"call_{number('id', turn % 11):05d}"  # ids come again, as recorded ones do
            messages += [calls(id_, name=name, arguments=json.dumps(arguments)), {**result(id_, found), "name": name}]
    messages += [says("All changes are made. Have a good crossing."), user("Thank you, bye.")]
    return [run(*messages, task=12, trial=0)]


def shell_agent(turns: int = 60, lines: int = 90) -> dict[str, Any]:
    """A SWE-agent trajectory of the older kind: typed commands, observations as user messages, no tools."""
    messages = [system(_SHELL), user(_TASK)]
    for turn in range(turns):
        messages += [typed_action(_command(turn)), user(_printed(turn, lines))]
    return trajectory(*messages, typed_action("make check"))


def _port(*of: object) -> str:
    return _PORTS[number(*of, below=len(_PORTS))]


def _question(turn: int) -> str:
    return (
        f"The sailing from {_port(turn)} to {_port(turn, 'to')} on 2026-07-{number(turn, below=27) + 1:02d} has room. "
        f"The change costs {number(turn, 'fee', below=60)} euros. Shall I go ahead?"
    )


def _reply(turn: int) -> str:
    return f"Yes please. And then the one of booking QW-{number('booking', turn)}, with the car."


def _looked_up(turn: int) -> tuple[str, dict[str, Any], str]:
    if turn % 3 == 0:
        booking = f"QW-{number('booking', turn - 1)}"
        found = {
            "booking": booking,
            "fare": ("saver", "flex")[turn % 2],
            "passengers": [{"name": f"Passenger {i}", "cabin": number(turn, i, below=400)} for i in range(3)],
            "vehicle": {"length_metres": number(turn, "m", below=70) / 10, "deck": "lower"},
            "paid_euros": number(turn, "paid"),
        }
        return "get_booking", {"booking": booking}, json.dumps(found)
    sailings = [
        {
            "sailing": f"S{number(turn, i):04d}",
            "from": _port(turn),
            "to": _port(turn, "to"),
            "departs": f"2026-07-{number(turn, below=27) + 1:02d}T{6 + i:02d}:{number(turn, i, below=60):02d}",
            "free": {"seats": number(turn, i, "s", below=300), "cabins": number(turn, i, "c", below=40)},
            "euros": {"saver": 20 + number(turn, i, below=40), "flex": 60 + number(turn, i, below=90)},
        }
        for i in range(4)
    ]
    return "search_sailings", {"from": _port(turn), "to": _port(turn, "to")}, json.dumps(sailings)


def _command(turn: int) -> str:
    module = f"tide/{_port(turn).lower().replace(' ', '_')}_{turn % 7}.py"
    kinds = (f"cat -n {module}", f"grep -rn meridian_{turn % 9} tide", "pytest -x tests/test_import.py", "git diff")
    return kinds[turn % 4]


def _printed(turn: int, lines: int) -> str:
    """What the command printed: source, matches, a test log with an error in its middle, a diff."""
    kinds = (_source_line, _match_line, _log_line, _diff_line)
    printed = [kinds[turn % 4](turn, line) for line in range(lines)]
    return "\n".join([*printed, "(working directory: /srv/tide)"])


def _source_line(turn: int, line: int) -> str:
    return f"{line + 1:6d}\tlevel_{number(turn, line)} = station.height(offset={number(turn, 'o', line)}, datum=LAT)"


def _match_line(turn: int, line: int) -> str:
    place = f"tide/harbour_{number(turn, line, below=40)}.py:{number(turn, 'l', line)}"
    return f"{place}: return meridian_{turn % 9} + {line}"


def _log_line(turn: int, line: int) -> str:
    if line == 40:
        return f"E   AssertionError: gap of {number(turn, 'gap')} minutes at longitude -{number(turn, below=180)}"
    return (
        f"tests/test_import.py::test_harbour_{number(turn, line)} PASSED [{line:3d}%] in {number(turn, 't', line)} ms"
    )


def _diff_line(turn: int, line: int) -> str:
    sign = "+- "[number(turn, line, below=3)]
    return f"{sign}    table[{number(turn, 'k', line)}] = level_{number(turn, line)} * 0.3048"
