"""The model that a relayed body names: found by its place, and replaced where the upstream says another."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import msgspec

from proxy.errors import RequestError
from proxy.http.multipart import field_span

_BLANK = re.compile(rb"[ \t\r\n]*")
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class ModelField:
    """The name, where it stands in the body, and how it is written there."""

    name: str
    stream: bool
    body: bytes
    start: int
    end: int
    quoted: bool

    def renamed(self, name: str) -> bytes:
        """The body for an upstream that calls the model `name`: all but the name keeps its bytes."""
        if name == self.name:
            return self.body
        written = json.dumps(name) if self.quoted else name
        return self.body[: self.start] + written.encode() + self.body[self.end :]


def json_model(body: bytes) -> ModelField:
    """The model of a JSON object; its other values are sliced, not parsed."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        name = msgspec.json.decode(fields.get("model", b"null"))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(f"the body is not a JSON object: {error}") from error
    values = {key: bytes(raw) for key, raw in fields.items()}
    starts = _starts(body, values)
    start = starts.get("model", 0)
    return ModelField(
        _named(name),
        stream=values.get("stream") == b"true",
        body=body,
        start=start,
        end=start + len(values["model"]),
        quoted=True,
    )


def multipart_model(body: bytes, content_type: str) -> ModelField:
    """The model of a form."""
    span = field_span(body, content_type, "model")
    name = body[slice(*span)].decode(errors="replace") if span else None
    start, end = span or (0, 0)
    stream = field_span(body, content_type, "stream")
    streams = stream is not None and body[slice(*stream)] == b"true"
    return ModelField(_named(name), stream=streams, body=body, start=start, end=end, quoted=False)


def _named(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise RequestError("the body names no model; set model to one of GET /v1/models", param="model")
    return name


def _starts(body: bytes, values: dict[str, bytes]) -> dict[str, int]:
    """Where each value stands, found by walking keys and values in step with the decoder.

    The decoder keeps the last of two equal keys, at the place of the first; then body and decoder part ways,
    and the body is refused, because the upstream might keep the other.
    """
    starts = {}
    here = _skip(body, 0, b"{")
    for key, value in values.items():
        written = _KEY.match(body, here)
        if written is None or msgspec.json.decode(written[0]) != key:
            raise _twice()
        here = _skip(body, written.end(), b":")
        if body[here : here + len(value)] != value:
            raise _twice()
        starts[key] = here
        here = _skip(body, here + len(value), b",")
    if body[here : here + 1] != b"}":
        raise _twice()
    return starts


def _skip(body: bytes, here: int, mark: bytes) -> int:
    """Past blanks, and past `mark` and the blanks behind it if it stands there."""
    here = _end_of_blanks(body, here)
    return _end_of_blanks(body, here + 1) if body[here : here + 1] == mark else here


def _end_of_blanks(body: bytes, here: int) -> int:
    blanks = _BLANK.match(body, here)
    return blanks.end() if blanks else here


def _twice() -> RequestError:
    return RequestError("the body holds a key twice; send each once")
