"""Four whole sessions as files, for replaying: the demo's two, and two whose answers rely on what tools found.

Like real ones they copy names, paths and numbers out of results: at once, a few turns later, and much later.
"""

from __future__ import annotations

import json
from pathlib import Path

from proxy.demo.coding import coding
from proxy.demo.review import review
from proxy.demo.session import Session
from proxy.demo.session import requests as scripted
from tests.replay.generated import number
from tests.replay.samples import Json, calls, result, run, says, system, trajectory, user, write


def four_files(folder: Path) -> list[Path]:
    """The demo's coding and review sessions, a tau-bench-like and a SWE-agent-like one."""
    return [
        write(folder, whole(coding()), "coding.json"),
        write(folder, whole(review()), "review.json"),
        write(folder, [desk(), desk(seed=1)], "desk.json"),
        write(folder, mender(), "mender.traj"),
    ]


def whole(session: Session) -> Json:
    """A scripted session to its end, as OpenAI messages with tools."""
    last = list(scripted(session))[-1]
    return {"messages": [*last["messages"], session.steps[-1].answer], "tools": last["tools"]}


def desk(cases: int = 8, seed: int = 0) -> Json:
    """A tau-bench run: a passenger's bookings looked up, their sailings searched, a change made from both."""
    messages = [system("You are the desk of a ferry line."), user("Move all my bookings to the evening boats.")]
    bookings = [f"QW{number(seed, case):04d}X" for case in range(cases)]
    messages += _asked("find_passenger", {}, {"passenger": f"p_{seed}_77120", "bookings": bookings}, "p")
    for case, booking in enumerate(bookings):
        paid = 1000 + number("paid", seed, case)
        found = {"paid_cents": paid, "seats": list(range(30))}
        messages += _asked("get_booking", {"booking": booking}, found, f"b{case}")
        boats = [{"sailing": f"S{number(seed, case, i):04d}E", "free": 7 + i, "note": "evening " * 9} for i in range(6)]
        messages += _asked("search", {"when": "evening"}, {"sailings": boats}, f"s{case}")
        messages += [says(f"Sailing {boats[2]['sailing']} has room; {paid} was paid. Shall I?"), user("Yes.")]
    messages += [says("All moved: " + ", ".join(bookings)), user("Thank you.")]
    return run(*messages, task=seed)


def _asked(tool: str, arguments: Json, found: Json, id_: str) -> list[Json]:
    return [calls(id_, name=tool, arguments=json.dumps(arguments)), result(id_, json.dumps(found))]


def mender(rounds: int = 14, lines: int = 60) -> Json:
    """A SWE-agent trajectory with function calls: search, read what was found, edit it, test, say what failed."""
    history: list[Json] = [system("You mend a repository. One command at a time."), user("Mend the tide tables.")]
    for turn in range(rounds):
        module, line = f"tide/harbour_{number('m', turn)}.py", 300 + number("l", turn, below=600)
        failing = f"test_level_{number('f', turn)}"
        history += _ran(
            turn * 4, f"grep -rn gap_{turn} .", _listing(turn, lines, f"{module}:{line}: gap = level_of(lat)")
        )
        history += _ran(turn * 4 + 1, f"sed -n {line},+{lines}p {module}", _source(turn, lines))
        body = "\n".join(f"    level_{number(turn, i)} = station.height({i})" for i in range(lines // 2))
        history += _ran(turn * 4 + 2, f"cat > {module} <<EOF\n{body}\nEOF", "written")
        history += _ran(turn * 4 + 3, "pytest -q", _log(turn, lines, failing))
        if turn % 4 == 3:
            history.append(says(f"{failing} is left; {module} was the cause."))
            history.append(user("Go on."))
    return trajectory(*({"agent": "main", **one} for one in history))


def _ran(call: int, command: str, printed: str) -> list[Json]:
    made = calls(f"c{call}", name="bash", arguments=json.dumps({"command": command}))
    return [{**made, "content": f"Step {call}."}, {"role": "tool", "tool_call_ids": [f"c{call}"], "content": printed}]


def _listing(turn: int, lines: int, wanted: str) -> str:
    found = [f"tide/other_{number(turn, i)}.py:{number(i, turn)}: gap_{turn}" for i in range(lines)]
    return "\n".join([*found[: lines // 2], wanted, *found[lines // 2 :]])


def _source(turn: int, lines: int) -> str:
    return "\n".join(f"    height_{number(turn, i, 's')} = datum.level(offset={number(turn, i)})" for i in range(lines))


def _log(turn: int, lines: int, failing: str) -> str:
    ran = [f"tests/test_tide.py::test_level_{number(turn, i, 'ok')} PASSED" for i in range(lines)]
    return "\n".join([*ran, f"E   GapError: {number(turn, 'gap')} minutes", f"FAILED tests/test_tide.py::{failing}"])
