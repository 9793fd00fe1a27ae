"""The store that the configuration names, as a whole proxy uses it; one that fails at start costs a warning."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import ClientSession

from proxy.app import Running, running
from proxy.artifacts.local import LocalArtifacts
from proxy.artifacts.opening import opened
from proxy.background import Background
from proxy.errors import StoreError
from proxy.http import keys
from proxy.settings import ArtifactsSettings, Settings
from tests.faults.bench import NO_STORE, PATIENCE, an_agent, locators, model, session, settings
from tests.object_server import ObjectServer
from tests.scripted_upstream import ScriptedUpstream


def with_store(configured: Settings, url: str) -> Settings:
    return configured.model_copy(update={"artifacts": ArtifactsSettings(url=url)})


async def read_back(proxy: Running, http: ClientSession, locator: str) -> int:
    async with http.get(f"{proxy.url}/v1/context/artifacts/{locator}?meta=1") as answer:
        if answer.status == 200:
            assert (await answer.json())["locator"] == locator
        return answer.status


async def test_what_one_proxy_takes_out_another_reads_from_the_object_store(
    tmp_path: Path, objects: ObjectServer, prefix: str
) -> None:
    async with ScriptedUpstream() as provider, an_agent() as http:

        def replica(name: str) -> Settings:
            configured = settings(tmp_path / name, model(provider.url), state_url=NO_STORE)
            return with_store(configured, objects.url(prefix))

        async with running(replica("one")) as first:
            for body in session()[:16]:
                headers = {"content-type": "application/json"}
                async with http.post(f"{first.url}/v1/chat/completions", data=body, headers=headers) as answer:
                    assert answer.status == 200
                    assert "artifacts" not in answer.headers.get("x-context-degraded", "")
            background: Background = first.app[keys.BACKGROUND]
            await background.drain(PATIENCE)
        shown = locators([request.body for request in provider.requests])
        assert shown
        async with running(replica("two")) as second:
            assert {locator: await read_back(second, http, locator) for locator in shown} == dict.fromkeys(shown, 200)


@pytest.mark.parametrize("store", ["a file", "object store"])
async def test_one_that_fails_at_start_is_told_and_costs_no_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
    url = "s3://bucket?endpoint=http://127.0.0.1:1&region=us-east-1"
    if store == "a file":
        url = str(tmp_path / "file")
        (tmp_path / "file").write_text("")
    async with opened(ArtifactsSettings(url=url), b"secret") as artifacts:
        with pytest.raises(StoreError):
            await artifacts.put("team", "art_aaaaaaaaaaaa", "result", "x", "s1")
    assert "artifacts.url" in caplog.text
    assert "cannot be used" in caplog.text


async def test_a_folder_is_made_at_start(tmp_path: Path) -> None:
    async with opened(ArtifactsSettings(url=str(tmp_path / "deep" / "folder")), b"secret") as artifacts:
        assert isinstance(artifacts, LocalArtifacts)
    assert (tmp_path / "deep" / "folder").is_dir()
