from __future__ import annotations

import pytest

from proxy.outline import GRAMMARS
from proxy.workspaces.definitions import definitions
from proxy.workspaces.languages import language_of_file
from proxy.workspaces.symbol import Symbol
from tests.workspaces.sources import SOURCES


def told(symbol: Symbol) -> str:
    return f"{symbol.kind} {symbol.qualified} {symbol.first}-{symbol.last}"


def found(source: str, language: str) -> list[str]:
    return [told(symbol) for symbol in definitions(source.encode(), language) or ()]


def test_there_is_a_source_for_every_grammar() -> None:
    assert SOURCES.keys() == GRAMMARS.keys()


@pytest.mark.parametrize("language", SOURCES)
def test_definitions_have_their_kind_owner_and_lines(language: str) -> None:
    file, source, expected = SOURCES[language]
    assert language_of_file(file) == language
    assert found(source, language) == expected


@pytest.mark.parametrize("language", SOURCES)
def test_windows_line_ends_change_no_line_numbers(language: str) -> None:
    _, source, expected = SOURCES[language]
    assert found(source.replace("\n", "\r\n"), language) == expected
