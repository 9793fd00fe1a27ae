import json

import pytest

from proxy.demo.answers import assembled, chunks, completion
from tests.demo.demo_builders import assistant

LONG = {"role": "assistant", "content": "word " * 300}
CALLS = assistant("a", "b", arguments=json.dumps({"text": "é" * 700}))


@pytest.mark.parametrize("answer", [LONG, CALLS, {**CALLS, "content": "both"}, {"role": "assistant", "content": ""}])
def test_a_streamed_answer_is_put_together_again(answer):
    events = [*(json.dumps(chunk) for chunk in chunks("m", answer, {"prompt_tokens": 7})), "[DONE]"]
    assert assembled(events) == (answer, {"prompt_tokens": 7})


def test_a_long_answer_takes_many_chunks():
    assert len(list(chunks("m", LONG, None))) > 5


def test_usage_comes_last_and_without_choices():
    *_, last = chunks("m", LONG, {"prompt_tokens": 7})
    assert last["choices"] == []


def test_usage_that_nobody_asked_for_is_not_sent():
    assert all("usage" not in chunk for chunk in chunks("m", LONG, None))


@pytest.mark.parametrize(("answer", "reason"), [(LONG, "stop"), (CALLS, "tool_calls")])
def test_the_finish_reason_tells_calls_from_words(answer, reason):
    assert completion("m", answer, {})["choices"][0]["finish_reason"] == reason


def test_an_error_event_breaks_the_stream_off():
    with pytest.raises(ValueError, match="the stream broke off"):
        assembled(['{"error": {"message": "gone"}}'])
