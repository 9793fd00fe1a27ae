"""What must hold across keys, and what a single value must look like."""

from __future__ import annotations

import pytest

from proxy.settings import ConfigError, Settings, check_policies, is_loopback, load_settings, load_with_layers

HASH = "sha256:" + "ab" * 32
OTHER = "sha256:" + "cd" * 32
SECRET = "0123456789abcdef"
KEYS = {"auth": {"mode": "keys"}, "tenants": [{"name": "a", "key_hashes": [HASH]}]}


def model(**values):
    return {"name": "m", "upstream": "openai/m"} | values


def tenants(*names_with_hashes):
    return [{"name": name, "key_hashes": list(hashes)} for name, *hashes in names_with_hashes]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "example.org"])
@pytest.mark.parametrize("key", ["host", "admin_host"])
def test_a_listener_beyond_loopback_needs_keys(faults, load, host, key):
    told = f"{host} is beyond loopback and auth.mode is none; set auth.mode: keys, or listen on 127.0.0.1"
    assert faults(server={key: host}) == [f"f.yaml: server.{key}: {told}"]
    assert load(server={key: host}, **KEYS).auth.mode == "keys"


def test_an_option_that_goes_beyond_loopback_is_named():
    with pytest.raises(ConfigError, match=r"^--host: server.host: 0.0.0.0 is beyond loopback"):
        load_settings(None, {"server": {"host": "0.0.0.0"}})


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
    ],
)
def test_loopback_is_an_address_or_localhost(host, only_here):
    assert is_loopback(host) is only_here


def test_two_listeners_need_two_ports(faults):
    told = "f.yaml: server.admin_port: 9000 is server.port too; give another port"
    assert faults(server={"port": 9000, "admin_port": 9000}) == [told]


def test_two_free_ports_are_two_ports(load):
    assert load(server={"port": 0, "admin_port": 0}).server.port == 0


def test_one_body_must_fit_among_all_bodies(faults):
    told = "f.yaml: server.max_bodies_mb: 10 is less than max_body_mb 64; raise it"
    assert faults(server={"max_bodies_mb": 10}) == [told]


def test_a_shared_store_needs_a_secret(faults, load):
    (line,) = faults(state={"url": "redis://h"})
    assert line == (
        "f.yaml: secret: is required where state.url can be shared; generate one with `openssl rand -hex 32`"
    )
    assert load(state={"url": "redis://h"}, secret=SECRET).secret is not None


def test_shared_artifacts_need_a_secret(faults):
    assert any(
        "secret: is required where artifacts.url can be shared" in line
        for line in faults(artifacts={"url": "s3://bucket"})
    )


def test_a_short_secret_is_an_error(faults):
    told = "f.yaml: secret: is shorter than 16 characters; generate one with `openssl rand -hex 32`"
    assert faults(secret="hunter2") == [told]


@pytest.mark.parametrize("value", ["sha256:" + "a" * 63, "sha256:" + "A" * 64, "md5:" + "a" * 64, "a" * 64])
def test_a_key_hash_is_sha256_and_64_hex_digits(faults, value):
    (line,) = faults(tenants=tenants(("a", value)))
    assert line.startswith("f.yaml: tenants.0.key_hashes.0: is not sha256: and 64 hex digits; `forebay keys new")


def test_mode_keys_needs_a_key(faults):
    assert faults(auth={"mode": "keys"}, tenants=tenants(("a",)))[0].startswith("f.yaml: auth.mode: keys needs")


def test_a_key_belongs_to_one_tenant(faults):
    told = "f.yaml: tenants.1.key_hashes.1: is listed for a already; a key belongs to one tenant, once"
    assert faults(tenants=tenants(("a", HASH), ("b", OTHER, HASH))) == [told]


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a/b", "ä", "a\n", "x" * 65])
def test_a_tenants_name_can_stand_in_a_label_and_a_key(faults, name):
    assert faults(tenants=tenants((name,)))[0].startswith("f.yaml: tenants.0.name: ")


@pytest.mark.parametrize("name", ["a", "Team_1.x-y", "x" * 64])
def test_letters_digits_and_three_marks_make_a_tenants_name(load, name):
    assert load(tenants=tenants((name,))).tenants[0].name == name


def test_tenants_have_different_names(faults):
    assert faults(tenants=tenants(("a",), ("a",))) == [
        "f.yaml: tenants.1.name: 'a' is used twice; give each its own name"
    ]


def test_models_have_different_names(faults):
    assert faults(models=[model(), model()]) == ["f.yaml: models.1.name: 'm' is used twice; give each its own name"]


