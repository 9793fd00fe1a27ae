"""The laws of the house over generated histories, every preset, and windows from roomy to hopeless."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from policies.edits import Drop, Note, Replace, ReplaceArguments
from proxy.demo.structure import changed_by_the_way, violations
from proxy.retrieval.exchange import Exchange
from proxy.retrieval.tool import without_tool
from tests.laws.histories import Body, bodies, requests_of, reserialised
from tests.laws.proxied import Seen, dumped, engine, exchange_after, proxied

windows = st.sampled_from((2_000, 4_000, 8_000, 16_000, 64_000))
policies = st.sampled_from(("default", "coding", "chat", "observe", "brief"))
reading = st.booleans()
LOCATOR = re.compile(r"art_[a-z2-7]{12}")


def faults(body: Body) -> Counter[str]:
    """What a strict provider would refuse, wherever it stands and whatever
    stands beside it: a client's own damage moves up when turns leave."""
    return Counter(re.sub(r"message \d+( \(\w+\))?", "message", fault) for fault in violations(body))


@dataclass(frozen=True)
class Way:
    """Every request on the way to a history, through one warm proxy; `exchanges` are what each of them carried."""

    seen: list[Seen]
    exchanges: list[dict[int, Exchange]]


def way(body: Body, window: int, policy: str, reads: bool) -> Way:
    """The agent's way; with `reads` its model reads something back before every third answer."""
    warm, carried = engine(), dict[int, Exchange]()
    gone = Way([], [])
    for number, request in enumerate(requests_of(body)):
        gone.exchanges.append(dict(carried))
        gone.seen.append(proxied(warm, dumped(request), window, policy, carried))
        found = exchange_after(gone.seen[-1], policy) if reads and number % 3 == 1 else None
        if found:
            carried[len(request["messages"])] = found
    return gone


def session(body: Body, window: int, policy: str, reads: bool) -> list[Seen]:
    """What was seen on the way."""
    return way(body, window, policy, reads).seen


@given(bodies(), windows, policies)
def test_without_an_edit_bytes_in_are_bytes_out_but_for_our_tool(body: Body, window: int, policy: str):
    for seen in session(body, window, policy, reads=False):
        if seen.edited and not seen.edited.plan.edits and seen.edited.plan.max_output is None:
            assert without_tool(seen.got) == seen.sent
            assert (seen.got == seen.sent) == (seen.edited.offer is None)


@given(bodies(), windows, policies, reading)
def test_a_fresh_process_gives_the_bytes_of_a_warm_one(body: Body, window: int, policy: str, reads: bool):
    gone = way(body, window, policy, reads)
    for seen, exchanges in zip(gone.seen, gone.exchanges, strict=True):
        fresh = proxied(engine(), seen.sent, window, policy, exchanges)
        assert (fresh.edited is None) == (seen.edited is None)
        if seen.edited:
            assert fresh.got == seen.got
            assert fresh.report == seen.report


@given(bodies(), windows, policies, st.data())
def test_the_same_meaning_gets_the_same_plan(body: Body, window: int, policy: str, data: st.DataObject):
    plain = proxied(engine(), dumped(body), window, policy)
    other = proxied(engine(), reserialised(body, lambda of: data.draw(st.sampled_from(of))), window, policy)
    # at the brake alone everything counts, and a plan that fits neither way is made for a narrowed window
    if plain.edited and other.edited and plain.report.narrowed == other.report.narrowed:
        assert other.edited.plan.edits == plain.edited.plan.edits


@given(bodies(), windows, policies, reading)
def test_an_earlier_view_is_a_prefix_unless_a_batch_is_reported(body: Body, window: int, policy: str, reads: bool):
    seen = [one for one in session(body, window, policy, reads) if one.edited]
    for earlier, later in pairwise(seen):
        if later.report.view == earlier.report.view:
            assert later.messages[: len(earlier.messages)] == earlier.messages


