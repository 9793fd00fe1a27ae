"""The evidence of a message by the place where it stands."""

from __future__ import annotations

from proxy.replay.said import said
from tests.replay.samples import calls, result, says, user


def test_a_results_items_are_text():
    assert said(result("c1", "see a_1 b"), "tool").text == frozenset()
    assert said(result("c1", "see abc_1 b"), "tool").text == {"abc_1"}


def test_parts_are_read_one_after_the_other():
    parts = [{"type": "text", "text": "abc_1"}, {"type": "image_url"}, {"type": "text", "text": "abc_2"}]
    assert said({"role": "user", "content": parts}, "user").text == {"abc_1", "abc_2"}


def test_arguments_are_unquoted_and_their_keys_are_not_evidence():
    made = calls("c1", arguments='{"file_path": "one\\ntwo_2", "deep": [{"the_n": 404}]}')
    assert said(made, "assistant").arguments == {"two_2", "404"}


def test_arguments_that_are_no_json_are_read_as_they_stand():
    assert said(calls("c1", arguments='{"path": "abc_1'), "assistant").arguments == {"abc_1"}


def test_a_calls_name_is_not_used_evidence():
    one = said(calls("c1", name="read_file", arguments="{}"), "assistant")
    assert (one.used, one.calls) == (frozenset(), {"read_file"})


def test_what_is_used_stands_in_words_and_arguments():
    one = said(calls("c1", arguments='{"a": "abc_1"}', content="for abc_2"), "assistant")
    assert one.used == {"abc_1", "abc_2"}


def test_locators_are_found_in_text_and_arguments():
    stub = "kept as art_aaaaaaaaaaaa"
    assert said(user(stub), "user").locators == {"art_aaaaaaaaaaaa"}
    assert said(calls("c1", arguments=f'{{"a": "{stub}"}}'), "assistant").locators == {"art_aaaaaaaaaaaa"}


def test_name_lists_are_taken_out_of_the_plain_items_only():
    def strip(text: str) -> str:
        return text.replace("names: abc_1", "")

    one = said(says("abc_2 names: abc_1"), "assistant", strip)
    assert (one.all, one.plain) == ({"abc_1", "abc_2"}, {"abc_2"})
