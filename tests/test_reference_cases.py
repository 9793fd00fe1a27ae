"""The cases that everybody asks about first: a long test run, a small result, a pasted text."""

from __future__ import annotations

import json
from typing import Any

from tests.laws.proxied import Seen, counters, dumped, engine, proxied

TOOL = {"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}


def _test_run(lines: int = 2_000) -> str:
    passed = [f"tests/yard/test_berth_{n % 40}.py::test_case_{n} PASSED [{n * 100 // lines:3}%]" for n in range(lines)]
    failure = [
        "=================================== FAILURES ===================================",
        "______________________________ test_berth_is_free ______________________________",
        "",
        "    def test_berth_is_free():",
        ">       assert berth(7).free_at(noon) is True",
        "E       AssertionError: assert False is True",
        "E        +  where False = free_at(datetime(2026, 3, 1, 12, 0))",
        "",
        "tests/yard/test_berth.py:41: AssertionError",
        "src/yard/berth.py:118: BerthTaken: berth 7 holds the Orlwick until 14:20",
        "=========================== short test summary info ============================",
        "FAILED tests/yard/test_berth.py::test_berth_is_free - AssertionError: assert False is True",
        f"======================== 1 failed, {lines} passed in 12.31s ========================",
    ]
    return "\n".join([*passed, *failure])


def _asked(result: str, said: str = "Run the tests.") -> Seen:
    call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": said},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
    ]
    return proxied(engine(), dumped({"model": "m", "messages": messages, "tools": [TOOL]}), 128_000)


def test_a_test_run_of_two_thousand_lines_becomes_a_pointer_and_its_decisive_frames():
    run = _test_run()
    seen = _asked(run)
    shown = seen.messages[2]["content"]
    count = counters()["o200k_base"].count
    assert count(run) > 30_000
    assert count(shown) < 1_000
    decisive = [
        line
        for line in run.split("\n")
        if line.startswith(("E  ", ">  ", "FAILED", "src/", "tests/yard/test_berth.py:41"))
    ]
    assert len(decisive) == 6
    assert [line for line in decisive if line not in shown.split("\n")] == []
    (locator,) = [locator for locator in seen.kept() if locator in shown]
    assert seen.kept()[locator] == run


def test_a_result_under_500_tokens_is_untouched():
    result = "\n".join(f"\x1b[32mcrate {n} moved\x1b[0m" for n in range(35))
    assert counters()["o200k_base"].count(result) < 500
    assert _asked(result).messages[2]["content"] == result


def test_what_the_user_pastes_is_untouched():
    pasted = f"Why does this fail?\n{_test_run()}"
    assert _asked("ok", pasted).messages[0]["content"] == pasted


def test_the_bytes_around_a_spilled_result_stay():
    seen = _asked(_test_run())
    sent, got = json.loads(seen.sent), json.loads(seen.got)
    assert got["messages"][:2] == sent["messages"][:2]
    assert got["tools"][0] == TOOL
