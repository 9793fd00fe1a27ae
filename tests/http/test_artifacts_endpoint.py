from __future__ import annotations

import pytest

from proxy.retrieval.pages import PAGE_LINES
from tests.http.http_builders import World, client_of

LOCATOR = "art_abcdefgh2345"
PATH = f"/v1/context/artifacts/{LOCATOR}"
TEXT = "".join(f"line {number}\n" for number in range(1, 6))


async def asked(query="", text=TEXT, method="GET", path=PATH, down=False):
    world = World()
    await world.artifacts.put("team-a", LOCATOR, "result", text, "ses_x")
    world.artifacts.down = down
    async with client_of(world) as client, client.request(method, path + query) as answer:
        return answer.status, await answer.json()


async def test_an_artifact_is_answered_in_the_shape_of_the_contract():
    assert await asked() == (
        200,
        {"locator": LOCATOR, "kind": "result", "lines": 5, "start": 1, "end": 5, "next": None, "text": TEXT},
    )


async def test_lines_are_answered_inclusively():
    _, body = await asked("?start=2&end=3")
    assert (body["start"], body["end"], body["text"]) == (2, 3, "line 2\nline 3\n")


async def test_next_handed_in_as_start_reads_on():
    text = "x\n" * (PAGE_LINES + 1)
    _, first = await asked(text=text)
    _, second = await asked(f"?start={first['next']}", text=text)
    assert (first["text"] + second["text"], second["next"]) == (text, None)


async def test_a_place_within_a_long_line_is_taken():
    _, body = await asked("?start=2:5")
    assert body["text"].startswith("2\nline 3")


async def test_grep_answers_the_lines_that_match():
    _, body = await asked("?grep=line%20[24]&context=0")
    assert body["text"] == "2:line 2\n--\n4:line 4\n"


async def test_meta_tells_what_is_known_without_the_text():
    _, body = await asked("?meta=1")
    assert sorted(body) == ["characters", "created", "expires", "kind", "locator", "sessions"]


@pytest.mark.parametrize(
    "query",
    ["?start=0", "?start=x", "?start=-1", "?start=", "?start=1:x", "?start=9999999999999", "?end=0", "?start=3&end=2",
     "?start=6", "?grep=(", "?grep=", "?grep=a&context=21", "?context=x", "?start=%D9%A1"],
)  # fmt: skip
async def test_a_query_that_cannot_be_answered_is_400(query):
    status, body = await asked(query)
    assert (status, body["error"]["code"]) == (400, "invalid_request_error")


async def test_reading_by_symbol_is_refused_as_not_built():
    status, body = await asked("?symbol=main")
    assert status == 400
    assert "not built yet" in body["error"]["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("name", ["art_aaaaaaaaaaaa", "art_ABCDEFGH2345", "art_1", "..%2f..%2fsecret", "x" * 5_000])
async def test_a_locator_that_leads_nowhere_is_404_and_says_to_run_the_source_again(name, method):
    status, body = await asked(method=method, path=f"/v1/context/artifacts/{name}")
    assert (status, body["error"]["code"]) == (404, "not_found")
    assert "run the source again" in body["error"]["message"]


async def test_what_is_no_locator_never_reaches_the_store():
    world = World()
    world.artifacts.down = True
    async with client_of(world) as client, client.get("/v1/context/artifacts/art_1") as answer:
        assert answer.status == 404


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_store_that_is_down_is_503(method):
    status, body = await asked(method=method, down=True)
    assert (status, body["error"]["code"]) == (503, "store_unavailable")


async def test_an_erased_artifact_is_gone():
    world = World()
    await world.artifacts.put("team-a", LOCATOR, "result", TEXT, "ses_x")
    async with client_of(world) as client:
        async with client.delete(PATH) as answer:
            assert await answer.json() == {"locator": LOCATOR, "deleted": True}
        async with client.get(PATH) as answer:
            assert answer.status == 404
