"""How error lines are recognised: one list of patterns, for every kind of output.

A line is an error line if it *reports* a failure, in the words that compilers, interpreters, test runners, shells
and loggers use; a line that merely speaks of errors (prose, a passing test of that name, "0 errors") is none. Only
the first `LOOKED_AT` characters of a line are looked at: a line that reports says so early, and data does not count.

A pattern is tried only on lines that hold one of its words, and begins with text where it can: a megabyte of log is
looked through in a fraction of a second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

LOOKED_AT = 500
CROSSES = ("\u2717", "\u2718", "\u2715", "\u00d7", "\u274c")


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """One way to report a failure. `words`: lower-case texts, one of which every such line holds.

    The pattern is searched for in the line, in lower case where `lower` says so.
    """

    name: str
    words: tuple[str, ...]
    lower: bool
    pattern: re.Pattern[str]


def _lower(name: str, words: str, pattern: str) -> ErrorPattern:
    return ErrorPattern(name, tuple(words.split("|")), True, re.compile(pattern))


def _cased(name: str, words: str, pattern: str) -> ErrorPattern:
    return ErrorPattern(name, tuple(words.split("|")), False, re.compile(pattern))


PATTERNS = (
    # ValueError: no row 3 | java.io.IOException | TypeError [ERR_X]: ... | Exception in thread "main" ...
    _cased(
        "exception",
        "error|exception|interrupt|expired|doesnotexist",
        r"(?:Error|Exception|KeyboardInterrupt|Expired|DoesNotExist)(?:: |:?$| \[)|Exception in thread ",
    ),
    # error: ... | error[E0308]: ... | error TS2304: ... | [error] ...
    _lower("error label", "error", r"error(?<!\w.....)s?(?:\[\w+\]| [a-z]+\d+)?(?::|\]|$)"),
    # error Command failed | 12:5  error  'x' is not defined | app - error - ...
    _lower("error column", "error", r"^error |(?:: |\s\s|- )error(?: |$)"),
    # 10:00:01 ERROR gate ... | [FATAL] ... | SEVERE: ...
    _cased(
        "level",
        "error|fatal|critical|severe|emerg|panic",
        r"(?<!\w)(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG|PANIC)(?!\w)",
    ),
    # level=error msg=... | "severity": "CRITICAL"
    _lower(
        "level field",
        "level|lvl|severity",
        r"(?:level|lvl|severity)[\"']?\s?[=:]\s?[\"']?(?:error|fatal|critical|panic|severe)",
    ),
    # test_open FAILED | --- FAIL: TestRoute | Build failed | not ok 3
    _lower("failure", "fail|not ok", r"fail(?<!\w....)(?:ed|ure|ures|ing)?:|failed(?<!\w......)(?!\w)|^\s*not ok\b"),
    _cased("failure word", "fail", r"FAIL(?<!\w....)(?:ED|URES?|S|ING)?(?!\w)"),
    # the crosses and bullets of jest, vitest and mocha in front of a test's name
    _lower("failure mark", f"{'|'.join(CROSSES)}|\u25cf", rf"^\s*(?:[{''.join(CROSSES)}]|\u25cf .* \u203a )"),
    # Found 3 errors | 2 failed, 7 passed
    _lower("count", "error|fail|problem", r"[1-9]\d* (?:errors?|failed|failures?|failing|problems?)(?!\w)"),
    # Traceback (most recent call last): | Caused by: ... | goroutine 1 [running]: | thread 'main' panicked at ...
    _lower(
        "trace",
        "traceback|caused by|goroutine|panic|uncaught|unhandled|above exception|backtrace",
        r"traceback \(most recent call last\)|^\s*(?:\[error\] )?caused by: |^goroutine \d+ \[running|panicked at "
        r"|^panic: |uncaught(?!\w)|unhandled(?!\w)|above exception was|^stack backtrace:",
    ),
    # fatal: not a git repository | Segmentation fault (core dumped) | assertion `left == right` failed
    _lower(
        "crash",
        "fatal|abort|segmentation|core dumped|bus error|overflow|assert",
        r"fatal(?:(?= error)|:)|abort(?:ed|ing)(?!\w)|segmentation (?:fault|violation)|core dumped|bus error"
        r"|stack ?overflow"
        r"|assertion (?:.{0,200} )?failed",
    ),
    # ls: cannot access 'gone' | Could not resolve host
    _lower("refusal", "cannot|can't|could not|unable to", r"(?:^\s*|[:\]] )(?:cannot|can't|could not|unable to) "),
    # no such file or directory | command not found | linker ran out of disk
    _lower(
        "system",
        "no such file|denied|not found|refused|reset by peer|ran out of|out of memory|no space left|timed out"
        "|undefined reference|unresolved external|killed|not permitted|unreachable",
        r"no such file or directory|permission denied|: (?:command )?not found$|connection refused|reset by peer"
        r"|ran out of |out of memory|no space left|timed out(?!\w)|undefined reference|unresolved external"
        r"|oom-?killed|^killed"
        r"|operation not permitted|(?:host|network) (?:is )?unreachable",
    ),
    # exit status 2 | exited with code 1
    _lower("exit", "exit", r"exit(?:ed)?(?: with)?(?: status| code)?:? [1-9]\d*(?!\w)"),
    # npm ERR! code ERESOLVE | make: *** [all] Error 1
    _lower("builder", "npm err|***|build stopped", r"^npm err|^g?make(?:\[\d+\])?: \*\*\*|^ninja: build stopped"),
    # ENOENT: no such file ... | connect ECONNREFUSED 127.0.0.1:80
    _cased(
        "errno",
        "enoent|eacces|econn|eaddr|eperm|eexist|epipe|etimedout",
        r"E(?:NOENT|ACCES|CONN|ADDR|PERM|EXIST|PIPE|TIMEDOUT)",
    ),
    # "GET /bay HTTP/1.1" 502 91
    _cased("status", '" 5', r'HTTP/\d(?:\.\d)?" 5\d\d\b'),
)
"""Every way in which a line may report a failure."""

ASSERTION = re.compile(r"E(?:\s{2,}|\s*$)")
"""pytest's mark of what failed, in front of each line of it."""