def test_some_model_must_be_there(faults):
    assert faults(models=[])[0].startswith("f.yaml: models: is empty")


@pytest.mark.parametrize("name", ["a*b", "**", "*a"])
def test_a_star_in_a_name_is_trailing(faults, name):
    (line,) = faults(models=[model(name=name, upstream="openai/a")])
    assert line.startswith(f"f.yaml: models.0.name: {name!r} has a * that is not its last character")


@pytest.mark.parametrize(
    ("name", "upstream", "told"),
    [
        ("m", "openai/*", "'openai/*' has a * but the name 'm' has none; write the model out"),
        ("*", "openai/*-*", "'openai/*-*' has more than one *; keep one"),
        ("*", "*", "'*' lets clients choose the provider; name it, as in openai/*"),
        ("*", "*/gpt", "'*/gpt' lets clients choose the provider; name it, as in openai/*"),
    ],
)
def test_a_star_upstream_stands_for_the_names_behind_a_provider(faults, name, upstream, told):
    assert faults(models=[model(name=name, upstream=upstream)]) == [f"f.yaml: models.0.upstream: {told}"]


def test_a_prefix_may_lead_to_one_model(load):
    assert load(models=[model(name="gpt-*", upstream="openai/gpt-5")]).models[0].upstream == "openai/gpt-5"


@pytest.mark.parametrize("base", ["api.example.org/v1", "ftp://h", "http://", "/v1"])
def test_an_api_base_is_an_http_address(faults, base):
    (line,) = faults(models=[model(api_base=base)])
    assert line == "f.yaml: models.0.api_base: is not an http:// or https:// address; give one such as https://host/v1"


@pytest.mark.parametrize(
    ("given", "key"), [({"headers": {"X-Api-Key": "k"}}, "headers.X-Api-Key"), ({"query": {"key": "k"}}, "query.key")]
)
def test_where_clients_bring_their_own_keys_no_model_carries_one(faults, given, key):
    (line,) = faults(auth={"mode": "passthrough"}, models=[model(**given)])
    assert line.startswith(f"f.yaml: models.0.{key}: ")
    assert line.endswith("(auth.mode: passthrough); leave it out")


def test_where_clients_bring_their_own_keys_other_headers_and_a_version_may_stand(load):
    given = model(headers={"x-team": "a"}, query={"api-version": "1"}, api_key="for-summaries")
    assert load(auth={"mode": "passthrough"}, models=[given]).auth.mode == "passthrough"


def test_a_tenants_name_does_not_look_like_a_strangers(faults):
    (line,) = faults(tenants=[{"name": "passthrough-a"}], auth={"mode": "passthrough"})
    assert "begins like the names of those who bring their own key" in line


@pytest.mark.parametrize("url", ["redis+cluster://a:1,b:2", "redis+sentinel://a,b/svc", "rediss+cluster://a"])
def test_addresses_of_several_servers_are_accepted(load, url):
    assert not load(state={"url": url}, secret=SECRET).state.embedded


@pytest.mark.parametrize("url", ["redis:", "redis://", "localhost:6379", "http://h", "Embedded"])
def test_a_state_url_is_embedded_or_a_redis(faults, url):
    (line,) = faults(state={"url": url}, secret=SECRET)
    schemes = "redis://, rediss://, unix://, redis+cluster:// or redis+sentinel://"
    assert line == f"f.yaml: state.url: is no store's address; give embedded, {schemes}"


@pytest.mark.parametrize("url", ["redis://h", "rediss://h:1/0", "unix:///run/redis.sock"])
def test_redis_addresses_are_accepted(load, url):
    assert not load(state={"url": url}, secret=SECRET).state.embedded


def test_artifacts_lie_in_a_folder(faults):
    assert faults(artifacts={"url": "file:///x"})[0].startswith("f.yaml: artifacts.url: is neither a folder nor s3://")


def test_a_policy_that_is_not_there_is_named_where_it_is_referred_to(load):
    load(
        tenants=[{"name": "a", "policy": "codng", "policies": ["default", "x"]}],
        models=[model(policy="defalt")],
    )
    settings, layers = load_with_layers("f.yaml")
    with pytest.raises(ConfigError) as caught:
        check_policies(settings, {"default": 1, "coding": 2})
    assert str(layers.located(caught.value.faults)).split("\n") == [
        "f.yaml: tenants.0.policy: there is no policy 'codng'; did you mean coding?",
        "f.yaml: tenants.0.policies.1: there is no policy 'x'; known are coding, default",
        "f.yaml: models.0.policy: there is no policy 'defalt'; did you mean default?",
    ]


def test_policies_that_are_there_pass():
    check_policies(Settings(), {"default": 1})
