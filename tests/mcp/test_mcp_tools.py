"""The tools as the MCP SDK's client sees them, in both kinds of the protocol."""

from __future__ import annotations

import asyncio
import re

import pytest
from mcp import MCPError

from proxy.app import Running
from proxy.mcp.versions import BY_REQUEST, SHAKES_HANDS
from tests.mcp.mcp_house import (  # fmt: skip
    FOREIGN,
    LOCATOR,
    MODES,
    OTHERS,
    TEAM,
    TEXT,
    UNKNOWN,
    connected,
    counted,
    read,
    text_of,
)

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.parametrize("mode", MODES)]


async def test_a_client_learns_who_answers(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        assert client.server_info.name == "forebay"
        assert client.protocol_version == (SHAKES_HANDS if mode == "legacy" else BY_REQUEST)[-1]
        assert "context_read" in (client.instructions or "")


@pytest.mark.parametrize(("key", "names"), [(TEAM, ["context_read", "code_symbol"]), (OTHERS, ["context_read"])])
async def test_code_is_offered_to_those_who_have_a_workspace(
    proxy: Running, mode: str, key: str, names: list[str]
) -> None:
    async with connected(proxy.url, mode, key) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == names


async def test_a_tool_is_told_with_its_arguments_and_that_it_changes_nothing(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        reads = (await client.list_tools()).tools[0]
    assert list(reads.input_schema["properties"]) == ["locator", "lines", "grep", "symbol"]
    assert reads.input_schema["required"] == ["locator"]
    assert reads.annotations is not None
    assert reads.annotations.read_only_hint


async def test_lines_are_read(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        told = await read(client, lines="2-3")
    assert told == f"[Forebay: lines 2-3 of 3005 of {LOCATOR}]\nline 2\nline 3\n"


async def test_a_pattern_finds_its_lines(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        assert "777:line 777\n" in await read(client, grep="line 777$")


async def test_a_pattern_that_finds_nothing_is_no_error(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        assert "no line of" in await read(client, grep="nowhere")


async def test_a_definition_is_read_by_its_name(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        assert "def berth(ship):\n    return ship.length\n" in await read(client, symbol="berth")


async def test_following_what_a_page_says_tells_the_whole_text(proxy: Running, mode: str) -> None:
    told, pages = "", 0
    async with connected(proxy.url, mode) as client:
        rest: str | None = "1-"
        while rest is not None:
            _, *lines = (await read(client, lines=rest)).splitlines(keepends=True)
            found = re.search(r'goes on with lines "(.+)"\]', lines[-1])
            told += "".join(lines[:-1] if found else lines)
            rest, pages = found[1] if found else None, pages + 1
    assert told == TEXT
    assert pages > 2


async def test_unknown_and_foreign_locators_are_one_text(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        foreign, unknown = [await client.call_tool("context_read", {"locator": each}) for each in (FOREIGN, UNKNOWN)]
    assert (foreign.is_error, unknown.is_error) == (True, True)
    assert text_of(foreign).replace(FOREIGN, UNKNOWN) == text_of(unknown)
    assert "Run the source again" in text_of(unknown)


async def test_the_owner_finds_what_is_foreign_to_others(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode, OTHERS) as client:
        assert "what is theirs" in text_of(await client.call_tool("context_read", {"locator": FOREIGN}))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "There is no locator"),
        ({"locator": "the file"}, "is no locator"),
        ({"locator": LOCATOR, "lines": "all"}, "is no range"),
        ({"locator": LOCATOR, "lines": "9999"}, "past the last line"),
        ({"locator": LOCATOR, "page": "2"}, "no argument page"),
        ({"locator": LOCATOR, "grep": ["a"]}, "must be a string"),
    ],
)
async def test_wrong_arguments_are_told_to_the_model(
    proxy: Running, mode: str, arguments: dict[str, object], told: str
) -> None:
    async with connected(proxy.url, mode) as client:
        result = await client.call_tool("context_read", arguments)
    assert result.is_error
    assert told in text_of(result)


async def test_code_is_searched_and_loaded(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        place = text_of(await client.call_tool("code_symbol", {"search": "sail"})).splitlines()[1].split(" ")[0]
        loaded = await client.call_tool("code_symbol", {"name": place})
    assert not loaded.is_error
    assert "def sail(self, speed):" in text_of(loaded)


async def test_a_tool_that_is_not_the_tenants_is_a_protocol_error(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode, OTHERS) as client:
        with pytest.raises(MCPError, match="there is no tool 'code_symbol'; there are: context_read"):
            await client.call_tool("code_symbol", {"search": "sail"})


async def test_clients_at_once_get_their_own_answers(proxy: Running, mode: str) -> None:
    async def one(line: int) -> str:
        async with connected(proxy.url, mode) as client:
            return await read(client, lines=str(line))

    told = await asyncio.gather(*map(one, range(1, 9)))
    assert [answer.splitlines()[1] for answer in told] == [f"line {line}" for line in range(1, 9)]


async def test_calls_at_once_of_one_client_get_their_own_answers(proxy: Running, mode: str) -> None:
    async with connected(proxy.url, mode) as client:
        told = await asyncio.gather(*(read(client, lines=str(line)) for line in range(1, 9)))
    assert [answer.splitlines()[1] for answer in told] == [f"line {line}" for line in range(1, 9)]


async def test_without_a_key_nothing_is_told(proxy: Running, mode: str) -> None:
    with pytest.RaisesGroup(MCPError, flatten_subgroups=True, allow_unwrapped=True):
        async with connected(proxy.url, mode, key=None):
            pytest.fail("connected without a key")


async def test_calls_are_counted_like_those_of_a_completion(proxy: Running, mode: str) -> None:
    before = counted(proxy, "grep", "found"), counted(proxy, "lines", "gone"), counted(proxy, "search", "nothing")
    async with connected(proxy.url, mode) as client:
        await read(client, grep="line 1$")
        await client.call_tool("context_read", {"locator": UNKNOWN})
        await client.call_tool("code_symbol", {"search": "nowhere"})
    after = counted(proxy, "grep", "found"), counted(proxy, "lines", "gone"), counted(proxy, "search", "nothing")
    assert [now - then for now, then in zip(after, before, strict=True)] == [1, 1, 1]
