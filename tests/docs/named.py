"""What the code has that a page must name: keys, commands, headers, codes, paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiohttp import web
from pydantic import BaseModel

from proxy import errors
from proxy.cli import COMMANDS
from proxy.cli.parser import Commands, Parser
from proxy.http.headers import ResponseContext, context_headers
from proxy.http.routes import add_routes
from proxy.http.sessions import CLIENT_HEADERS
from proxy.metrics import Metrics
from tests.docs.pages import ROOT


def keys(model: type[BaseModel], above: str = "") -> Iterator[str]:
    """Dotted keys of a policy, sections left out."""
    for key, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from keys(inner, f"{above}{key}.")
        else:
            yield f"{above}{key}"


def commands() -> dict[str, Parser]:
    """Every command with the options that it takes; `keys new` is one of them."""
    root: Commands = Parser().add_subparsers()
    for command in COMMANDS:
        command.add_to(root)
    found = dict(root.choices)
    for name, parser in root.choices.items():
        for action in parser._actions:
            if isinstance(action.choices, dict):
                found |= {f"{name} {inner}": of for inner, of in action.choices.items()}
    return found


def response_headers() -> set[str]:
    """All that the one function for them can make."""
    everything = ResponseContext("s", "p", "r", 1, 1, output_clamped=1, budget=[("system", 1, 1)], degraded=["state"])
    return set(context_headers(everything))


def request_headers() -> set[str]:
    """Those of ours that the HTTP code names, and those by which it knows a client's session."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "proxy" / "http").glob("*.py")]
    return {*CLIENT_HEADERS, *re.findall(r'"(x-context-[a-z-]+)"', "".join(sources))}


def error_codes() -> set[str]:
    """The codes of the error tree, and the one that is given by hand."""
    classes = [of for of in vars(errors).values() if isinstance(of, type) and issubclass(of, errors.ForebayError)]
    return {of.default_code for of in classes} | {"model_not_found"}


def paths() -> set[str]:
    """Every path of the main port, its parts in braces."""
    app = web.Application()

    async def nothing(request: web.Request) -> web.StreamResponse:
        raise NotImplementedError

    add_routes(app, completions=nothing, plan=nothing)
    return {re.sub(r":[^}]*", "", resource.canonical) for resource in app.router.resources()}


def metrics() -> set[str]:
    """Names as Prometheus shows them."""
    exposition = Metrics(["m"], ["t"], "1").exposition().decode()
    return set(re.findall(r"^# TYPE (\S+) ", exposition, re.MULTILINE))
