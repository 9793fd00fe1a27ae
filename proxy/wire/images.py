"""What an image costs, by its dimensions; they are read from the header of a data URL and never fetched.

OpenAI's rule for tiles: low detail costs 85; else the image is scaled into 2048 x 2048, then to a short side of 768,
and each tile of 512 x 512 begun costs 170 more. An image that cannot be measured costs the most this rule can give.
"""

from __future__ import annotations

import binascii
import struct
from math import ceil

BASE_TOKENS = 85
TILE_TOKENS = 170
MOST_TOKENS = BASE_TOKENS + 8 * TILE_TOKENS  # 2048 x 768

_HEADER_CHARACTERS = 1 << 19  # a JPEG says its size after its metadata: thumbnails, colour profiles
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


def image_tokens(base64_data: str | None, detail: str | None) -> int:
    """The tokens of an image given as base64, or of one that is out of sight (None)."""
    if detail == "low":
        return BASE_TOKENS
    size = _dimensions(base64_data) if base64_data else None
    if size is None:
        return MOST_TOKENS
    width, height = size
    shrink = min(1.0, 2048 / max(width, height))
    shrink *= min(1.0, 768 / (min(width, height) * shrink))
    tiles = ceil(width * shrink / 512 - 1e-6) * ceil(height * shrink / 512 - 1e-6)
    return BASE_TOKENS + TILE_TOKENS * tiles


def _dimensions(base64_data: str) -> tuple[int, int] | None:
    try:
        data = binascii.a2b_base64(base64_data[:_HEADER_CHARACTERS])
        size = _size(data)
    except (ValueError, struct.error):  # not base64, or a header cut short
        return None
    return size if size and min(size) > 0 else None


def _size(data: bytes) -> tuple[int, int] | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height = struct.unpack_from(">II", data, 16)
    elif data.startswith((b"GIF87a", b"GIF89a")):
        width, height = struct.unpack_from("<HH", data, 6)
    elif data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp_size(data)
    else:
        return None
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Walks the segments up to the frame header; struct.error where it lies beyond the data."""
    position = 2
    while True:
        mark, code = struct.unpack_from(">BB", data, position)
        if mark != 0xFF:
            return None
        if code in _JPEG_SIZES:
            height, width = struct.unpack_from(">HH", data, position + 5)
            return width, height
        if code == 0xFF:  # padding
            position += 1
        elif code in _JPEG_BARE:
            position += 2
        else:
            position += 2 + int(struct.unpack_from(">H", data, position + 2)[0])


def _webp_size(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            bits = struct.unpack_from("<I", data, 21)[0]
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            low_w, high_w, low_h, high_h = struct.unpack_from("<HBHB", data, 24)
            return (low_w | high_w << 16) + 1, (low_h | high_h << 16) + 1
        case _:
            return None
