"""docs/configuration.md, made from the models: `python -m proxy.settings.reference > docs/configuration.md`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from proxy.settings.environment import legal_variables
from proxy.settings.invalid import model_in
from proxy.settings.models import Settings

HEAD = """\
# Configuration

<!-- Generated: python -m proxy.settings.reference > docs/configuration.md -->

One YAML file: `--config FILE`, else the file that `FOREBAY_CONFIG` names, else `./config.yaml` if it is there, else
the defaults below. `forebay check` says whether it is valid and what it amounts to;
[config.example.yaml](../config.example.yaml) holds every key. Unknown and repeated keys are errors.

**Environment.** Every value is also an environment variable, `FOREBAY_<SECTION>__<KEY>`: `FOREBAY_SERVER__PORT=9000`.
The environment beats the file, an option of `forebay serve` beats both. Lists and whole sections are written as JSON:
`FOREBAY_MODELS='[{"name": "*", "upstream": "openai/*"}]'`; a list replaces the file's. `null` is null. A `FOREBAY_`
variable that sets nothing is an error, except those that Kubernetes adds for a service (`FOREBAY_SERVICE_HOST`, ...).

**Secrets** (`secret`, `api_key`, `state.url`, the values of `headers` and `query`) are given as `env:NAME`,
`file:PATH` or literally; space around them is cut off. They are read once, at start, and shown nowhere. An `env:NAME`
that is not set is an error. Relative paths start at the working directory.

**With no file and no tenant** the proxy needs no keys and serves loopback only (`auth.mode: none`); with either,
agents need a key (`auth.mode: keys`, see `forebay keys new`). Without `models` every name goes to OpenAI with the key
in `OPENAI_API_KEY`; if that is not set, requests carry no key. `auth.mode: none` is refused on any other address than
loopback, on the admin port too.

**Policy of a request**: `x-context-policy` (if the tenant lists it), else the tenant's, else the model's, else
`default`.

**At run time** SIGHUP takes on changed `models`, `tenants`, `policies`, `auth.allow_mode_off` and `logging`; everything
else waits for a restart ([operator.md](operator.md#change-the-configuration-at-run-time)).

More than one worker is for a later version and refused until then, with a message that says so.

| key | default | what it does | variable |
|---|---|---|---|
"""


def reference() -> str:
    """The whole page."""
    variables = {".".join(key): name for name, key in legal_variables(Settings).items()}
    return HEAD + "".join(
        f"| `{key}` | {_default(field)} | {_text(field)} | {_variable(key, variables)} |\n"
        for key, field in fields(Settings)
    )


def fields(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every value that can be set, by dotted key; `models[].name` is a key of each model."""
    for name, field in model.model_fields.items():
        key = f"{above}{name}"
        inner = model_in(field.annotation)
        if inner is None:
            yield key, field
            continue
        several = get_origin(field.annotation) is tuple
        if several or not isinstance(field.default, BaseModel):
            yield key, field
        yield from fields(inner, f"{key}[]." if several else f"{key}.")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    match value:
        case SecretStr():
            return f"`{value.get_secret_value()}`"
        case (BaseModel(), *_):
            return "see above"
        case None | bool() | int() | float() | tuple() | dict():
            return f"`{json.dumps(value)}`"
    return f"`{value}`"


def _text(field: FieldInfo) -> str:
    return (field.description or "").replace("|", "\\|")


def _variable(key: str, variables: dict[str, str]) -> str:
    return f"`{variables[key]}`" if key in variables else ""


if __name__ == "__main__":
    sys.stdout.write(reference())
