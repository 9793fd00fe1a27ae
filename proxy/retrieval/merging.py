"""Putting deltas together to what a whole answer would have said.

Text grows, objects grow by their keys, lists by their items: those that carry an index by it, pieces of the model's
thinking until they are signed. What names a thing (an id, a type) is repeated by some providers and does not grow.
"""

from __future__ import annotations

from typing import Any

_NAMES = frozenset({"id", "type", "name", "role", "format", "index", "signature", "thought_signature", "object"})


def merged(old: Any, new: Any, key: str = "") -> Any:
    """`old` with the delta `new`, which stood under `key`; neither is changed."""
    match old, new:
        case _, None | "":
            return old
        case None, _:
            return new
        case dict(), dict():
            return {**old, **{name: merged(old.get(name), value, name) for name, value in new.items()}}
        case list(), list():
            return _items(old, new)
        case str(), str() if key not in _NAMES:
            return old + new
        case _:
            return new


def _items(old: list[Any], new: list[Any]) -> list[Any]:
    items = list(old)
    for item in new:
        place = next((n for n in range(len(items) - 1, -1, -1) if _goes_on(items[n], item)), None)
        if place is None:
            items.append(item)
        else:
            items[place] = merged(items[place], item)
    return items


def _goes_on(earlier: Any, item: Any) -> bool:
    if not (isinstance(earlier, dict) and isinstance(item, dict)) or earlier.get("type") != item.get("type"):
        return False
    if "index" in earlier or "index" in item:
        return earlier.get("index") == item.get("index")
    return item.get("type") == "thinking" and not earlier.get("signature")
