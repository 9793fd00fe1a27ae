"""Names of keys."""

from __future__ import annotations

import pytest

from proxy.state.keys import session_key, tenant_key


def test_tenant_and_session_stand_in_the_key() -> None:
    assert session_key("team-a", "s1", "log") == "forebay:{team-a/s1}:log"
    assert tenant_key("team-a", "sessions") == "forebay:{team-a}:sessions"


@pytest.mark.parametrize("odd", ["a}b", "a/b", "", "{", "a:b", "x" * 65, "é", "\ud800", "a\nb", "~a"])
def test_what_is_no_plain_name_is_digested(odd: str) -> None:
    key = session_key(odd, odd, "log")
    assert key.count("{") == key.count("}") == key.count("/") == 1
    assert key.count("~") == 2
    assert len(key) < 120


def test_no_two_pairs_share_a_key() -> None:
    names = ["a", "a/b", "b", "b}:c", "", "~", "a}", "A"]
    keys = {session_key(tenant, session, "log") for tenant in names for session in names}
    assert len(keys) == len(names) ** 2
