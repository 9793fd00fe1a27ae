"""The simulated provider cache, and what a request costs under it."""

from __future__ import annotations

from policies.terms import CachePrices
from proxy.replay.prompt import Prompt, Sent, bill, sent

PRICES = CachePrices(1.25, 0.1)


def prompt(messages: str, fixed: bytes = b"tools", fixed_tokens: int = 50) -> Prompt:
    """One message of 10 tokens per letter."""
    return Prompt(fixed, fixed_tokens, [letter.encode() for letter in messages], [10] * len(messages))


def test_the_first_request_is_all_new():
    assert sent(prompt("ab"), None) == Sent(70, 0, broke=False)


def test_a_grown_history_is_read_up_to_where_it_grew_definitions_first():
    assert sent(prompt("abc"), prompt("ab")) == Sent(80, 70, broke=False)


def test_a_message_that_changed_is_new_and_so_is_all_behind_it():
    assert sent(prompt("aXcd"), prompt("abc")) == Sent(90, 60, broke=True)


def test_messages_that_are_gone_are_a_break():
    assert sent(prompt("ab"), prompt("abc")) == Sent(70, 70, broke=True)


def test_other_definitions_make_everything_new():
    assert sent(prompt("abc", fixed=b"more tools"), prompt("ab")) == Sent(80, 0, broke=True)


def test_every_token_has_its_price():
    assert bill(Sent(80, 70), 4, PRICES) == 70 * 0.1 + 10 * 1.25 + 4 * 5


def test_without_our_tool_the_fixed_part_is_smaller_in_prefix_and_prompt():
    assert Sent(80, 70).without(20) == Sent(60, 50)
    assert Sent(80, 0).without(20) == Sent(60, 0)
