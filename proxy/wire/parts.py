"""What one content part costs.

Text is counted. Media cost by rule, from what their data says of itself; base64 inside them is never counted as text
(base64 inside a text part is: the model reads every character of it). An unknown part is estimated from the
length of its JSON. Nothing is fetched and nothing raises.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Callable
from typing import Any

from proxy.wire.images import image_tokens

Count = Callable[[str], int]

TEXT_PARTS = frozenset({"text", "input_text", "output_text"})

# High-side rules for what cannot be opened here.
AUDIO_TOKENS_PER_SECOND = 10  # OpenAI: one input token per 100 ms
AUDIO_BYTES_PER_SECOND = 4_000  # 32 kbit/s, speech in a lossy format; a WAV header says it exactly
TEXT_BYTES_PER_TOKEN = 3
FILE_BYTES_PER_TOKEN = 20  # a PDF page of 20 to 50 KB costs 1,000 to 2,500 with its picture
VIDEO_BYTES_PER_TOKEN = 200  # 1 Mbit/s at about 600 tokens a second
UNSEEN_AUDIO = 600  # a minute
UNSEEN_FILE = 3_000
UNSEEN_VIDEO = 15_000  # a minute
ESTIMATE_BYTES_PER_TOKEN = 4


def is_text(part: Any) -> bool:
    """Whether a part is a text that an edit could replace."""
    return isinstance(part, dict) and part.get("type") in TEXT_PARTS and isinstance(part.get("text"), str)


def part_tokens(part: Any, count: Count) -> int:
    """The tokens of one content part, of any kind."""
    match part:
        case str():
            return count(part)
        case {"type": "text" | "input_text" | "output_text", "text": str(text)}:
            return count(text)
        case {"type": "refusal", "refusal": str(text)}:
            return count(text)
        case {"type": str(kind)} if kind in _MEDIA:
            return _MEDIA[kind](part)
        case _:
            return estimate(part)


def estimate(value: Any) -> int:
    """Tokens of a value that no rule knows: a quarter of its bytes as JSON, data URLs by their size as files."""
    match value:
        case str():
            data = _payload(value)
            if data is not None:
                return _sized(data, FILE_BYTES_PER_TOKEN, UNSEEN_FILE)
            return len(value.encode("utf-8", "replace")) // ESTIMATE_BYTES_PER_TOKEN + 1
        case dict():
            return 1 + sum(estimate(key) + estimate(item) for key, item in value.items())
        case list():
            return 1 + sum(map(estimate, value))
        case _:
            return 1


def _image(part: dict[str, Any]) -> int:
    image = part.get("image_url")
    detail = image.get("detail") if isinstance(image, dict) else part.get("detail")
    return image_tokens(_media_data(part, "image_url", "source"), detail)


def _audio(part: dict[str, Any]) -> int:
    data = _media_data(part, "input_audio", "audio")
    if data is None:
        return UNSEEN_AUDIO
    seconds = len(data) * 3 / 4 / (_wav_bytes_per_second(data) or AUDIO_BYTES_PER_SECOND)
    return int(seconds * AUDIO_TOKENS_PER_SECOND) + 1


def _file(part: dict[str, Any]) -> int:
    data = _media_data(part, "file", "source")
    return _sized(data, TEXT_BYTES_PER_TOKEN if _is_textual(part) else FILE_BYTES_PER_TOKEN, UNSEEN_FILE)


def _video(part: dict[str, Any]) -> int:
    return _sized(_media_data(part, "video_url", "input_video", "source"), VIDEO_BYTES_PER_TOKEN, UNSEEN_VIDEO)


def _is_textual(part: dict[str, Any]) -> bool:
    """Whether a file is text by its media type: a file of text is read as such, not as pages."""
    match part:
        case {"source": {"media_type": str(media)}}:
            return media.startswith("text/")
        case {"file": {"file_data": str(data)}} | {"file_data": str(data)}:
            return data.startswith("data:text/")
        case _:
            return False


def _wav_bytes_per_second(data: str) -> int | None:
    try:
        header = binascii.a2b_base64(data[:64])
        return int(struct.unpack_from("<I", header, 28)[0]) if header.startswith(b"RIFF") else None
    except (ValueError, struct.error):
        return None


def _sized(data: str | None, bytes_per_token: int, unseen: int) -> int:
    return unseen if data is None else len(data) * 3 // 4 // bytes_per_token + 1


def _media_data(part: dict[str, Any], *holders: str) -> str | None:
    """The base64 of a media part, in the part or in what holds it, a data URL or bare; None where it is elsewhere."""
    for place in (part, *(part.get(holder) for holder in holders)):
        if isinstance(place, str):
            return _payload(place)
        if isinstance(place, dict):
            for key in ("data", "file_data", "url", "image_url"):
                if isinstance(text := place.get(key), str):
                    return _payload(text) if key.endswith("url") else _payload(text) or text
    return None


def _payload(text: str) -> str | None:
    """What follows `data:...;base64,`."""
    if text[:5].lower() != "data:":
        return None
    comma = text.find(",", 0, 256)
    return text[comma + 1 :] if comma > 0 and ";base64" in text[:comma].lower() else None


_MEDIA: dict[str, Callable[[dict[str, Any]], int]] = {
    "image_url": _image,
    "input_image": _image,
    "image": _image,
    "input_audio": _audio,
    "audio": _audio,
    "file": _file,
    "input_file": _file,
    "document": _file,
    "video_url": _video,
    "input_video": _video,
    "video": _video,
}