@given(bodies(), windows, policies, reading)
def test_calls_and_results_and_roles_stay_sound(body: Body, window: int, policy: str, reads: bool):
    for seen in session(body, window, policy, reads):
        if seen.edited:
            sent = json.loads(seen.taken_in)
            assert faults(sent) <= faults(json.loads(seen.sent))
            assert faults(json.loads(seen.got)) <= faults(sent)
            assert changed_by_the_way(json.loads(seen.got), sent) == ()


@given(bodies(), windows, policies, reading)
def test_pinned_and_newest_words_keep_their_bytes(body: Body, window: int, policy: str, reads: bool):
    for seen in session(body, window, policy, reads):
        if not seen.edited:
            continue
        raw, edits = seen.edited.read.raw, seen.edited.plan.edits
        touched = {edit.index for edit in edits if isinstance(edit, (Replace, ReplaceArguments))}
        dropped = {index for edit in edits if isinstance(edit, Drop) for index in range(edit.start, edit.end)}
        messages = json.loads(seen.taken_in)["messages"]
        roles = [message["role"] for message in messages]
        first_assistant = roles.index("assistant") if "assistant" in roles else len(roles)
        for index, message in enumerate(messages):
            if index < first_assistant or message["role"] in {"system", "developer"}:
                assert index not in touched | dropped
            if message["role"] in {"system", "developer"}:
                assert raw(index) in seen.got
            if message["role"] == "user" and index not in dropped:
                assert index not in touched


@given(bodies(), windows, policies, reading)
def test_every_token_is_accounted_for(body: Body, window: int, policy: str, reads: bool):
    for seen in session(body, window, policy, reads):
        if seen.edited:
            report = seen.report
            assert report.received + report.added - sum(report.removed.values()) == report.forwarded
            again = proxied(engine(), seen.got, None).report.received
            edits = len(seen.edited.plan.edits)
            ours = 0 if seen.edited.offer is None else 1
            assert abs(again - report.forwarded) <= 4 * (edits + ours)  # a text and its notice may share a token


@given(bodies(), windows, policies, reading)
def test_every_marker_leads_to_the_whole_original(body: Body, window: int, policy: str, reads: bool):
    for seen in session(body, window, policy, reads):
        if not seen.edited:
            continue
        kept, sent = seen.kept(), json.loads(seen.taken_in)["messages"]
        drops = [edit for edit in seen.edited.plan.edits if isinstance(edit, Drop)]
        for edit in seen.edited.plan.edits:
            match edit:
                case Replace():
                    content = sent[edit.index]["content"]
                    original = content if isinstance(content, str) else content[edit.part]["text"]
                    assert kept[edit.locator] == original
                    assert edit.locator in edit.text
                case ReplaceArguments():
                    assert kept[edit.locator] == sent[edit.index]["tool_calls"][edit.call]["function"]["arguments"]
                    assert isinstance(json.loads(edit.text), dict)
                case Drop():
                    roles = [json.loads(line)["role"] for line in kept[edit.locator].split("\n")]
                    gone = [index for one in drops for index in range(one.start, one.end)]
                    assert roles == [sent[index]["role"] for index in gone]
                case Note():
                    assert set(LOCATOR.findall(edit.text)) <= kept.keys() | seen.every_locator()


@given(bodies(), windows, policies, reading)
def test_the_budget_holds_or_the_brake_answers(body: Body, window: int, policy: str, reads: bool):
    for seen in session(body, window, policy, reads):
        if seen.edited and seen.edited.mode == "enforce":
            asked = json.loads(seen.sent).get("max_tokens", 0)
            assert seen.report.forwarded + min(asked, window // 5) <= window
            granted = json.loads(seen.got).get("max_tokens", 0)
            assert granted <= 1 or seen.report.forwarded + granted <= window


@given(bodies(), windows)
def test_observing_changes_nothing(body: Body, window: int):
    for seen in session(body, window, "observe", reads=False):
        assert seen.got == seen.sent
        assert seen.report.budget.keys() == {"system", "active", "history", "output"}
