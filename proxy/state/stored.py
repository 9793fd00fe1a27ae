"""Session records as the store holds them, read with suspicion: what is read may be anyone's.

Each carries its tenant and session and is checked; what does not fit is a StoreError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proxy.errors import StoreError
from proxy.state import RequestRecord

TOTAL = "total:"
_REPORT_BYTES = 64 * 1024


class _Entry(msgspec.Struct, frozen=True):
    """One request in the log of its session."""

    tenant: str
    session: str
    at: float
    report: dict[str, Any]


_encode = msgspec.json.Encoder().encode
_decode_entry = msgspec.json.Decoder(_Entry).decode


def entry(tenant: str, record: RequestRecord, now: float) -> bytes:
    """The request for the log. A report over the limit is replaced by its size: figures, not an archive."""
    encoded = _encode(_Entry(tenant, record.session, now, record.report))
    if len(encoded) > _REPORT_BYTES:
        encoded = _encode(_Entry(tenant, record.session, now, {"omitted_bytes": len(encoded)}))
    return encoded


def request(tenant: str, session: str, raw: bytes) -> dict[str, Any]:
    """One request out of the log."""
    try:
        found = _decode_entry(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"a request record of session {session!r} cannot be read ({error})") from error
    if (found.tenant, found.session) != (tenant, session):
        raise StoreError(f"a request record of session {session!r} belongs to another session")
    return {"at": found.at, "report": found.report}


def summary(tenant: str, session: str, raw: Mapping[bytes, bytes]) -> dict[str, Any]:
    """Who a session is, and its totals."""
    fields = {text(name): text(value) for name, value in raw.items()}
    if (fields.get("tenant"), fields.get("session")) != (tenant, session):
        raise StoreError(f"the record of session {session!r} belongs to another session")
    try:
        return {
            "session": session,
            "parent": fields["parent"] or None,
            "model": fields["model"],
            "policy": fields["policy"],
            "created": float(fields["created"]),
            "updated": float(fields["updated"]),
            "totals": {
                name.removeprefix(TOTAL): _number(value)
                for name, value in sorted(fields.items())
                if name.startswith(TOTAL)
            },
        }
    except (KeyError, ValueError) as error:
        raise StoreError(f"the record of session {session!r} cannot be read ({error})") from error


def only_a_parent(session: str) -> dict[str, Any]:
    """A session of which nothing is known but its children."""
    return {"session": session, **dict.fromkeys(("parent", "model", "policy", "created", "updated")), "totals": {}}


def histories(times: Sequence[tuple[bytes, float]], counts: Mapping[bytes, bytes]) -> list[dict[str, Any]]:
    """The histories of a session, in the order of `times`."""
    try:
        return [
            {"history": text(name), "requests": int(counts.get(name, 0)), "updated": updated} for name, updated in times
        ]
    except ValueError as error:
        raise StoreError(f"the count of a history cannot be read ({error})") from error


def text(raw: bytes) -> str:
    """A name or value that is text."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise StoreError("the state store holds a name or value that is not text") from error


def _number(value: str) -> int | float:
    try:
        return int(value)
    except ValueError:
        return float(value)
