"""An artifact as one file: a line of JSON that says what it is, then the text.

One file cannot be half there, and it cannot be mistaken for another: the line carries tenant, locator, size and
digest, all checked on read. What changes later is not in it: the expiry is the file's own time, the sessions are links.
"""

from __future__ import annotations

import hashlib

import msgspec

HEAD_BYTES = 4096  # more than any first line


class Head(msgspec.Struct, frozen=True):
    """The first line. `tenant` is the name of its folder, so that it is short and plain."""

    tenant: str
    locator: str
    kind: str
    created: float
    bytes: int
    sha256: str


def encode(tenant: str, locator: str, kind: str, text: str, created: float) -> bytes:
    """The file's content. Lone surrogates survive: an original comes back as it was."""
    body = text.encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(body).hexdigest()
    head = Head(tenant, locator, kind[:100], created, len(body), digest)
    return msgspec.json.encode(head) + b"\n" + body


def decode_head(start: bytes, size: int, tenant: str, locator: str) -> tuple[Head, int] | None:
    """The first line and where the text begins; None if this is not that artifact, or not all of it."""
    line, newline, _ = start.partition(b"\n")
    if not newline:
        return None
    try:
        head = msgspec.json.decode(line, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    begin = len(line) + 1
    if (head.tenant, head.locator, begin + head.bytes) != (tenant, locator, size):
        return None
    return head, begin


def decode(content: bytes, tenant: str, locator: str) -> tuple[Head, str] | None:
    """The first line and the text; None if this is not that artifact, or not as it was written."""
    found = decode_head(content[:HEAD_BYTES], len(content), tenant, locator)
    if found is None:
        return None
    head, begin = found
    body = content[begin:]
    if hashlib.sha256(body).hexdigest() != head.sha256:
        return None
    try:
        return head, body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
