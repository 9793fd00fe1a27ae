"""The tool that the proxy answers itself: its definition, when it is offered, and how it gets into a request.

The definition is fixed bytes behind the client's own tools: written once into the provider's cache, read on every
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

_SPACE = b" \t\r\n"


def offers(envelope: Envelope, route: Route, policy: Policy) -> bool:
    """Whether this request carries our tool. Ask only where the mode is `enforce`: nothing is added elsewhere."""
    return (
        policy.retrieval.enabled
        and envelope.has_tools
        and not _is_odd(envelope)
        and not (route.transport == "litellm" and _wants_json(envelope))
        and not _is_taken(envelope)
    )


def tool_patch(envelope: Envelope) -> Patch:
    """What adds the definition behind the last of the client's tools. Only where the request has tools."""
    start, end = envelope.spans["tools"]
    place = start + len(envelope.body[start : end - 1].rstrip(_SPACE))
    return (place, place, b"," + DEFINITION)


def with_tool(envelope: Envelope) -> bytes:
    """The request's body with our tool; every other byte stays."""
    return patched(envelope.body, [tool_patch(envelope)])


def without_tool(body: bytes) -> bytes:
    """A body as it was before `with_tool`; one that holds no definition of ours comes back as it is."""
    start, end = object_spans(body).get("tools", (0, 0))
    place = body.rfind(b"," + DEFINITION, start, end)
    return body if place < 0 else body[:place] + body[place + 1 + len(DEFINITION) :]


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


def _is_taken(envelope: Envelope) -> bool:
    """Whether a tool of the client's has our name; most lists need not be decoded for that."""
    if NAME.encode() not in envelope.raw("tools"):
        return False
    return any(_name(tool) == NAME for tool in envelope.value("tools"))


def _name(tool: Any) -> Any:
    match tool:
        case {"function": {"name": name}} | {"custom": {"name": name}} | {"name": name}:
            return name
        case _:
            return None
