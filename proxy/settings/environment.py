"""The one place that reads the environment: FOREBAY_ variables, and those that a secret names.

Every setting can be given as `FOREBAY_<SECTION>__<KEY>`; pydantic-settings does the reading. It passes over
a name that it does not know, so the misspelt ones are found here. Kubernetes puts addresses of its services
into every container (`FOREBAY_SERVICE_HOST` for a service called forebay): those are nobody's mistake.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from typing import Any

from pydantic import BaseModel
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsError

from proxy.settings.faults import ConfigError, Fault, suggest

PREFIX = "FOREBAY_"
CONFIG_VARIABLE = PREFIX + "CONFIG"

_SERVICE_LINK = re.compile(
    r"FOREBAY_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_SERVICE_LINK_URL = re.compile(r"FOREBAY_(\w+_)?PORT=(tcp|udp|sctp)://.*")


def variable(name: str) -> str | None:
    """An environment variable's value without the space around it; None if unset or empty."""
    value = os.environ.get(name, "").strip()  # noqa: TID251 -- this module is where the environment is read
    return value or None


def read_environment(settings: type[BaseSettings]) -> dict[str, Any]:
    """What FOREBAY_ variables say, nested like the file. ConfigError for an unknown or unreadable one."""
    legal = legal_variables(settings)
    present = {name.upper() for name in os.environ if name.upper().startswith(PREFIX)}  # noqa: TID251 -- see above
    unknown = sorted(name for name in present - set(legal) - {CONFIG_VARIABLE} if not _is_service_link(name))
    if unknown:
        raise ConfigError([Fault(name, "", f"unknown variable{_meant(name, legal)}") for name in unknown])
    try:
        return EnvSettingsSource(settings)()
    except SettingsError as error:
        raise ConfigError([_unreadable(present, error)]) from None
    except RecursionError:
        longest = max(present, key=lambda name: len(variable(name) or ""))
        raise ConfigError([Fault(longest, "", "is nested too deeply; write it flatter")]) from None


def legal_variables(settings: type[BaseModel]) -> dict[str, tuple[str, ...]]:
    """Every variable that sets something, with the key it sets: whole sections as JSON, single values."""
    names: dict[str, tuple[str, ...]] = {}
    for section, field in settings.model_fields.items():
        names[PREFIX + section.upper()] = (section,)
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            for key in field.annotation.model_fields:
                names[f"{PREFIX}{section}__{key}".upper()] = (section, key)
    return names


def variable_behind(key: tuple[str | int, ...], legal: Collection[str]) -> str | None:
    """The variable that supplied a key, the most exact first; None if none did."""
    present = {name.upper() for name in os.environ}  # noqa: TID251 -- see above
    for depth in (2, 1):
        name = PREFIX + "__".join(str(part) for part in key[:depth]).upper()
        if name in legal and name in present:
            return name
    return None


def _meant(name: str, legal: Collection[str]) -> str:
    """FOREBAY_PORT is FOREBAY_SERVER__PORT without its section; else the nearest name."""
    whole = [known for known in legal if known.endswith("__" + name.removeprefix(PREFIX))]
    return f"; did you mean {whole[0]}?" if whole else suggest(name, legal)


def _is_service_link(name: str) -> bool:
    return bool(_SERVICE_LINK.fullmatch(name) or _SERVICE_LINK_URL.fullmatch(f"{name}={variable(name)}"))


def _unreadable(present: Collection[str], error: SettingsError) -> Fault:
    named = re.search(r'field "(\w+)"', str(error))
    section = named[1] if named else ""
    names = sorted(name for name in present if name.startswith(PREFIX + section.upper()))
    reason = str(error.__cause__) if error.__cause__ else "unreadable"
    return Fault(" or ".join(names), "", f"is not JSON ({reason}); give the whole value as JSON")
