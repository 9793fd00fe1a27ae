"""Finding one form field in a multipart body without taking the body apart."""

from __future__ import annotations

from email.message import Message
from email.parser import BytesHeaderParser

from proxy.errors import RequestError


def field_span(body: bytes, content_type: str, name: str) -> tuple[int, int] | None:
    """Where the value of form field `name` stands in `body`; None if there is no such field.

    RequestError for a body that is not whole multipart, or that holds the field twice.
    """
    delimiter = b"\r\n--" + _boundary(content_type)
    text = b"\r\n" + body  # so that the first delimiter looks like the others
    spans = [span for span in _parts(text, delimiter) if _name_of(text[span[0] : span[1]]) == name]
    if len(spans) > 1:
        raise RequestError(f"the form holds {name!r} {len(spans)} times; send it once", param=name)
    if not spans:
        return None
    _, start, end = spans[0]
    return start - 2, end - 2


def _parts(text: bytes, delimiter: bytes) -> list[tuple[int, int, int]]:
    """Begin of head, begin of value, end of value, of each part."""
    parts: list[tuple[int, int, int]] = []
    here = text.find(delimiter)
    while here >= 0:
        head = here + len(delimiter)
        if text[head : head + 2] == b"--":
            return parts
        value = text.find(b"\r\n\r\n", head) + 4
        here = text.find(delimiter, value - 2)
        if value < head or here < 0:
            break
        parts.append((head, value, max(here, value)))
    raise RequestError("the form is not whole: its closing delimiter is missing; send it again")


def _name_of(head: bytes) -> str | None:
    fields = BytesHeaderParser().parsebytes(head.strip())
    name = fields.get_param("name", header="content-disposition")
    return name if isinstance(name, str) else None


def _boundary(content_type: str) -> bytes:
    message = Message()
    message["content-type"] = content_type
    boundary = message.get_boundary()
    if not boundary or not boundary.isascii():
        raise RequestError("the content-type names no boundary; let the HTTP library set it")
    return boundary.encode()
