from __future__ import annotations

import hmac
import re

import pytest

from proxy.errors import Unauthorized
from proxy.settings import LimitSettings
from proxy.tenants import LOCAL, Tenants
from tests.http.http_builders import KEY_A, KEY_B, SECRET, World, client_of, settings


@pytest.mark.parametrize(
    ("header", "name"),
    [(f"Bearer {KEY_A}", "team-a"), (f"bearer  {KEY_B} ", "team-b"), ("Bearer fb-second-key", "team-b")],
)
def test_a_key_is_its_tenants(header, name):
    assert Tenants(settings(), SECRET).identify(header).name == name


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer ", KEY_A, f"Basic {KEY_A}", f"Bearer {KEY_A}x", "Bearer \udcff\udcfe", "Bearer é",
     "Bearer sha256:" + "0" * 64],
)  # fmt: skip
def test_anything_else_is_nobodys(header):
    with pytest.raises(Unauthorized):
        Tenants(settings(), SECRET).identify(header)


def test_the_error_never_repeats_the_key():
    with pytest.raises(Unauthorized) as caught:
        Tenants(settings(), SECRET).identify("Bearer canary-key")
    assert "canary" not in str(caught.value)


def test_every_hash_is_compared_whichever_matches(monkeypatch):
    compared = []
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append(a) or a == b)
    Tenants(settings(), SECRET).identify(f"Bearer {KEY_A}")
    assert len(compared) == 3


def test_a_hash_from_the_configuration_is_no_key():
    configured = settings().tenants[0].key_hashes[0]
    with pytest.raises(Unauthorized):
        Tenants(settings(), SECRET).identify(f"Bearer {configured}")


def test_without_keys_everybody_is_local():
    assert Tenants(settings("none"), SECRET).identify(None) is LOCAL


def test_a_tenant_may_choose_its_listed_policies_and_its_own():
    tenants = Tenants(settings(), SECRET)
    assert tenants.identify(f"Bearer {KEY_A}").policies == {"coding", "chat"}
    assert tenants.identify(f"Bearer {KEY_B}").policies == set()


@pytest.mark.parametrize("header", ["x-api-key", "api-key"])
async def test_a_key_in_another_header_is_not_read_and_the_error_says_where_it_belongs(header):
    async with client_of(World(), key=None) as client, client.get("/v1/models", headers={header: KEY_A}) as answer:
        error = (await answer.json())["error"]
    assert (answer.status, error["code"]) == (401, "invalid_api_key")
    assert "Authorization: Bearer" in error["message"]


async def test_an_unknown_path_needs_a_key_too():
    async with client_of(World(), key=None) as client, client.get("/v1/anything") as answer:
        assert answer.status == 401


async def test_bytes_that_are_no_text_in_the_header_are_401():
    headers = {"authorization": "Bearer \u00ff\u20ac"}
    async with client_of(World(), key=None) as client, client.get("/v1/models", headers=headers) as answer:
        assert answer.status == 401


async def test_while_draining_new_requests_are_503_and_probes_are_answered():
    world = World()
    world.readiness.draining = True
    async with client_of(world) as client:
        async with client.get("/v1/models") as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (503, "overloaded")
        async with client.get("/healthz") as answer:
            assert answer.status == 200


PASSING = settings("passthrough")


def test_an_own_key_names_its_tenant_by_a_keyed_digest():
    one = Tenants(PASSING, SECRET).identify("Bearer sk-one")
    assert one == Tenants(PASSING, SECRET).identify("Bearer sk-one")
    assert one.name != Tenants(PASSING, b"another secret").identify("Bearer sk-one").name
    assert one.name != Tenants(PASSING, SECRET).identify("Bearer sk-two").name
    assert re.fullmatch(r"passthrough-[a-z2-7]{26}", one.name)
    assert "sk-one" not in repr(one)


def test_an_own_key_goes_upstream_as_it_came():
    credential = Tenants(PASSING, SECRET).identify("Bearer sk-one").credential
    assert credential is not None
    assert credential.get_secret_value() == "sk-one"


def test_an_own_key_may_choose_no_policy_and_has_no_limits():
    one = Tenants(PASSING, SECRET).identify("Bearer sk-one")
    assert (one.policies, one.limits) == (frozenset(), LimitSettings())


def test_an_own_key_that_is_configured_is_its_tenants():
    configured = settings().model_copy(update={"auth": PASSING.auth})
    known = Tenants(configured, SECRET).identify(f"Bearer {KEY_A}")
    assert (known.name, known.default_policy) == ("team-a", "coding")
    assert known.credential is not None


@pytest.mark.parametrize("key", ["sk one", "sk-é", "sk\x01", "s" * 9_000])
def test_what_no_header_can_carry_on_is_no_key(key):
    with pytest.raises(Unauthorized):
        Tenants(PASSING, SECRET).identify(f"Bearer {key}")
