"""parts and images: cost by rule, nothing fetched, nothing raised."""

from __future__ import annotations

import base64
import socket
import struct
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.images import BASE_TOKENS, MOST_TOKENS, image_tokens
from proxy.wire.parts import UNSEEN_AUDIO, UNSEEN_FILE, UNSEEN_VIDEO, estimate, part_tokens


def count(text: str) -> int:
    return len(text)


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height)


def jpeg(width: int, height: int) -> bytes:
    exif = b"\xff\xe1" + struct.pack(">H", 60_000) + b"\0" * 59_998
    return b"\xff\xd8" + exif + b"\xff\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width)


def webp_lossy(width: int, height: int) -> bytes:
    return b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0" + b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)


def webp_lossless(width: int, height: int) -> bytes:
    return b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)


def webp_extended(width: int, height: int) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0" + sizes


def url(data: bytes, media: str = "image/png") -> str:
    return f"data:{media};base64,{base64.b64encode(data).decode()}"


FORMATS = [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended]


@pytest.mark.parametrize("image", FORMATS)
@pytest.mark.parametrize(
    ("width", "height", "tiles"),
    [(1, 1, 1), (512, 512, 1), (513, 512, 2), (1024, 1024, 4), (2048, 4096, 6), (1920, 1080, 6), (10_000, 100, 4)],
)
def test_an_image_costs_its_tiles(image: Any, width: int, height: int, tiles: int) -> None:
    data = base64.b64encode(image(width, height)).decode()
    assert image_tokens(data, "high") == image_tokens(data, None) == 85 + 170 * tiles
    assert image_tokens(data, "low") == 85


@pytest.mark.parametrize("data", ["", "!!!", "abc", base64.b64encode(b"\xff\xd8\xff\xe1\xff").decode(), "iVBORw0KGgo="])
def test_an_image_that_cannot_be_measured_costs_the_most(data: str) -> None:
    assert image_tokens(data, "auto") == MOST_TOKENS


@given(st.sampled_from(FORMATS), st.integers(1, 16_000), st.integers(1, 16_000))
def test_no_image_costs_more_than_the_most(image: Any, width: int, height: int) -> None:
    tokens = image_tokens(base64.b64encode(image(width, height)).decode(), None)
    assert BASE_TOKENS < tokens <= MOST_TOKENS


@given(
    st.binary(max_size=100), st.sampled_from([b"", b"\xff\xd8", b"RIFF1234WEBPVP8X", b"GIF89a", b"\x89PNG\r\n\x1a\n"])
)
def test_no_image_data_raises(data: bytes, start: bytes) -> None:
    assert image_tokens(base64.b64encode(start + data).decode(), None) <= MOST_TOKENS


def test_a_remote_image_is_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    part = {"type": "image_url", "image_url": {"url": "http://127.0.0.1:1/a.png", "detail": "high"}}
    assert part_tokens(part, count) == MOST_TOKENS


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": url(png(512, 512))}},
        {"type": "image_url", "image_url": url(png(512, 512))},
        {"type": "input_image", "image_url": url(png(512, 512))},
        {"type": "image", "source": {"type": "base64", "data": base64.b64encode(png(512, 512)).decode()}},
    ],
)
def test_every_shape_of_an_image_part_is_measured(part: dict[str, Any]) -> None:
    assert part_tokens(part, count) == 255


def test_detail_low_is_read_from_the_part() -> None:
    part = {"type": "image_url", "image_url": {"url": url(png(4000, 4000)), "detail": "low"}}
    assert part_tokens(part, count) == BASE_TOKENS


def test_audio_costs_its_seconds() -> None:
    wav = b"RIFF\0\0\0\0WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 16_000, 32_000, 2, 16) + b"data\0\0\0\0"
    data = base64.b64encode(wav + b"\0" * 320_000).decode()
    assert part_tokens({"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}, count) in (
        100,
        101,
        102,
    )


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "input_audio", "input_audio": {}}, UNSEEN_AUDIO),
        ({"type": "file", "file": {"file_id": "file-1"}}, UNSEEN_FILE),
        ({"type": "video_url", "video_url": {"url": "http://x/y.mp4"}}, UNSEEN_VIDEO),
        ({"type": "text", "text": "four"}, 4),
        ({"type": "output_text", "text": "four"}, 4),
        ({"type": "refusal", "refusal": "no"}, 2),
        ("bare", 4),
        ({"type": "file", "file": {"file_data": url(b"x" * 2000, "application/pdf")}}, 101),
        ({"type": "file", "file": {"file_data": url(b"x" * 3000, "text/plain")}}, 1001),
        ({"type": "document", "source": {"type": "base64", "data": "AAAA" * 500}}, 76),
    ],
)
def test_a_part_costs_by_its_rule(part: Any, expected: int) -> None:
    assert part_tokens(part, count) == expected


def test_base64_in_a_text_part_is_text() -> None:
    text = url(b"x" * 3000)
    assert part_tokens({"type": "text", "text": text}, count) == len(text)


def test_base64_in_an_unknown_part_is_not_counted_as_text() -> None:
    assert estimate({"type": "hologram", "data": url(b"x" * 300_000)}) < 20_000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["url", "data", "x"]), inner),
    max_leaves=5,
)
KINDS = ["text", "image_url", "input_audio", "file", "document", "video_url", "refusal", "image", "tool_result", ""]


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(["text", "image_url", "source", "file", "data"]), JSON))
def test_no_part_raises(kind: str, fields: dict[str, Any]) -> None:
    assert part_tokens({"type": kind, **fields}, count) >= 0
