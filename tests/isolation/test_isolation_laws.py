"""The laws of isolation, over generated parents and sub-agents."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from policies.edits import Drop
from proxy.demo.structure import violations
from proxy.wire.splice import json_string
from tests.isolation.beginning import FakeRecords
from tests.isolation.sub_agent import Seen, SubAgent, Worker, sub_agents
from tests.laws.proxied import engine, proxied

windows = st.sampled_from((2_000, 8_000, 64_000, None))
policies = st.sampled_from(("default", "coding", "chat"))
SYSTEM = {"system", "developer"}


def way(agent: SubAgent, window: int | None = 64_000, policy: str = "default") -> list[Seen]:
    """Every request of the sub-agent, through one worker."""
    worker = Worker(FakeRecords())
    return [worker.ask(body, window, policy) for body in agent.bodies]


def faults(body: bytes) -> Counter[str]:
    """What a strict provider would refuse, wherever it stands."""
    return Counter(re.sub(r"message \d+( \(\w+\))?", "message", fault) for fault in violations(json.loads(body)))


def messages(body: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(body)["messages"]
    return found


def orphans(said: list[dict[str, Any]]) -> Counter[str]:
    """The results that no call before them waits for, however much was said in between."""
    waiting: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for message in said:
        waiting.update(call["id"] for call in message.get("tool_calls") or ())
        if message["role"] == "tool":
            id_ = message["tool_call_id"]
            (waiting if waiting[id_] else found).update({id_: -1 if waiting[id_] else 1})
    return found


@given(sub_agents())
def test_no_result_is_left_without_its_call(agent: SubAgent):
    for seen in way(agent):
        assert orphans(messages(seen.isolated.envelope.body)) <= orphans(messages(seen.sent))


@given(sub_agents(), windows, policies)
def test_the_structure_stays_as_sound_as_it_came(agent: SubAgent, window: int | None, policy: str):
    for seen in way(agent, window, policy):
        assert faults(seen.isolated.envelope.body) <= faults(seen.sent)
        if seen.edited:
            assert faults(seen.edited.body) <= faults(seen.sent)


@given(sub_agents(), st.sampled_from((64_000, None)))
def test_no_message_before_the_task_goes_on_but_system_text_whole_and_in_order(agent: SubAgent, window: int | None):
    spoke = any(message["role"] == "assistant" for message in agent.inherited)
    system = [message for message in agent.inherited if message["role"] in SYSTEM]
    for seen in way(agent, window):
        went = messages(seen.isolated.envelope.body)
        if spoke:
            assert went[: len(system)] == system
            assert str(went[len(system)]["content"]).startswith(agent.own[0]["content"])
            late = sum(edit.start > agent.task for edit in seen.isolated.edits if isinstance(edit, Drop))
            assert len(went) == len(system) + len(messages(seen.sent)) - agent.task - late
        else:
            assert seen.isolated.envelope.body == seen.sent


@given(sub_agents())
def test_the_task_and_what_follows_keep_their_bytes_but_for_results_of_inherited_calls(agent: SubAgent):
    for seen in way(agent):
        read, envelope = seen.isolated.read, seen.isolated.envelope
        gone = {i for edit in seen.isolated.edits if isinstance(edit, Drop) for i in range(edit.start, edit.end)}
        late = [index for index in gone if index > agent.task]
        assert {read.decoded(index).get("tool_call_id") for index in late} <= {"theirs"} | ids(agent.inherited)
        kept = [read.raw(index) for index in range(agent.task, len(read.messages)) if index not in gone]
        task, *own = [bytes(raw) for raw in envelope.messages[-len(kept) :]]
        assert own == kept[1:]
        assert task.startswith(b'{"role":"user","content":' + json_string(agent.own[0]["content"])[:-1])


def ids(said: list[dict[str, Any]]) -> set[str]:
    return {call["id"] for message in said for call in message.get("tool_calls") or ()}


@given(sub_agents(), windows, policies)
def test_every_token_is_accounted_for(agent: SubAgent, window: int | None, policy: str):
    for seen in way(agent, window, policy):
        if seen.edited:
            report = seen.report
            assert report.received == proxied(engine(), seen.sent, None).report.received
            assert report.received + report.added - sum(report.removed.values()) == report.forwarded
            again = proxied(engine(), seen.edited.body, None).report.received
            ours = len(seen.edited.plan.edits) + 1
            assert abs(again - report.forwarded) <= 4 * ours  # a text and its notice may share a token


@given(sub_agents())
def test_what_was_left_out_is_named_and_kept_whole(agent: SubAgent):
    for seen in way(agent):
        kept = {original.locator: original for original in seen.isolated.originals}
        if not seen.isolated.is_stripped:
            assert kept == {}
            continue
        (original,) = kept.values()
        assert original.locator.encode() in seen.isolated.envelope.body
        roles = [json.loads(line)["role"] for line in original.text().split("\n")]
        inherited = [message["role"] for message in agent.inherited if message["role"] not in SYSTEM]
        assert original.kind == "turns"
        assert roles[: len(inherited)] == inherited
        assert set(roles[len(inherited) :]) <= {"tool"}


@given(sub_agents(), windows, policies)
def test_an_earlier_view_is_a_prefix_unless_a_batch_is_reported(agent: SubAgent, window: int | None, policy: str):
    for earlier, later in pairwise(way(agent, window, policy)):
        is_late = len(later.isolated.edits) != len(earlier.isolated.edits)  # a late result is named in the notice too
        if earlier.edited and later.edited and later.report.view == earlier.report.view and not is_late:
            before, after = messages(earlier.edited.body), messages(later.edited.body)
            assert after[: len(before)] == before


@given(sub_agents(), windows, policies)
def test_another_worker_and_a_restarted_one_give_the_same_bytes(agent: SubAgent, window: int | None, policy: str):
    records = FakeRecords()
    one = Worker(records)
    for body in agent.bodies:
        seen, fresh = one.ask(body, window, policy), Worker(records).ask(body, window, policy)
        assert (seen.edited is None) == (fresh.edited is None)
        if seen.edited and fresh.edited:
            assert (fresh.edited.body, fresh.report) == (seen.edited.body, seen.report)


@given(sub_agents())
def test_observed_isolation_is_counted_and_changes_nothing(agent: SubAgent):
    enforcing = way(agent)
    worker = Worker(FakeRecords())
    for body, enforced in zip(agent.bodies, enforcing, strict=True):
        seen = worker.ask(body, 64_000, mode="observe")
        assert seen.edited is not None
        assert (seen.edited.body, seen.report.removed) == (body, {})
        assert (seen.isolated.taken, seen.isolated.inherited) == (enforced.isolated.taken, enforced.isolated.inherited)
