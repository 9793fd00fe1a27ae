"""The fixed part of a body, taken apart; the whole is counted by the code that counts requests.

What is left over between the whole and the sum of the parts is the chat format: tokens around each message, the
start of the answer, brackets and commas between definitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from policies.audit import Other, Prompt, Schema, Text
from policies.audit.prompt import schema
from proxy.audit.reading import FIXED
from proxy.wire import meaning
from proxy.wire.envelope import slice_body
from proxy.wire.parts import Count, is_text, part_tokens
from proxy.wire.reader import Reader
from proxy.wire.strict import too_deep

_ASKED = {"role": "user", "content": ""}  # a body has to ask something


def prompt_of(body: Mapping[str, Any], count: Count) -> Prompt:
    """The prompt of a fixed part as `reading` gives it. RequestError, naming the field, where it is malformed."""
    try:
        return _prompt(body, count)
    except RecursionError:
        raise too_deep(None) from None


def _prompt(body: Mapping[str, Any], count: Count) -> Prompt:
    whole = {"model": "audit", **body, "messages": [*body["messages"], _ASKED]}
    read = Reader(count).read(slice_body(json.dumps(whole).encode()))
    messages = [read.decoded(index) for index in range(len(read.messages) - 1)]
    tokens = read.fixed_tokens + sum(message.tokens for message in read.messages[:-1])
    texts: list[Text] = []
    others: list[Other] = []
    for name, part in _parts(messages):
        if is_text(part):
            texts.append(Text(name, part["text"]))
        else:
            others.append(Other(f"{name} ({part.get('type', 'part')})", part_tokens(meaning.clean(part), count)))
    schemas = tuple(_schemas({group: read.envelope.value(group) for group in FIXED}))
    return Prompt(tuple(texts), schemas, tuple(others), tokens)


def _parts(messages: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The content parts of system messages with names that tell them apart; a string is one part."""
    seen: dict[str, int] = {}
    for message in messages:
        role = message["role"]
        content = message.get("content") or []
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if not meaning.is_reasoning_part(part):
                seen[role] = seen.get(role, 0) + 1
                yield role if seen[role] == 1 else f"{role} {seen[role]}", part


def _schemas(body: Mapping[str, Any]) -> Iterator[Schema]:
    for group in FIXED:
        definitions = body[group] or []
        seen: dict[str, int] = {}
        for definition in definitions if isinstance(definitions, list) else [definitions]:
            name = _name(definition)
            seen[name] = seen.get(name, 0) + 1
            told = name if seen[name] == 1 else f"{name} ({seen[name]})"
            yield schema(group, told, definition, meaning.compact(definition))


def _name(definition: Any) -> str:
    match definition:
        case {"function": {"name": str(name)}} | {"json_schema": {"name": str(name)}} | {"custom": {"name": str(name)}}:
            return name
        case {"name": str(name)} | {"type": str(name)}:
            return name
        case _:
            return "(unnamed)"
