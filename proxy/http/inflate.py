"""Inflating a body in pieces of bounded size, so that a small body cannot become a large memory."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import Protocol

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

ENCODINGS = ("gzip", "deflate", "zstd")
PIECE = 1024 * 1024


class BrokenBody(Exception):
    """Not of the encoding it claims, or cut off."""


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def piece(self, data: bytes) -> bytes: ...


class _Zlib:
    """zlib hands back what it has not looked at; the next call wants it again."""

    def __init__(self, wbits: int) -> None:
        self._inflater = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflater.unused_data

    def piece(self, data: bytes) -> bytes:
        return self._inflater.decompress(self._inflater.unconsumed_tail or data, PIECE)


class _Zstd:
    """zstd keeps what it has not looked at."""

    def __init__(self) -> None:
        self._inflater = ZstdDecompressor()

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflater.unused_data

    def piece(self, data: bytes) -> bytes:
        return self._inflater.decompress(data, PIECE)


def inflated(encoding: str, data: bytes) -> Iterator[bytes]:
    """The pieces of the inflated body, at most 1 MiB each; BrokenBody where it is not whole.

    Several members or frames in a row are one body, as the formats say.
    """
    while data:
        inflater = _inflater(encoding, data)
        yield from _member(inflater, data)
        data = inflater.unused_data


def _member(inflater: _Inflater, data: bytes) -> Iterator[bytes]:
    while not inflater.eof:
        try:
            piece = inflater.piece(data)
        except (zlib.error, ZstdError) as error:
            raise BrokenBody from error
        if not piece and not inflater.eof:
            raise BrokenBody
        data = b""
        yield piece


def _inflater(encoding: str, data: bytes) -> _Inflater:
    if encoding == "zstd":
        return _Zstd()
    if encoding == "gzip":
        return _Zlib(16 + zlib.MAX_WBITS)
    # RFC 9110 means zlib by "deflate", but bare deflate is sent too; zlib's first byte tells them apart.
    return _Zlib(zlib.MAX_WBITS if data[0] & 0x0F == zlib.DEFLATED else -zlib.MAX_WBITS)
