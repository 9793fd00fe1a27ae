"""The review session: an agent reads the eleven files of a pull request, one after the other, and comments.

Nothing it reads is needed for long, and everything is resent with each call: the untouched request grows by
about 2,000 tokens a step, from 2,000 to 22,000, and the eleven requests add up to about 132,000.
"""

from __future__ import annotations

from proxy.demo.review_brief import SYSTEM, TASK, TOOLS
from proxy.demo.review_files import ReviewedFile, reviewed_files
from proxy.demo.session import Call, Script, Session

_OPENINGS = (
    "I start with the heart of the change.",
    "Next the invoices, which the new amounts end up in.",
    "The gate calls the new engine for its penalties.",
    "Moves are charged by the same bands.",
    "Now the kiosk side, beginning with the client of the tariffs.",
    "The invoice table is what cashiers look at.",
    "The gate's page shares the wire types.",
    "Two files of the edge service are touched as well.",
    "The shift store follows the same pattern.",
    "The migration and the manifest are short; I read them together.",
)


def review() -> Session:
    """The session, the same in every run: ten reading steps and the verdict."""
    files = reviewed_files()
    listing = "\n".join(f"- {file.path} ({len(file.text.splitlines())} lines)" for file in files)
    script = Script("review", SYSTEM, TASK.format(count=len(files), listing=listing), TOOLS)
    batches = [*((file,) for file in files[:-2]), files[-2:]]
    read: tuple[ReviewedFile, ...] = ()
    posted = 0
    for opening, batch in zip(_OPENINGS, batches, strict=True):
        comments = [_comment(file, posted + i) for i, file in enumerate(read, start=1)]
        posted += len(comments)
        says = [opening, *(f"In {file.path} line {file.line} stood out; I comment on it." for file in read)]
        reads = [Call("read_file", {"path": file.path}, file.text) for file in batch]
        script.act(" ".join(says), *comments, *reads)
        read = batch
    script.say(_verdict(files))
    return script.finish()


def _comment(file: ReviewedFile, number: int) -> Call:
    arguments = {"path": file.path, "line": file.line, "severity": file.severity, "text": file.finding}
    result = f"posted as comment {5200 + number} on {file.path}:{file.line}; m.haverkamp was notified"
    return Call("post_comment", arguments, result)


def _verdict(files: tuple[ReviewedFile, ...]) -> str:
    ranks = ("blocker", "major", "minor")
    found = sorted(files, key=lambda file: ranks.index(file.severity))
    lines = [f"{n}. {f.severity}: {f.path}:{f.line}. {f.finding}" for n, f in enumerate(found, start=1)]
    return "Changes requested. Three findings must be gone before release 14.\n\n" + "\n".join(lines)
