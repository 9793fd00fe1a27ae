"""The only door to tiktoken: how many tokens a text is, counted without any network.

The vocabularies are the ones that LiteLLM bundles. They are read and checked here, because tiktoken's own loader
writes to a shared temporary folder and fetches what it does not find. An encoding is loaded on first use,
once per process. Without its vocabulary a counter estimates, and says so in `degraded`.
"""

from __future__ import annotations

import binascii
import hashlib
import logging
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import tiktoken

log = logging.getLogger(__name__)

EncodingName = Literal["o200k_base", "cl100k_base"]

# tiktoken 0.14 panics (a BaseException) on one run of about a million blanks under o200k_base, and takes 0.4 s
# for other unbroken runs of that length. Cut in pieces, none fails and a million characters take under 0.25 s;
# the count differs from the exact one by a token or two per cut.
PIECE = 50_000
_REMEMBERED_LENGTH = 128  # names, roles and placeholders come again and again


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A bundled file and the pattern that splits a text before its merges apply."""

    file: str
    sha256: str
    pattern: str


VOCABULARIES: dict[EncodingName, Vocabulary] = {
    "o200k_base": Vocabulary(
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "|".join(
            [
                r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
                r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
                r"""\p{N}{1,3}""",
                r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
                r"""\s*[\r\n]+""",
                r"""\s+(?!\S)""",
                r"""\s+""",
            ]
        ),
    ),
    "cl100k_base": Vocabulary(
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"""
        r"""| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s""",
    ),
}


class Counter:
    """Counts texts under one encoding. Never raises on a text; special-token text counts as plain text.

    `degraded` is "tokenizer" where the vocabulary could not be loaded: counts are then a quarter of the bytes.
    Calls may come from any thread; tiktoken releases the interpreter lock while it works.
    """

    def __init__(self, encoding: EncodingName, folder: Path | None = None) -> None:
        self.encoding = encoding
        self._tokenizer = _load(encoding, folder or bundled_folder())
        self.degraded: Literal["tokenizer"] | None = None if self._tokenizer else "tokenizer"
        self._count_short = lru_cache(maxsize=4096)(self._count)

    def count(self, text: str) -> int:
        """Tokens of `text`, on its own."""
        if len(text) <= _REMEMBERED_LENGTH:
            return self._count_short(text)
        if len(text) <= PIECE:
            return self._count(text)
        return sum(self._count(text[start : start + PIECE]) for start in range(0, len(text), PIECE))

    def _count(self, text: str) -> int:
        if self._tokenizer is None:
            return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4
        return len(self._tokenizer.encode_ordinary(text))


def bundled_folder() -> Path:
    """Where LiteLLM keeps its vocabularies; found without importing it, which takes seconds."""
    spec = find_spec("litellm")
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places or ["."]))) / "litellm_core_utils" / "tokenizers"


@cache
def _load(encoding: EncodingName, folder: Path) -> tiktoken.Encoding | None:
    vocabulary = VOCABULARIES[encoding]
    path = folder / vocabulary.file
    try:
        ranks = _ranks(path.read_bytes(), vocabulary.sha256)
    except (OSError, ValueError) as error:
        log.warning("no vocabulary %s, tokens are estimated: %s; reinstall litellm", encoding, error)
        return None
    # No special tokens: text that looks like one is text.
    return tiktoken.Encoding(encoding, pat_str=vocabulary.pattern, mergeable_ranks=ranks, special_tokens={})


def _ranks(data: bytes, sha256: str) -> dict[bytes, int]:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ValueError(f"its digest is {found}, not {sha256}")
    pairs = (line.split() for line in data.splitlines() if line)
    return {binascii.a2b_base64(token): int(rank) for token, rank in pairs}
