"""openai-python, as agents use it, gets through the proxy what it would get from a provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import openai
import pytest
import pytest_asyncio
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionToolParam

from proxy.app import Running
from tests.end_to_end.house import WINDOWS, Provider, Transport
from tests.scripted_upstream import DONE, Item, Json, Recorded, Reply, Stream, chunk, completion, error, usage_chunk

pytestmark = pytest.mark.asyncio(loop_scope="module")

ARGUMENTS = '{"city": "Oslo", "days": 2}'
CALLS = [{"id": "call_w1", "type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}}]
USAGE = {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99}
TOOL: ChatCompletionToolParam = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
QUESTION: ChatCompletionMessageParam = {"role": "user", "content": "How is Oslo?"}
RESULT = "rain, 4 degrees"
FINAL = "It rains in Oslo, at 4 degrees."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def agent(proxy: Running) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{proxy.url}/v1", api_key="sk-agent", max_retries=0) as made:
        yield made


@pytest.fixture
def blocking(proxy: Running) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="sk-agent", max_retries=0) as made:
        yield made


def weather_agent(request: Recorded) -> Reply:
    """A model that calls its tool, and once it has the result says it."""
    body = request.json
    last = body["messages"][-1]
    done = last["role"] == "tool"
    if done:
        assert (last["tool_call_id"], last["content"]) == ("call_w1", RESULT)
    message: dict[str, Any] = {"content": FINAL} if done else {"content": None, "tool_calls": CALLS}
    reason = "stop" if done else "tool_calls"
    if not body.get("stream"):
        return Json(completion(message, reason, usage=USAGE))
    return Stream([*_pieces(done), chunk({}, reason), usage_chunk(USAGE), DONE])


def _pieces(done: bool) -> list[Item]:
    if done:
        return [chunk({"role": "assistant", "content": ""}), *(chunk({"content": word}) for word in FINAL.split(" "))]
    first = {"index": 0, "id": "call_w1", "type": "function", "function": {"name": "weather", "arguments": ""}}
    rest = [{"index": 0, "function": {"arguments": ARGUMENTS[at : at + 5]}} for at in range(0, len(ARGUMENTS), 5)]
    return [chunk({"role": "assistant", "content": None}), *(chunk({"tool_calls": [call]}) for call in (first, *rest))]


async def test_an_agentic_round_trip(agent: openai.AsyncOpenAI, provider: Provider, transport: Transport) -> None:
    provider.default = weather_agent
    model, messages = f"{transport}-32000", [QUESTION]
    asked = await agent.chat.completions.create(model=model, messages=messages, tools=[TOOL])
    answer = asked.choices[0].message
    assert answer.tool_calls is not None
    assert answer.tool_calls[0].type == "function"
    assert json.loads(answer.tool_calls[0].function.arguments) == {"city": "Oslo", "days": 2}
    messages += [answer.to_dict(), _result()]  # type: ignore[list-item] # as agents hand a message back
    final = await agent.chat.completions.create(model=model, messages=messages, tools=[TOOL])
    assert final.choices[0].message.content == FINAL
    assert final.choices[0].finish_reason == "stop"
    assert final.usage is not None
    assert final.usage.prompt_tokens == 90


async def test_an_agentic_round_trip_from_a_thread(
    blocking: openai.OpenAI, provider: Provider, transport: Transport
) -> None:
    provider.default = weather_agent

    def whole_trip() -> str | None:
        model, messages = f"{transport}-32000", [QUESTION]
        asked = blocking.chat.completions.create(model=model, messages=messages, tools=[TOOL])
        messages += [asked.choices[0].message.to_dict(), _result()]  # type: ignore[list-item] # as above
        final = blocking.chat.completions.create(model=model, messages=messages, tools=[TOOL])
        return final.choices[0].message.content

    assert await asyncio.to_thread(whole_trip) == FINAL


async def test_an_agentic_round_trip_in_streams(
    agent: openai.AsyncOpenAI, provider: Provider, transport: Transport
) -> None:
    provider.default = weather_agent
    model, messages = f"{transport}-32000", [QUESTION]
    async with agent.chat.completions.stream(model=model, messages=messages, tools=[TOOL]) as stream:
        answer = (await stream.get_final_completion()).choices[0]
    assert answer.finish_reason == "tool_calls"
    assert answer.message.tool_calls is not None
    assert answer.message.tool_calls[0].function.arguments == ARGUMENTS
    call = {"id": "call_w1", "type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}}
    messages += [{"role": "assistant", "tool_calls": [call]}, _result()]  # type: ignore[list-item] # as above
    deltas = await agent.chat.completions.create(model=model, messages=messages, tools=[TOOL], stream=True)
    said = [each.choices[0].delta.content or "" async for each in deltas if each.choices]
    assert "".join(said) == FINAL.replace(" ", "")
    assert len(said) > 3


async def test_a_rate_limit_is_the_providers_own(
    agent: openai.AsyncOpenAI, provider: Provider, transport: Transport
) -> None:
    limits = {"retry-after": "7", "x-ratelimit-remaining-requests": "0", "x-request-id": "req_up"}
    said = {"message": "Slow down", "type": "requests", "param": None, "code": "rate_limit_exceeded"}
    provider.reply(error(429, {"error": said}, limits))
    with pytest.raises(openai.RateLimitError) as caught:
        await agent.chat.completions.create(model=f"{transport}-32000", messages=[QUESTION])
    assert caught.value.body == said
    assert {name: caught.value.response.headers[name] for name in limits} == limits
    assert len(provider.requests) == 1


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "ends early"])
async def test_a_stream_that_breaks_raises_in_the_client(
    reset: bool, agent: openai.AsyncOpenAI, provider: Provider, transport: Transport
) -> None:
    provider.reply(Stream([chunk({"role": "assistant", "content": "It rai"})], reset=reset))
    said: list[str | None] = []
    stream = await agent.chat.completions.create(model=f"{transport}-32000", messages=[QUESTION], stream=True)
    with pytest.raises(openai.APIError) as caught:
        await _read_into(said, stream)
    assert said == ["It rai"]
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["code"] == "upstream_error"


async def test_a_request_over_the_window_is_a_bad_request_with_its_code(
    agent: openai.AsyncOpenAI, provider: Provider, transport: Transport
) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        await agent.chat.completions.create(
            model=f"{transport}-300", messages=[{"role": "user", "content": "a word and " * 500}]
        )
    assert caught.value.code == "context_length_exceeded"
    assert provider.requests == []


async def test_the_providers_own_overflow_error_is_passed_on(
    agent: openai.AsyncOpenAI, provider: Provider, transport: Transport
) -> None:
    said = {"message": "too long", "type": "invalid_request_error", "param": None, "code": "context_length_exceeded"}
    provider.reply(error(400, {"error": said}))
    with pytest.raises(openai.BadRequestError) as caught:
        await agent.chat.completions.create(model=f"{transport}-32000", messages=[QUESTION])
    assert caught.value.body == said
    assert len(provider.requests) == 1


async def test_an_unknown_model_is_not_found(agent: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        await agent.chat.completions.create(model="nobody-knows-7", messages=[QUESTION])
    assert caught.value.code == "model_not_found"


async def test_models_are_listed(agent: openai.AsyncOpenAI) -> None:
    names = [model.id async for model in agent.models.list()]
    assert set(names) >= {f"{transport}-{window}" for transport in ("relay", "litellm") for window in WINDOWS}
    assert (await agent.models.retrieve("relay-32000")).id == "relay-32000"


async def test_embeddings_are_relayed(agent: openai.AsyncOpenAI, provider: Provider) -> None:
    vector = {"object": "embedding", "index": 0, "embedding": [0.25, -1.0]}
    usage = {"prompt_tokens": 2, "total_tokens": 2}
    provider.reply(Json({"object": "list", "data": [vector], "model": "m", "usage": usage}))
    got = await agent.embeddings.create(model="relay-32000", input="harbour", encoding_format="float")
    assert got.data[0].embedding == [0.25, -1.0]
    assert provider.only.path == "/v1/embeddings"
    assert provider.only.json["input"] == "harbour"


async def _read_into(said: list[str | None], stream: openai.AsyncStream[ChatCompletionChunk]) -> None:
    async for each in stream:
        said.append(each.choices[0].delta.content)


def _result() -> ChatCompletionMessageParam:
    return {"role": "tool", "tool_call_id": "call_w1", "content": RESULT}
