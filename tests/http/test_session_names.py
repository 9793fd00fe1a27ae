from __future__ import annotations

import re

import pytest

from proxy.http.sessions import digest_of, session_of

SECRET = b"secret"
HOSTILE = [
    "a\r\nset-cookie: x",
    "x" * 10_000,
    "../../etc/passwd",
    "sitzung-äöü-\U0001f600",
    "\udcff",
    "\0",
    " ",
    "ses_",
]


def session(headers=(), body=(), tenant="team-a", secret=SECRET, texts=b"system\0first"):
    return session_of(dict(headers), dict(body).get, tenant, secret, lambda: texts)


def test_the_first_name_present_wins_in_the_order_of_the_contract():
    sources = [
        ({"x-context-session": "1"}, {}),
        ({"x-session-id": "2"}, {}),
        ({"x-session-affinity": "3"}, {}),
        ({"session-id": "4"}, {}),
        ({"thread-id": "5"}, {}),
        ({"x-claude-code-session-id": "6"}, {}),
        ({}, {"prompt_cache_key": "7"}),
        ({}, {"metadata": {"session_id": "8"}}),
    ]
    for number in range(len(sources)):
        headers, body = {}, {}
        for more_headers, more_body in sources[number:]:
            headers |= more_headers
            body |= more_body
        assert session(headers, body) == digest_of(str(number + 1), "team-a", SECRET)


def test_without_a_name_it_comes_from_the_texts():
    assert session(texts=b"a") == session(texts=b"a")
    assert session(texts=b"a") != session(texts=b"b")


def test_the_texts_are_not_asked_for_where_there_is_a_name():
    def texts():
        raise AssertionError

    assert session_of({"thread-id": "t"}, {}.get, "team-a", SECRET, texts)


@pytest.mark.parametrize(
    "body",
    [{"prompt_cache_key": 7}, {"prompt_cache_key": ""}, {"metadata": "x"}, {"metadata": {"session_id": [1]}},
     {"user": "u"}, {"safety_identifier": "u"}],
)  # fmt: skip
def test_what_is_no_name_is_passed_over(body):
    assert session(body=body) == session()


def test_an_empty_header_is_passed_over():
    assert session({"x-context-session": "", "thread-id": "t"}) == session({"thread-id": "t"})


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_client_writes_becomes_a_plain_digest(name):
    assert re.fullmatch(r"ses_[a-z2-7]{20}", session({"x-context-session": name}))


def test_different_names_tenants_and_secrets_never_share_a_digest():
    digests = {
        digest_of(name, tenant, secret)
        for name in [*HOSTILE, "b", "a\0b"]
        for tenant in ("team", "team-a", "team-b")
        for secret in (SECRET, b"s" * 200)
    }
    assert len(digests) == (len(HOSTILE) + 2) * 3 * 2


def test_a_name_cannot_be_chosen_to_equal_a_derived_session():
    assert digest_of("system\0first", "team-a", SECRET) != session()


def test_our_digest_sent_back_names_the_same_session():
    first = session({"x-context-session": "mine"})
    assert session({"x-context-session": first}) == first == digest_of(first, "team-a", SECRET)


def test_opencodes_own_ids_which_look_like_ours_are_digested():
    own = "ses_dd20b4010ffe87igHpp2thiCTm"
    assert session({"x-session-id": own}) != own
