"""The secret that keys all digests: configured, or made once and kept in the state folder."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from proxy.settings.faults import ConfigError, Fault
from proxy.settings.models import Settings
from proxy.settings.rules import MIN_SECRET_CHARACTERS

FILE_NAME = "secret"


def load_or_create_secret(settings: Settings) -> bytes:
    """The secret's bytes, the same in every process on this folder. ConfigError if it cannot be kept."""
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    path = settings.state.directory / FILE_NAME
    try:
        if not path.exists():
            _create(path)
        value = path.read_bytes().strip()
    except OSError as error:
        message = f"{path} cannot be kept ({error.strerror}); make the folder writable, or set secret"
        raise ConfigError([Fault("", "state.directory", message)]) from None
    if len(value) < MIN_SECRET_CHARACTERS:
        fault = f"is shorter than {MIN_SECRET_CHARACTERS} characters" if value else "is empty"
        message = f"{path} {fault}; restore it, or delete it (locators made so far become unknown)"
        raise ConfigError([Fault("", "state.directory", message)])
    return value


def check_secret(settings: Settings) -> None:
    """ConfigError if a secret that is kept already cannot be used; none is made."""
    if settings.secret is None and os.path.lexists(settings.state.directory / FILE_NAME):
        load_or_create_secret(settings)


def _create(path: Path) -> None:
    """Write under a name of our own, then link: whoever links first wins, and nobody reads half a secret."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{FILE_NAME}-{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(32).encode())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        draft.unlink()
