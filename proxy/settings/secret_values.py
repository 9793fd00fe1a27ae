"""Secrets in a configuration: `env:NAME`, `file:PATH`, or the value itself; read once, shown never."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, SecretStr

from proxy.settings.environment import variable


def resolve(value: object) -> object:
    """The secret that a reference leads to. ValueError names the variable or file, never the content."""
    if isinstance(value, SecretStr):
        return value
    if not isinstance(value, str):
        raise ValueError("must be text: env:NAME, file:PATH or the value itself in quotes")  # noqa: TRY004 -- pydantic collects ValueError
    source, colon, name = (part.strip() for part in value.partition(":"))
    if colon and not name and source in {"env", "file"}:
        raise ValueError(f"{source}: names nothing; write env:NAME with a variable's name or file:PATH with a file's")
    match source, colon:
        case "env", ":":
            return SecretStr(_from_variable(name))
        case "file", ":":
            return SecretStr(_from_file(name))
    return SecretStr(_usable(value.strip(), "the value"))


def _from_variable(name: str) -> str:
    value = variable(name)
    if value is None:
        raise ValueError(f"env:{name} is not set; set the variable {name} or give file:PATH")
    return _usable(value, f"env:{name}")


def _from_file(path: str) -> str:
    try:
        value = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise ValueError(f"file:{path} cannot be read ({reason}); give a readable file") from None
    return _usable(value, f"file:{path}")


def _usable(value: str, what: str) -> str:
    """A secret goes into headers and addresses: one line, not empty."""
    if not value:
        raise ValueError(f"{what} is empty; give the secret or null")
    if not value.isprintable():
        raise ValueError(f"{what} holds a line break or another unprintable character; give one line")
    return value


Secret = Annotated[SecretStr, BeforeValidator(resolve)]
