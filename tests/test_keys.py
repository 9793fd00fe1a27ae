"""Agents' keys and their hashes."""

from __future__ import annotations

import re

from proxy.keys import hash_key, new_key


def test_a_key_has_43_url_safe_characters():
    assert re.fullmatch(r"fb-[A-Za-z0-9_-]{43}", new_key())


def test_no_two_keys_are_the_same():
    assert len({new_key() for _ in range(100)}) == 100


def test_a_hash_is_sha256_of_the_whole_key():
    # printf fb-a | sha256sum
    assert hash_key("fb-a") == "sha256:4dc605da850834a5a78a93c4d206d664d9ef1bcdf7758e5e624ffa5e73bd93e6"


def test_what_is_no_key_has_a_hash_too():
    assert hash_key("\udc80") != hash_key("")
