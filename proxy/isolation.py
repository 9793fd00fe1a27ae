"""A request without what its sub-agent inherited.

This happens on the wire, before exchanges are put back and before the fold: all that comes after sees a request that
never held the parent's history. What was left out is accounted for here, on top of the fold's own report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from policies.edits import Drop, Note
from policies.isolation import isolation
from policies.plan import Report
from proxy.keeping import Original, originals
from proxy.wire.envelope import Envelope, slice_body
from proxy.wire.reader import Read, Reader
from proxy.wire.render import render


@dataclass(frozen=True, slots=True)
class Isolated:
    """What a sub-agent's request inherited.

    `read` is the request as the client sent it; `task` and `edits` refer to its messages, and without edits nothing
    is inherited. `envelope` goes on: without the inherited, or as it came where that was only to be observed.
    `taken` is what the inherited weighs, `noted` what the notice does.
    """

    read: Read
    task: int
    edits: tuple[Drop | Note, ...]
    envelope: Envelope
    taken: int = 0
    noted: int = 0

    @property
    def is_stripped(self) -> bool:
        """Whether something was left out."""
        return self.envelope is not self.read.envelope

    @property
    def inherited(self) -> int:
        """How many messages are inherited."""
        return sum(edit.end - edit.start for edit in self.edits if isinstance(edit, Drop))

    @property
    def originals(self) -> tuple[Original, ...]:
        """What was left out, to be read back."""
        return tuple(originals(self.edits, self.read.conversation)) if self.is_stripped else ()

    def accounted(self, report: Report) -> Report:
        """The report of what went on as one of what the client sent."""
        if not self.is_stripped:
            return report
        return replace(
            report,
            received=report.received + self.taken - self.noted,
            added=report.added + self.noted,
            removed={**report.removed, "isolate": self.taken},
        )

    @property
    def locator(self) -> str | None:
        """Under what they are kept, where they were left out."""
        return next((edit.locator for edit in self.edits if isinstance(edit, Drop)), None) if self.is_stripped else None


def isolate(
    read: Read, task: int, reader: Reader, count: Callable[[str], int], locate: Callable[[str, bytes], str]
) -> Isolated:
    """The request without what its sub-agent inherited; the very same where it inherited nothing."""
    found = inherits(read, task, count, locate)
    if not found.edits:
        return found
    client = read.envelope
    envelope = slice_body(render(client, model=client.model, edits=found.edits))
    envelope.mended = client.mended
    noted = weight(reader.read(envelope)) - (weight(read) - found.taken)
    return Isolated(read, task, found.edits, envelope, found.taken, noted)


def inherits(read: Read, task: int, count: Callable[[str], int], locate: Callable[[str, bytes], str]) -> Isolated:
    """What the request inherited, all of it still there."""
    edits = isolation(read.messages, task, count, locate)
    gone = (range(edit.start, edit.end) for edit in edits if isinstance(edit, Drop))
    taken = sum(read.messages[index].tokens + read.messages[index].extra_tokens for each in gone for index in each)
    return Isolated(read, task, edits, read.envelope, taken)


def weight(read: Read) -> int:
    """Tokens of all messages, with what counts for the brake alone."""
    return sum(message.tokens + message.extra_tokens for message in read.messages)