SUCCESS = re.compile(
    r"\.\.\. ?(?:ok|skipped.*|expected failure|ignored)\s*$|\b(?:PASSED|SKIPPED|XFAIL|XPASS)\b(?:\s+\[\s*\d+%\])?\s*$"
    r"|^\s*(?:[✓√✔]|ok \d|ok\s|PASS\b|--- (?:PASS|SKIP)\b|=== (?:RUN|PAUSE|CONT)\b)"
)
"""A line that reports a success, whatever its names say."""

_NOTHING = re.compile(
    r"""(?i)\b(?:no|0|zero) (?:\w+ )?(?:errors?|failed|failures?|failing|problems?)\b"""
    r"""|(?:errors?|failed|failures?)["']?\s?[:=]\s?(?:0\b|none\b|null\b|false\b|""|''|\[\]|\{\})"""
)
"""A phrase that says that nothing failed; a line is judged by what else it says."""

_WORDS = re.compile("|".join(sorted({re.escape(word) for one in PATTERNS for word in one.words}, reverse=True)))
_BY_WORD = {word: tuple(one for one in PATTERNS if word in one.words) for one in PATTERNS for word in one.words}


def error_lines(lines: Sequence[str]) -> list[int]:
    """The numbers (from 0) of the lines that report a failure, in order."""
    return [number for number, line in enumerate(lines) if _reports(line[:LOOKED_AT])]


def _reports(line: str) -> bool:
    if line[:1] == "E" and ASSERTION.match(line):
        return True
    if not _told(line) or SUCCESS.search(line):
        return False
    rest = _NOTHING.sub("", line)
    return rest == line or _told(rest)


def _told(line: str) -> bool:
    """Whether one of the patterns fits."""
    low = line.lower()
    words = set(_WORDS.findall(low))
    return any(one.pattern.search(low if one.lower else line) for word in words for one in _BY_WORD[word])
