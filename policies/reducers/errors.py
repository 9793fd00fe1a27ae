"""How error lines are recognised: one list of patterns, for every kind of output.

A line is an error line if it *reports* a failure, in the words that compilers, interpreters, test runners, shells
and loggers use; a line that merely speaks of errors (prose, a passing test of that name, "0 errors") is none. Only
the first `LOOKED_AT` characters of a line are looked at: a line that reports says so early, and data does not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """One way to report a failure. `words`: lower-case texts, one of which every such line holds."""

    name: str
    words: tuple[str, ...]
    pattern: str


PATTERNS = (
    ErrorPattern(
        "exception",
        ("error", "exception", "interrupt", "expired", "doesnotexist"),
        r"(?:Error|Exception|KeyboardInterrupt|Expired|DoesNotExist)(?:: |:?$| \[)|Exception in thread ",
    ),
    ErrorPattern("label", ("error",), r"(?i:\berrors?(?:\[\w+\])?(?: [A-Z]+\d+)?(?::|\]|$))|^error\b|: error\b|  error  |- error "),
    ErrorPattern(
        "level",
        ("error", "fatal", "critical", "severe", "emerg", "panic"),
        r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG|PANIC)\b"
        r"""|\b(?i:level|lvl|severity)["']?\s?[=:]\s?["']?(?i:error|fatal|critical|panic|severe)\b""",
    ),
    ErrorPattern("failure", ("fail", "not ok"), r"\bFAIL(?:ED|URES?|S|ING)?\b|\b[Ff]ailed\b|\b(?i:failures?):|^\s*not ok\b"),
    ErrorPattern("mark", ("✗", "✘", "✕", "×", "●", "❌"), r"^\s*(?:[✗✘✕×❌]|● .* › )"),
    ErrorPattern("count", ("error", "fail", "problem"), r"\b[1-9]\d* (?:errors?|failed|failures?|failing|problems?)\b"),
    ErrorPattern(
        "trace",
        ("traceback", "caused by", "goroutine", "panic", "uncaught", "unhandled", "above exception", "backtrace"),
        r"Traceback \(most recent call last\)|^\s*(?:\[ERROR\] )?Caused by: |^goroutine \d+ \[running|\bpanicked at\b|^panic: "
        r"|\b(?:Uncaught|Unhandled|unhandled|uncaught)\b|above exception was|^stack backtrace:",
    ),
    ErrorPattern(
        "crash",
        ("fatal", "abort", "segmentation", "core dumped", "bus error", "overflow", "assert"),
        r"(?i:\bfatal\b|\babort(?:ed|ing)\b|\bsegmentation fault|core dumped|\bbus error\b|\bstack ?overflow"
        r"|\bassertion\b.{0,200} failed\b|\bassertion failed)",
    ),
    ErrorPattern(
        "refusal",
        ("cannot", "can't", "could not", "unable to"),
        r"(?:^\s*|[:\]] )(?i:cannot|can't|could not|unable to) ",
    ),
    ErrorPattern(
        "system",
        ("no such file", "denied", "not found", "refused", "reset by peer", "ran out of", "out of memory", "no space left",
         "timed out", "undefined reference", "unresolved external", "killed", "not permitted", "unreachable"),
        r"(?i:\bno such file or directory|\bpermission denied|: (?:command )?not found$|\bconnection refused"
        r"|\breset by peer|\bran out of\b|\bout of memory|\bno space left|\btimed out\b|\bundefined reference"
        r"|\bunresolved external|\boom-?killed|^killed\b|\boperation not permitted|\bunreachable\b)",
    ),
    ErrorPattern(
        "exit", ("exit", "returned"), r"\b(?i:exit(?:ed)?(?: with)?(?: status| code)?|returned(?: non-zero)? exit status):? [1-9]\d*\b"
    ),
    ErrorPattern("builder", ("npm err", "***", "build stopped"), r"^npm ERR!|^g?make(?:\[\d+\])?: \*\*\*|^ninja: build stopped"),
    ErrorPattern("errno", (" e", "enoent", "eacces", "econn", "eaddr", "eperm"), r"\bE(?:NOENT|ACCES|CONN\w+|ADDR\w+|PERM|EXIST|PIPE)\b"),
    ErrorPattern("status", ('" 5',), r'HTTP/\d(?:\.\d)?" 5\d\d\b'),
)  # fmt: skip
"""Every way in which a line may report a failure."""

ASSERTION = re.compile(r"^E(?:\s{2,}|\s*$)")
"""pytest's mark of what failed, in front of each line of it."""

SUCCESS = re.compile(
    r"\.\.\. ?(?:ok|skipped.*|expected failure|ignored)\s*$|\b(?:PASSED|SKIPPED|XFAIL|XPASS)\b(?:\s+\[\s*\d+%\])?\s*$"
    r"|^\s*(?:[✓√✔]|ok \d|PASS\b|--- (?:PASS|SKIP)\b|=== (?:RUN|PAUSE|CONT)\b)"
)
"""A line that reports a success, whatever its names say."""

_NOTHING = re.compile(
    r"""(?i)\b(?:no|0|zero) (?:\w+ )?(?:errors?|failed|failures?|failing|problems?)\b"""
    r"""|\b\w*(?:errors?|failed|failures?)["']?\s?[:=]\s?(?:0\b|none\b|null\b|false\b|""|''|\[\]|\{\})"""
)
"""A phrase that says that nothing failed; a line is judged by what else it says."""

_HINT = re.compile("|".join(sorted({re.escape(word) for one in PATTERNS for word in one.words})))
_REPORT = re.compile("|".join(one.pattern for one in PATTERNS))


def error_lines(lines: Sequence[str]) -> list[int]:
    """The numbers (from 0) of the lines that report a failure, in order."""
    return [number for number, line in enumerate(lines) if _reports(line[:LOOKED_AT])]


def _reports(line: str) -> bool:
    if ASSERTION.match(line):
        return True
    if not _HINT.search(line.lower()) or SUCCESS.search(line):
        return False
    return _REPORT.search(_NOTHING.sub("", line)) is not None
