"""The parts that findings are about, and who has claimed which: no token is promised twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from policies.audit.examples import Example, examples
from policies.audit.findings import Place, Row
from policies.audit.prompt import Prompt, Schema
from policies.audit.sections import Section, cut
from policies.audit.statements import sentences
from policies.audit.words import Said, said

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a text or a description. `first` is whether it opens its description."""

    place: Place
    text: str
    tokens: int
    said: Said
    in_schema: bool
    first: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A row and what stands in it."""

    row: Row
    statements: tuple[Statement, ...]
    section: Section | None = None
    examples: tuple[Example, ...] = ()
    schema: Schema | None = None


class Parts:
    """All parts of a prompt in order, each weighed by itself, and what of them findings have claimed."""

    def __init__(self, prompt: Prompt, count: Count) -> None:
        self.count = count
        self.all = (*_text_parts(prompt, count), *_schema_parts(prompt, count), *_other_parts(prompt))
        self._left: Counter[tuple[str, str]] = Counter()
        for part in self.all:
            self._left[part.row.group, part.row.name] += part.row.tokens
        self._taken: set[int] = set()

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Of all parts, in order."""
        return tuple(statement for part in self.all for statement in part.statements)

    def free(self, statements: Sequence[Statement]) -> list[Statement]:
        """Those that no finding has claimed."""
        return [one for one in statements if id(one) not in self._taken]

    def pass_over(self, statements: Sequence[Statement]) -> None:
        """No finding is to claim these any more."""
        self._taken.update(map(id, statements))

    def take(self, statements: Sequence[Statement]) -> int:
        """Claim whole statements; how many tokens that gives."""
        self.pass_over(statements)
        return sum(self.claim(one.place, one.tokens) for one in statements)

    def claim(self, place: Place, tokens: int) -> int:
        """Claim tokens of a row: as many as it has left."""
        key = (place.group, place.name)
        given = max(0, min(tokens, self._left[key]))
        self._left[key] -= given
        return given


def _text_parts(prompt: Prompt, count: Count) -> Iterator[Part]:
    for text in prompt.texts:
        for section in cut(text.text):
            row = Row(text.name, section.name, count(section.text), section.line)
            found = examples(section)
            shown = {line for example in found for line in range(example.start, example.end)}
            statements = [
                _statement(Place(row.group, row.name, line=section.line + one.line - 1), one.text, count)
                for one in sentences(section.text, shown)
            ]
            yield Part(row, tuple(statements), section=section, examples=found)


def _schema_parts(prompt: Prompt, count: Count) -> Iterator[Part]:
    for schema in prompt.schemas:
        row = Row(schema.group, schema.name, count(schema.json))
        statements = [
            _statement(
                Place(row.group, row.name, path=description.path), one.text, count, in_schema=True, first=not nth
            )
            for description in schema.descriptions
            for nth, one in enumerate(sentences(description.text))
        ]
        yield Part(row, tuple(statements), schema=schema)


def _other_parts(prompt: Prompt) -> Iterator[Part]:
    for other in prompt.others:
        yield Part(Row("parts", other.name, other.tokens), ())


def _statement(place: Place, text: str, count: Count, in_schema: bool = False, first: bool = False) -> Statement:
    return Statement(place, text, count(text), said(text), in_schema, first)
