"""The tools that the proxy answers itself: their definitions, when they are offered, and how they get into a request.

A definition is fixed bytes behind the client's own tools: written once into the provider's cache, read on every
request. It stands in a request or not for reasons that do not change within a session, for tools come first in a
prompt and a change there rewrites all of it. So `tool_choice` decides nothing here. Each upstream call of a request
carries the client's own: under "none" or a named function no call of ours can come, under "required" one may come
first and the next call requires again.
"""

from __future__ import annotations

from typing import Any

from policies.schema import Policy
from proxy.upstream import Route
from proxy.wire.envelope import Envelope
from proxy.wire.spans import object_spans
from proxy.wire.splice import Patch, patched

NAME = "context_read"
DEFINITION = (
    b'{"type":"function","function":{"name":"context_read",'
    b'"description":"Read text kept as art_...: lines (10-80), grep (RE2) or symbol",'
    b'"parameters":{"type":"object","properties":{"locator":{"type":"string"},"lines":{"type":"string"},'
    b'"grep":{"type":"string"},"symbol":{"type":"string"}},"required":["locator"]}}}'
)

CODE_NAME = "code_symbol"
CODE_DEFINITION = (
    b'{"type":"function","function":{"name":"code_symbol",'
    b'"description":"Source code by name: search functions, classes, types; load one by name (Owner.name) or place '
    b'(path:10-40@...)",'
    b'"parameters":{"type":"object","properties":{"search":{"type":"string"},"name":{"type":"string"}}}}}'
)

DEFINITIONS = {NAME: DEFINITION, CODE_NAME: CODE_DEFINITION}
"""Every tool of ours, in the order in which they stand in a request."""
READ_ONLY = frozenset({NAME})
"""What is offered where there is no source code to look into."""

_SPACE = b" \t\r\n"


def offers(envelope: Envelope, route: Route, policy: Policy, tools: frozenset[str] = READ_ONLY) -> frozenset[str]:
    """Which of these tools of ours this request carries: none that the client has a tool of the same name for.

    Ask only where the mode is `enforce`: nothing is added elsewhere.
    """
    may = (
        policy.retrieval.enabled
        and envelope.has_tools
        and not _is_odd(envelope)
        and not (route.transport == "litellm" and _wants_json(envelope))
    )
    return tools - _taken(envelope, tools) if may else frozenset()


def tool_patch(envelope: Envelope, tools: frozenset[str] = READ_ONLY) -> Patch:
    """What adds the definitions behind the last of the client's tools. Only where the request has tools."""
    start, end = envelope.spans["tools"]
    place = start + len(envelope.body[start : end - 1].rstrip(_SPACE))
    return (place, place, _added(tools))


def with_tool(envelope: Envelope, tools: frozenset[str] = READ_ONLY) -> bytes:
    """The request's body with our tools; every other byte stays."""
    return patched(envelope.body, [tool_patch(envelope, tools)])


def without_tool(body: bytes, tools: frozenset[str] = READ_ONLY) -> bytes:
    """A body as it was before `with_tool`; one that does not hold these definitions comes back as it is."""
    start, end = object_spans(body).get("tools", (0, 0))
    added = _added(tools)
    place = body.rfind(added, start, end)
    return body if place < 0 else body[:place] + body[place + len(added) :]


def _added(tools: frozenset[str]) -> bytes:
    return b"".join(b"," + definition for name, definition in DEFINITIONS.items() if name in tools)


def _is_odd(envelope: Envelope) -> bool:
    """Requests for which a second round would make no sense, or whose answer has another shape."""
    modalities = envelope.value("modalities")
    return (
        envelope.value("n") not in (None, 1)
        or bool(envelope.value("functions"))
        or envelope.value("web_search_options") is not None
        or envelope.value("audio") is not None
        or (isinstance(modalities, list) and "audio" in modalities)
    )


def _wants_json(envelope: Envelope) -> bool:
    match envelope.value("response_format"):
        case {"type": str(kind)}:
            return kind.startswith("json")
        case _:
            return False


def _taken(envelope: Envelope, tools: frozenset[str]) -> frozenset[str]:
    """Those of our names that tools of the client's have; most lists need not be decoded for that."""
    raw = envelope.raw("tools")
    if not any(name.encode() in raw for name in tools):
        return frozenset()
    return tools & {name for tool in envelope.value("tools") if isinstance(name := _name(tool), str)}


def _name(tool: Any) -> Any:
    match tool:
        case {"function": {"name": name}} | {"custom": {"name": name}} | {"name": name}:
            return name
        case _:
            return None
