"""The tools by name: the very definitions that the model gets in a completion, answered by the same code.

What differs is that there is no conversation at hand: `context_read` reads what the artifact store keeps for the
tenant, and tells unknown, foreign and expired locators alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from policies.reducers.reducer import Outline
from proxy.artifacts import Artifacts
from proxy.retrieval.dialogue import Answering
from proxy.retrieval.reading import OnRead, Reads
from proxy.retrieval.sources import Stored
from proxy.retrieval.tool import CODE_NAME, DEFINITIONS, NAME
from proxy.workspaces import Symbols, Workspaces

_ERRORS = frozenset({"misread", "gone", "failed"})


@dataclass(frozen=True, slots=True)
class Told:
    """What a caller is told; `is_error` where it got nothing of what it asked for."""

    text: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `answering` makes what answers a call, given whom to tell what became of it."""

    name: str
    description: str
    input_schema: dict[str, Any]
    answering: Callable[[OnRead], Answering]
    page_tokens: int
    on_read: OnRead

    def listed(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }

    async def answer(self, arguments: Mapping[str, Any]) -> Told:
        """What a call with these arguments is told: a page at most."""
        results: list[str] = []

        def heard(by: str, result: str) -> None:
            self.on_read(by, result)
            results.append(result)

        text = await self.answering(heard).answer(json.dumps(arguments), self.page_tokens)
        return Told(text, not _ERRORS.isdisjoint(results))


def context_read(
    tenant: str,
    artifacts: Artifacts,
    outline: Outline,
    *,
    count: Callable[[str], int],
    page_tokens: int,
    on_read: OnRead,
) -> Tool:
    """Reading back what the store keeps for the tenant."""
    sources = Stored(tenant, artifacts)

    def answering(heard: OnRead) -> Answering:
        return Reads(sources, count, page_tokens, outline, heard)

    return Tool(*_defined(NAME), answering, page_tokens, on_read)


def code_symbol(
    tenant: str,
    workspaces: Workspaces,
    *,
    count: Callable[[str], int],
    page_tokens: int,
    on_read: OnRead,
) -> Tool:
    """Looking into the workspaces that name the tenant."""

    def answering(heard: OnRead) -> Answering:
        return Symbols(workspaces, tenant, count, page_tokens, heard)

    return Tool(*_defined(CODE_NAME), answering, page_tokens, on_read)


def _defined(name: str) -> tuple[str, str, dict[str, Any]]:
    function = json.loads(DEFINITIONS[name])["function"]
    return name, function["description"], function["parameters"]
