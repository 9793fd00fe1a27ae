"""A store's address: what each part of a URL means, and what is wrong with one."""

from __future__ import annotations

import pytest

from proxy.settings.store_address import StoreAddress, store_address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://h", StoreAddress("server", hosts=(("h", 6379),))),
        ("redis://h:1/3", StoreAddress("server", hosts=(("h", 1),), db=3)),
        ("redis://[::1]:2", StoreAddress("server", hosts=(("::1", 2),))),
        ("unix:///run/r.sock", StoreAddress("socket", path="/run/r.sock")),
        ("unix://:p@/run/r.sock?db=2", StoreAddress("socket", path="/run/r.sock", db=2, password="p")),
        ("redis://u:p%40%2F@h", StoreAddress("server", hosts=(("h", 6379),), username="u", password="p@/")),
        ("redis+cluster://a:1,b", StoreAddress("cluster", hosts=(("a", 1), ("b", 6379)))),
        ("rediss+cluster://:p@a:1", StoreAddress("cluster", tls=True, hosts=(("a", 1),), password="p")),
        ("redis+sentinel://a:1,b/svc", StoreAddress("sentinel", hosts=(("a", 1), ("b", 26379)), service="svc")),
        ("redis+sentinel://a/svc/4", StoreAddress("sentinel", hosts=(("a", 26379),), service="svc", db=4)),
        (
            "redis+sentinel://a/svc?sentinel_username=s&sentinel_password=t%26",
            StoreAddress(
                "sentinel", hosts=(("a", 26379),), service="svc", sentinel_username="s", sentinel_password="t&"
            ),
        ),
        (
            "rediss://h?ssl_ca_certs=/ca.pem&ssl_check_hostname=false",
            StoreAddress(
                "server",
                tls=True,
                hosts=(("h", 6379),),
                tls_options={"ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False},
            ),
        ),
        (
            "rediss://h?ssl_cert_reqs=none",
            StoreAddress(
                "server",
                tls=True,
                hosts=(("h", 6379),),
                tls_options={"ssl_cert_reqs": "none", "ssl_check_hostname": False},
            ),
        ),
    ],
)
def test_what_a_url_means(url: str, address: StoreAddress):
    assert store_address(url) == address


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://a,b", "names several hosts; give one, or use redis"),
        ("redis://h:0", "holds no usable port"),
        ("redis://h:70000", "holds no usable port"),
        ("redis+cluster://a:1,:2", "holds no usable port"),
        ("redis+cluster://a/1", "a cluster has only 0"),
        ("redis+sentinel://a:1,b:2", "names no service"),
        ("redis+sentinel://a/svc/x", "a database that is no number"),
        ("redis://h/zero", "a database that is no number"),
        ("redis://h?ssl_ca_certs=/ca.pem", "ssl_... belongs to rediss://"),
        ("rediss://h?ssl_ca=/ca.pem", "an option that is not known here"),
        ("redis+cluster://h?db=0", "an option that is not known here"),
        ("rediss://h?ssl_check_hostname=no", "neither true nor false"),
        ("rediss://h?ssl_cert_reqs=maybe", "none of required, optional, none"),
        ("redis://[::1", r"write \[ \] around an IPv6 host"),
    ],
)
def test_what_is_wrong_with_a_url(url: str, told: str):
    with pytest.raises(ValueError, match=told):
        store_address(url)


@pytest.mark.parametrize(
    "url",
    ["redis://u:CANARY@h:x", "redis://:CANARY/@h", "redis://:CAN?ARY@h", "redis+sentinel://a/s?password=CANARY"],
)
def test_an_error_does_not_tell_the_password(url: str):
    with pytest.raises(ValueError, match=r"^(has|names|holds)") as caught:
        store_address(url)
    assert "CAN" not in str(caught.value)


def test_an_address_does_not_show_its_secrets():
    assert "CANARY" not in repr(store_address("redis+sentinel://u:CANARY@a/s?sentinel_password=CANARY"))
