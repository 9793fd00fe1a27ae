"""tokens: bundled vocabularies, no network, no text that raises."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from proxy import tokens
from proxy.tokens import VOCABULARIES, Counter, EncodingName, bundled_folder

ENCODINGS: tuple[EncodingName, ...] = ("o200k_base", "cl100k_base")
EXACT = {"o200k_base": [("hello world", 2), ("antidisestablishmentarianism", 6)], "cl100k_base": [("hello world", 2)]}


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_loads_and_counts_with_sockets_blocked(encoding: EncodingName, no_network: None) -> None:
    tokens._load.cache_clear()
    counter = Counter(encoding)
    assert counter.degraded is None
    for text, expected in EXACT[encoding]:
        assert counter.count(text) == expected


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_counts_what_tiktoken_counts(encoding: EncodingName, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(bundled_folder()))
    theirs = tiktoken.get_encoding(encoding)
    assert theirs._pat_str == VOCABULARIES[encoding].pattern
    text = "def f(x):\n    return x  # 12345 \u6f22\u5b57 \U0001f600 it's\r\n\r\n\t" * 20
    assert Counter(encoding).count(text) == len(theirs.encode_ordinary(text))


def test_counts_special_token_text_as_plain_text() -> None:
    assert Counter("o200k_base").count("<|endoftext|>") > 3


@pytest.mark.parametrize("run", ["a", "_", " ", "\n", "\t", "\u00a0", "\U0001f600", "\u6f22", "=", "7"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_counts_a_million_unbroken_characters(encoding: EncodingName, run: str) -> None:
    assert Counter(encoding).count(run * 1_000_000) >= 1_000_000 // 128


def test_pieces_of_a_long_text_add_up_to_nearly_its_exact_count() -> None:
    counter = Counter("o200k_base")
    text = "The quick brown fox jumps over the lazy dog. " * 10_000
    exact = len(tiktoken.Encoding.encode_ordinary(counter._tokenizer, text))  # type: ignore[arg-type]
    assert abs(counter.count(text) - exact) <= 2 * (len(text) // tokens.PIECE)


@given(st.text(alphabet=st.characters(codec=None), max_size=300))
def test_no_text_raises(text: str) -> None:
    assert Counter("o200k_base").count(text) >= 0


@pytest.mark.parametrize("text", ["\ud800", "half \ud83d emoji", "\udc00" * 300])
def test_counts_lone_surrogates(text: str) -> None:
    assert Counter("cl100k_base").count(text) >= 1


def test_a_missing_vocabulary_degrades_to_an_estimate(tmp_path: Path) -> None:
    counter = Counter("o200k_base", folder=tmp_path)
    assert counter.degraded == "tokenizer"
    assert counter.count("a" * 40) == 10
    assert counter.count("") == 0
    assert counter.count("\ud800") == 1


def test_a_damaged_vocabulary_degrades_and_says_why(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    vocabulary = VOCABULARIES["cl100k_base"]
    data = (bundled_folder() / vocabulary.file).read_bytes()
    (tmp_path / vocabulary.file).write_bytes(data[:-1])
    assert Counter("cl100k_base", folder=tmp_path).degraded == "tokenizer"
    assert "reinstall litellm" in caplog.text


def test_importing_loads_nothing() -> None:
    """Vocabularies take a quarter of a second and 100 MB: only on first use."""
    program = "import sys, proxy.tokens as t; print(t._load.cache_info().currsize, 'litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "False"]
