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


async def test_a_definition_is_read_by_its_name():
    status, body = await asked(
        "?symbol=berth", text="import sys\n\n\ndef berth(n):\n    return n\n\n\nprint(berth(7))\n"
    )
    assert (status, body["text"], body["start"], body["end"]) == (200, "def berth(n):\n    return n\n", 4, 5)


async def test_a_name_that_is_not_defined_is_404():
    status, body = await asked("?symbol=main")
    assert (status, body["error"]["code"]) == (404, "not_found")
    assert "'main'" in body["error"]["message"]


TWO_NAMED_SO = "def dock(n):\n    return n\n\nclass Crane:\n    def dock(self):\n        return 7\n\ndone = 1\n"


async def test_next_leads_to_the_other_definitions_of_the_name():
    _, first = await asked("?symbol=dock", text=TWO_NAMED_SO)
    _, second = await asked(f"?symbol=dock&start={first['next']}", text=TWO_NAMED_SO)
    assert [(page["start"], page["end"], page["next"]) for page in (first, second)] == [(1, 2, 5), (5, 6, None)]


async def test_an_owner_before_the_name_chooses_among_definitions():
    _, body = await asked("?symbol=Crane.dock", text=TWO_NAMED_SO)
    assert (body["start"], body["end"], body["next"]) == (5, 6, None)


@pytest.mark.parametrize(("query", "status"), [("&end=4", 404), ("&end=5", 200), ("&start=7", 404)])
async def test_a_definition_is_looked_for_in_the_lines_asked_for(query, status):
    assert (await asked(f"?symbol=Crane.dock{query}", text=TWO_NAMED_SO))[0] == status


async def test_a_definition_within_one_that_was_told_is_not_told_again():
    _, body = await asked("?symbol=Dock", text="class Dock:\n    class Dock:\n        pass\n\ndone = 1\n")
    assert (body["start"], body["end"], body["next"]) == (1, 3, None)


@pytest.mark.parametrize("line", ["    x = 1\n", f"    x = '{'y' * 200_000}'\n"], ids=["many lines", "long lines"])
async def test_pages_of_a_long_definition_put_together_are_the_definition(line):
    definition = "def dock():\n" + line * (PAGE_LINES + 1 if len(line) < 100 else 3)
    told, start = "", 1
    while start is not None:
        _, body = await asked(f"?symbol=dock&start={start}", text=f"a = 1\n\n\n{definition}\n\ndone = 1\n")
        told, start = told + body["text"], body["next"]
    assert told == definition


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
