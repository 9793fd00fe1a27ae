"""Policies as files: the built-in presets, and the operator's own beside them.

A file's name is its policy's name. `extends: NAME` starts from another policy and states the differences; a list or a
plain value is replaced, a section merged key by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from policies.schema import Policy
from proxy.settings import ConfigError, Fault
from proxy.settings.yaml_file import read_yaml

Raw = dict[str, Any]


def load_policies(directory: Path | None = None) -> dict[str, Policy]:
    """Every policy by name. An own file may not take a built-in name. Raises ConfigError naming file and key."""
    raw = _built_in()
    if directory is not None:
        if not directory.is_dir():
            raise ConfigError([Fault(str(directory), "policies.directory", "is not a folder; create it or set null")])
        for path in sorted(directory.glob("*.yaml")):
            if path.stem in raw:
                raise ConfigError([Fault(str(path), "", "has the name of a built-in policy; rename the file")])
            raw[path.stem] = read_yaml(path)
    return {name: _policy(name, raw) for name in raw}


def _built_in() -> dict[str, Raw]:
    presets = files("policies") / "presets"
    paths = [path for path in presets.iterdir() if path.name.endswith(".yaml")]
    return {path.name.removesuffix(".yaml"): yaml.safe_load(path.read_text(encoding="utf-8")) or {} for path in paths}


def _policy(name: str, raw: dict[str, Raw]) -> Policy:
    try:
        return Policy.model_validate(_resolved(name, raw, ()))
    except ValidationError as error:
        raise ConfigError(
            Fault(f"policy {name}", ".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, "))
            for fault in error.errors()
        ) from None


def _resolved(name: str, raw: dict[str, Raw], below: tuple[str, ...]) -> Raw:
    """The policy's keys with those that it extends beneath them."""
    if name in below:
        raise ConfigError([Fault(f"policy {name}", "extends", f"goes in a circle: {' -> '.join((*below, name))}")])
    if name not in raw:
        known = ", ".join(sorted(raw))
        raise ConfigError([Fault(f"policy {below[-1]}", "extends", f"{name!r} is no policy; known are {known}")])
    own = dict(raw[name])
    base = own.pop("extends", None)
    return own if base is None else _merged(_resolved(str(base), raw, (*below, name)), own)


def _merged(below: Raw, above: Raw) -> Raw:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _merged(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged


def check_summarisers(policies: Mapping[str, Policy], models: Iterable[str]) -> None:
    """ConfigError where a policy's summaries are to be written by a model that is not among the configured ones."""
    names = tuple(models)
    faults = [
        Fault(
            f"policy {name}", "summarise.model", f"{policy.summarise.model!r} is no configured model; add it to models"
        )
        for name, policy in policies.items()
        if policy.history.then == "summarise" and policy.summarise.model and not _leads(policy.summarise.model, names)
    ]
    if faults:
        raise ConfigError(faults)


def _leads(model: str, names: Iterable[str]) -> bool:
    return any(model == name or (name.endswith("*") and model.startswith(name[:-1])) for name in names)
