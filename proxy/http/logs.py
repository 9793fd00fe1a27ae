"""How log lines look: one JSON object per line, or text for eyes. `extra={"fields": {...}}` adds to both.

Only `log_as` touches the logging of the process.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any, Literal

from aiohttp.http import HttpProcessingError

from proxy.settings import LoggingSettings

_encode = json.JSONEncoder(default=str).encode


class ServerLog(logging.LoggerAdapter[logging.Logger]):
    """aiohttp's own log without what a malformed request says: its header lines would tell keys."""

    def exception(self, msg: object, *args: Any, exc_info: Any = True, **kwargs: Any) -> None:
        """A request that is no HTTP is the client's affair and named by its kind; the rest as it is."""
        if isinstance(exc_info, HttpProcessingError):
            self.info("malformed request: %s", type(exc_info).__name__)
        else:
            super().exception(msg, *args, exc_info=exc_info, **kwargs)


class JsonLines(logging.Formatter):
    """One object per line, ASCII, so that no client can begin a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's time, level, logger and message, then its fields."""
        entry = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return _encode(entry)


class TextLines(logging.Formatter):
    """Time, level and message, then `name=value`; values with blanks or control characters as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, but for a traceback below it."""
        pairs = [f"{name}={_plain(value)}" for name, value in _fields(record).items()]
        line = " ".join([_time(record), record.levelname.lower(), record.name, record.getMessage(), *pairs])
        line = line.replace("\r", "\\r").replace("\n", "\\n")
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def formatter(style: Literal["json", "text"]) -> logging.Formatter:
    """The formatter that `logging.format` names."""
    return JsonLines() if style == "json" else TextLines()


def log_as(settings: LoggingSettings) -> None:
    """Let the process log to stderr as the operator wishes; may be called again with other wishes."""
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(settings.format))
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    # libraries' own details hold headers and bodies as they came, and so keys
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger("proxy").setLevel(level)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _plain(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() and " " not in text else json.dumps(text)
