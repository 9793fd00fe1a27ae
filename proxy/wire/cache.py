"""A bounded cache: two generations instead of an order of use.

A hit costs one dictionary look-up. When the young generation is full it becomes the old one, and the old one goes;
what is met in the old one moves up. Safe under the interpreter lock: a race costs a double count of a weight, no more.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Generations(Generic[Key, Value]):
    """Keeps between half of `capacity` and all of it, measured in the weights given to `put`."""

    def __init__(self, capacity: int) -> None:
        self._half = capacity // 2
        self._young: dict[Key, tuple[Value, int]] = {}
        self._old: dict[Key, tuple[Value, int]] = {}
        self._weight = 0

    def __contains__(self, key: Key) -> bool:
        return key in self._young or key in self._old

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: Key) -> Value | None:
        """What was put under `key`, if it is still here."""
        entry = self._young.get(key)
        if entry is None:
            entry = self._old.get(key)
            if entry is None:
                return None
            self.put(key, *entry)
        return entry[0]

    def put(self, key: Key, value: Value, weight: int) -> None:
        """Keep `value`; something older may go."""
        if self._weight + weight > self._half and self._young:
            self._old, self._young, self._weight = self._young, {}, 0
        self._young[key] = (value, weight)
        self._weight += weight
