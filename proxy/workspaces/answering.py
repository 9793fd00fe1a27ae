"""Answering one call of `code_symbol`: a search, a definition, or one sentence that shows how it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proxy.retrieval.arguments import Misread, strings
from proxy.retrieval.pages import Room
from proxy.workspaces.answers import LEAST_TOKENS
from proxy.workspaces.workspaces import Workspaces

USAGE = (
    'code_symbol takes search or name, like {"search": "parse config"} for places, or {"name": "Config.load"} or '
    '{"name": "src/config.py:10-80@3fa2c1d0"} for the text.'
)
_FIELDS = ("search", "name")


@dataclass(frozen=True, slots=True)
class Symbols:
    """Answers the calls of one request. `on_read(by, result)` is told of each."""

    workspaces: Workspaces
    tenant: str
    count: Callable[[str], int]
    page_tokens: int
    on_read: Callable[[str, str], None]

    async def answer(self, arguments: str, limit: int) -> str:
        """What the model is told, in about `limit` tokens at most and no more than a page."""
        room = Room(max(LEAST_TOKENS, min(limit, self.page_tokens)), self.count)
        try:
            asked = strings(arguments, _FIELDS, USAGE)
        except Misread as error:
            self.on_read("search", "misread")
            return str(error)
        match asked:  # of a call with both, the one that says more
            case {"name": name}:
                by, told = "symbol", await self.workspaces.load(self.tenant, name, room)
            case {"search": query}:
                by, told = "search", await self.workspaces.search(self.tenant, query, room)
            case _:
                self.on_read("search", "misread")
                return USAGE
        self.on_read(by, told.result)
        return told.text
