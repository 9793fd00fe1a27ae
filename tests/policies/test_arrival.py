"""On arrival: noise, repeats and spills, of a result just taken in."""

from __future__ import annotations

from dataclasses import replace

from policies.arrival.noise import without_noise
from policies.edits import Replace
from policies.schema import OnArrival, Policy, Spill
from tests.build import Said, call, conversation, locate, planned, result, terms, tool_turns, user, words

RED = "\x1b[31m"
PLAIN = "\x1b[0m"


def replaced(
    *said: Said, way_back: bool = True, policy: Policy | None = None, window: int = 100_000
) -> dict[int, Replace]:
    """The replacements in a history that fits, by message."""
    under = replace(terms(window, policy), way_back=way_back)
    return {edit.index: edit for edit in planned(conversation(*said), under).edits if isinstance(edit, Replace)}


def spilling(**changes: object) -> Policy:
    """Built past the check that refuses the step until the model has a way back."""
    spill = Spill.model_validate({"enabled": True, **changes})
    return Policy().model_copy(update={"on_arrival": OnArrival(spill=spill)})


def log_of(lines: int) -> str:
    """A log with one failure in its middle."""
    said = [f"2026-01-01T00:00:{n % 60:02} INFO step {n} done" for n in range(lines)]
    said[lines // 2] = "2026-01-01T00:00:30 ERROR disk /dev/sda1 is full"
    return "\n".join(said)


def test_colour_codes_leave_and_the_mark_says_so():
    text = "\n".join(f"{RED} line {n} {PLAIN}" for n in range(300))
    (edit,) = replaced(user("go"), call(), result(text)).values()
    assert edit.by == "noise"
    assert edit.text.startswith(" line 0 \n line 1 \n")
    assert edit.locator in edit.text.rsplit("\n", 1)[1]


def test_a_line_that_was_drawn_over_keeps_its_last_state():
    text = "\n".join(f"load {n}:\r 10%\r 50%\rload {n}: done" for n in range(50))
    assert without_noise(text, timestamps=False, locator="art_x").startswith("load 0: done\nload 1: done")


def test_timestamps_leave_only_where_the_policy_says_so():
    assert without_noise(log_of(50), timestamps=False, locator="art_x") == log_of(50)
    assert without_noise(log_of(50), timestamps=True, locator="art_x").startswith("INFO step 0 done\n")


def test_a_little_noise_is_left_alone():
    text = f"{RED}red{PLAIN}\n" + words(700)
    assert replaced(user("go"), call(), result(text)) == {}


def test_an_exact_repeat_points_back_at_its_first_copy():
    said = [user("go"), call(id="a"), result(words(700), id="a"), call(id="b"), result(words(700), id="b")]
    edits = replaced(*said)
    assert set(edits) == {4}
    assert edits[4].by == "repeat"
    assert edits[4].locator == locate("result", words(700).encode())


def test_a_kept_repeat_gets_its_text_again_when_its_first_copy_is_cleared():
    same = words(700)
    turns = tool_turns(19, 600)
    said = [user("go"), call(id="a"), result(same, id="a"), *turns[:30], call(id="b"), result(same, id="b")]
    before = replaced(*said, window=100_000)
    after = replaced(*said, *turns[30:], window=14_000)
    assert before[len(said) - 1].by == "repeat"
    assert after[2].by == "clear_result"
    assert len(said) - 1 not in after


def test_small_results_are_not_touched_on_arrival():
    small = f"{RED}x{PLAIN}\n" * 400
    assert replaced(user("go"), call(), result(small), policy=spilling(min_tokens=500)) == {}


def test_a_large_log_is_spilled_with_its_errors_in_view():
    (edit,) = replaced(user("go"), call(), result(log_of(600)), policy=spilling(threshold_tokens=1_000)).values()
    assert edit.by == "spill"
    assert "ERROR disk /dev/sda1 is full" in edit.text
    assert edit.after < edit.before / 2


def test_without_a_way_back_nothing_is_spilled():
    assert replaced(user("go"), call(), result(log_of(600)), way_back=False, policy=spilling()) == {}


def test_excluded_tools_are_not_spilled():
    policy = spilling(threshold_tokens=1_000, exclude_tools=["read"])
    assert replaced(user("go"), call("read"), result(log_of(600)), policy=policy) == {}


def test_a_source_file_spills_late():
    source = "import os\n\n\n" + "\n\n".join(f"def step_{n}(value):\n    return value + {n}" for n in range(500))
    policy = spilling(threshold_tokens=1_000)
    assert replaced(user("go"), call(), result(source), policy=policy) == {}
    assert replaced(user("go"), call(), result(source), policy=policy, window=12_000)[2].by == "spill"
