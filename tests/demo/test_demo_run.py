"""The demo as a whole: with a proxy that passes everything on, with bad ones, and with the real one."""

import pytest

from proxy.demo.client import Exchange
from proxy.demo.figures import row
from proxy.demo.prompt_cache import Prompt, PromptCounter
from proxy.demo.run import Addresses, run, show
from proxy.demo.upstream import ScriptedUpstream, Seen
from tests.demo.demo_builders import passing_proxy, words

SOUND = Seen(Prompt(10, 0), 1, (), identical=True, quotes_held=())


async def shown(edit=None) -> bool:
    upstream = ScriptedUpstream(PromptCounter(words))
    async with upstream.serve() as url, passing_proxy(url, edit) as base_url:
        return await show(upstream, Addresses(base_url, base_url.removesuffix("/v1")))


async def test_a_proxy_that_passes_everything_on_is_valid_and_saves_nothing(capsys):
    assert await shown()
    printed = capsys.readouterr().out
    assert printed.count("every request was forwarded byte for byte") == 3
    assert 'forebay_requests_total{model="m"} 3.0' in printed


def without_a_result(body):
    last_tool = max((i for i, m in enumerate(body["messages"]) if m["role"] == "tool"), default=None)
    return (
        body
        if last_tool is None
        else body | {"messages": [m for i, m in enumerate(body["messages"]) if i != last_tool]}
    )


def without_system(body):
    return body | {"messages": body["messages"][1:]}


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [(without_a_result, "before the results of call_"), (without_system, "the system messages are not those")],
)
async def test_a_proxy_that_breaks_the_structure_fails_the_demo(edit, complaint, capsys):
    assert not await shown(edit)
    assert complaint in " ".join(capsys.readouterr().out.split())


def an_exchange(**context: str) -> Exchange:
    headers = {f"x-context-{name.replace('_', '-')}": value for name, value in context.items()}
    return Exchange("r/1", {}, 200, headers, None, None)


def test_counts_that_do_not_add_up_are_a_fault():
    lost = an_exchange(received_tokens="100", dropped_tokens="30", added_tokens="5", forwarded_tokens="70")
    assert row(lost, SOUND, Prompt(10, 0), 0).faults == ("the headers do not add up: 100 + 5 - 30 is not 70",)


def test_counts_that_add_up_are_none():
    told = an_exchange(
        received_tokens="100", dropped_tokens="20", cleared_tokens="10", added_tokens="5", forwarded_tokens="75"
    )
    assert row(told, SOUND, Prompt(10, 0), 0).faults == ()


def test_a_request_that_never_arrived_is_a_fault():
    assert row(an_exchange(), None, Prompt(10, 0), 0).faults == ("it never reached the upstream",)


async def test_the_whole_demo_ends_with_0(capsys):
    assert await run(keep=False) == 0
    printed = capsys.readouterr().out
    assert "Everything fitted: every request was forwarded byte for byte, but for our retrieval tool." in printed
    assert printed.rstrip().endswith("every request was valid")
