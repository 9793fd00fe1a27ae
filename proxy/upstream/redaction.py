"""The operator's secrets, taken out of what a provider says when it refuses.

Some providers quote the key that they do not accept. A route's own secrets are replaced in error answers, in the
error of a stream, and in the messages of our own errors, however they are written: as they are, with JSON's
escapes, or percent-encoded. The bodies of successful answers are not looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Collection, Mapping
from functools import lru_cache
from urllib.parse import quote

from proxy.upstream import Route

MARK = "[redacted]"

# Shorter ones are no secrets (`none`, a team's number, `preview`) and would make gaps in ordinary words.
_SHORTEST_KEY = 5
_SHORTEST_VALUE = 8
_LONGEST_FORM = 12  # bytes that one character takes at most: two escapes of a surrogate pair, four of percent
_ERROR = re.compile(rb'"error"|event: ?error')
_ERROR_LENGTH = 12


class Redactor:
    """Replaces the secrets of one route."""

    def __init__(self, route: Route) -> None:
        self._secrets = _secrets(route)

    def text(self, text: str) -> str:
        """A message or a header's value without them."""
        return self.whole(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Headers whose values are without them."""
        return {name: self.text(value) for name, value in headers.items()}

    def whole(self, body: bytes) -> bytes:
        """A body that is here in one piece."""
        return _pattern(self._secrets).sub(MARK.encode(), body) if self._secrets else body

    async def error(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """An error's body. A secret may be cut anywhere, so the end of what came waits for what follows."""
        held = b""
        async for chunk in chunks:
            ready, held = self._split(held + chunk)
            if ready:
                yield ready
        if held:
            yield held

    async def stream(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """An event stream, relayed as it comes until an event that tells of an error begins."""
        failed, before, held = False, b"", b""
        async for chunk in chunks:
            failed = failed or _ERROR.search(before + chunk) is not None
            before = chunk[-_ERROR_LENGTH:]
            ready, held = self._split(held + chunk) if failed else (chunk, b"")
            if ready:
                yield ready
        if held:
            yield held

    def _split(self, data: bytes) -> tuple[bytes, bytes]:
        """What can go, and what may be the beginning of a secret; none goes on behind the end of a line."""
        data = self.whole(data)
        if not self._secrets or data.endswith(b"\n"):
            return data, b""
        cut = max(len(data) - _LONGEST_FORM * max(map(len, self._secrets)), 0)
        return data[:cut], data[cut:]


def without(text: bytes, secrets: Collection[str]) -> bytes:
    """A text without any of these, however they are written."""
    ordered = tuple(sorted(secrets, key=lambda secret: (-len(secret), secret)))
    return _pattern(ordered).sub(MARK.encode(), text) if ordered else text


def _secrets(route: Route) -> tuple[str, ...]:
    """The longest first: one may begin with another. `Bearer X` is told as X too."""
    key = route.api_key.get_secret_value() if route.api_key else ""
    words = {word for value in (*route.headers.values(), *route.query.values()) for word in value.split()}
    found = {word for word in words if len(word) >= _SHORTEST_VALUE}
    if len(key) >= _SHORTEST_KEY:
        found.add(key)
    return tuple(sorted(found, key=lambda secret: (-len(secret), secret)))


@lru_cache(maxsize=256)
def _pattern(secrets: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"".join(map(_forms, secret)) for secret in secrets))


def _forms(character: str) -> bytes:
    """Every way to write a character."""
    utf8 = character.encode()
    escaped = "".join(f"\\u{unit:04x}" for unit in memoryview(character.encode("utf-16-le")).cast("H")).encode()
    percent = quote(character, safe="").encode()
    encoded = percent if percent != utf8 else b"%%%02X" % utf8[0]
    short = {json.dumps(character)[1:-1].encode(), b"\\/" if character == "/" else utf8}
    others = b"|".join(re.escape(form) for form in sorted(short - {utf8, escaped}))
    forms = [re.escape(utf8), b"(?i:%b|%b)" % (re.escape(escaped), re.escape(encoded)), *filter(None, [others])]
    return b"(?:" + b"|".join(forms) + b")"
