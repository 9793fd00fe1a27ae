from __future__ import annotations

from pathlib import Path

from proxy.workspaces import Workspaces
from tests.workspaces.yard import ROOM, Yard, body, head, opened, settings


async def test_every_other_tenant_gets_the_answers_of_an_empty_workspace(yard: Yard) -> None:
    yard.write("boat.py")
    place = await yard.cite("sail")
    empty = Workspaces([])
    for written in ("sail", "boat.py:1-2", place):
        foreign = await yard.load(written, tenant="other")
        assert foreign.result == "nothing"
        assert foreign == await Yard(yard.root, empty).load(written)
    assert (await yard.search("sail", tenant="other")).text == "[Forebay: no definition matches 'sail']"
    assert (await yard.search("none", tenant="t")).text == "[Forebay: no definition matches 'none']"


async def test_paths_are_relative_and_begin_with_the_name_where_there_are_several(tmp_path: Path) -> None:
    for name in ("api", "web"):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src" / "m.py").write_text(f"def {name}(): pass\ndef both(): pass\n")
    configured = [settings("api", tmp_path / "api", "t", "one"), settings("web", tmp_path / "web", "t")]
    async with opened(configured) as workspaces:
        assert workspaces.has("t")
        assert workspaces.has("one")
        assert not workspaces.has("other")
        both = Yard(tmp_path, workspaces)
        assert await both.places("both") == ["api/src/m.py:2-2 function both", "web/src/m.py:2-2 function both"]
        for line in (await both.search("both")).text.splitlines()[1:]:
            told = await both.load(line)
            assert head(told).startswith(f"[Forebay: {line.split(' ')[0]}")
            assert body(told) == "def both(): pass\n"
        assert body(await both.load("src/m.py:1-1")) == "def api(): pass\n"
        one = await workspaces.search("one", "both", ROOM)
        assert "src/m.py:2-2@" in one.text
        assert "api/" not in one.text
        assert str(tmp_path) not in one.text
        assert (await workspaces.load("one", "web", ROOM)).result == "nothing"
        assert (await workspaces.load("one", "web/src/m.py:1-1", ROOM)).result == "nothing"


async def test_one_that_cannot_be_read_does_not_silence_another(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "m.py").write_text("def there(): pass\n")
    async with opened([settings("api", tmp_path / "api", "t"), settings("web", tmp_path / "web", "t")]) as workspaces:
        told = await workspaces.search("t", "there", ROOM)
        assert told.result == "found"
        assert "a part of the source code cannot be read now" in head(told)
        assert (await workspaces.search("t", "nowhere", ROOM)).result == "failed"
