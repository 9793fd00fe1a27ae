"""The list of patterns by which error lines are recognised."""

from __future__ import annotations

import pytest

from policies.reducers.errors import ASSERTION, LOOKED_AT, PATTERNS, error_lines

REPORTS = {
    "exception": [
        "ValueError: no row 3",
        "java.io.IOException",
        "TypeError [ERR_INVALID]: bad",
        "subprocess.TimeoutExpired: 3 s",
        "KeyboardInterrupt",
        'Exception in thread "main" java.lang.RuntimeException',
        "shop.models.Item.DoesNotExist: Item matching query does not exist.",
    ],
    "error label": [
        "error: no such option",
        "error[E0308]: mismatched types",
        "a.ts(1,5): error TS2304: x",
        "[error] bad",
    ],
    "error column": [
        "  12:5  error  'rows' is not defined",
        "error Command failed with exit code",
        "web - error - closed",
    ],
    "level": ["10:00:01 ERROR gate is shut", "[FATAL] no disk", "SEVERE: lost", "E1: CRITICAL heat"],
    "level field": ["level=error msg=lost", '{"severity": "CRITICAL", "msg": "lost"}', "lvl=fatal"],
    "failure": ["the upload failed", "not ok 3 - opens", "Failures: 2"],
    "failure word": ["--- FAIL: TestRoute (0.0s)", "test_open FAILED", "BUILD FAILURE", "FAIL src/cart.test.ts"],
    "failure mark": ["  \u2715 adds tax once", "  \u25cf Cart \u203a adds tax once", "\u274c lint"],
    "count": ["Found 3 errors", "2 failed, 7 passed", "5 problems"],
    "trace": [
        "Traceback (most recent call last):",
        "Caused by: x",
        "goroutine 1 [running]:",
        "thread 'main' panicked at a.rs:1",
    ],
    "crash": [
        "fatal: not a git repository",
        "Segmentation fault (core dumped)",
        "assertion `left == right` failed",
        "Aborted",
    ],
    "refusal": ["ls: cannot access 'gone'", "Could not resolve host", "npm: unable to open lock"],
    "system": [
        "bash: depot: command not found",
        "connect: Connection refused",
        "linker ran out of disk",
        "read timed out",
    ],
    "exit": ["exit status 2", "the process exited with code 1"],
    "builder": ["npm ERR! code ERESOLVE", "make: *** [all] Error 1", "ninja: build stopped: subcommand"],
    "errno": ["connect ECONNREFUSED 127.0.0.1:80", "open ENOENT"],
    "status": ['10.0.0.7 - - [05/Jan] "POST /bay HTTP/1.1" 502 91'],
}

SILENT = [
    "",
    "The word error in prose, of course, reports nothing.",
    "You cannot park there at night.",
    "A lorry that may fail is sent home.",
    "tests/test_errors.py::test_value_error PASSED [ 3%]",
    "test_error (depot.tests.FormErrors) ... ok",
    "test errors::fails_early ... ok",
    "ok  \tdepot/errors\t0.01s",
    "    \u2713 shows an error (3 ms)",
    "--- PASS: TestError (0.00s)",
    "=== RUN   TestFAIL",
    "0 errors, 0 failed",
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
    '  "error": null,',
    "errors=[]",
    "no errors found",
    "src/main/java/FooErrorHandler.java",
    "max_error = 3",
    "stderr is a pipe",
    "        raise_on_error(rows)",
    "    except ValueError as problem:",
    "exit code 0",
    "Exit",
    '10.0.0.7 - - [05/Jan] "GET /bay/500 HTTP/1.1" 200 512',
    "goroutine 7 [IO wait]:",
    "severity of the storm",
]


@pytest.mark.parametrize("line", [line for lines in REPORTS.values() for line in lines])
def test_a_line_that_reports_a_failure_is_an_error_line(line: str):
    assert error_lines([line]) == [0]


@pytest.mark.parametrize("line", SILENT)
def test_a_line_that_reports_none_is_no_error_line(line: str):
    assert error_lines([line]) == []


@pytest.mark.parametrize("one", PATTERNS, ids=lambda one: one.name)
def test_every_pattern_fits_its_examples_and_is_tried_on_them(one):
    for line in REPORTS[one.name]:
        assert one.pattern.search(line.lower() if one.lower else line)
        assert any(word in line.lower() for word in one.words)


def test_the_examples_name_every_pattern():
    assert [one.name for one in PATTERNS] == list(REPORTS)


@pytest.mark.parametrize("line", ["E       assert 3 == 4", "E", "E         - {'a': 1}"])
def test_what_pytest_marks_is_an_error_line(line: str):
    assert error_lines([line]) == [0]
    assert ASSERTION.match(line)


def test_a_success_that_counts_failures_elsewhere_still_reports():
    assert error_lines(["1 failed, 0 errors"]) == [0]


def test_line_numbers_are_those_of_the_text():
    assert error_lines(["fine", "KeyError: 3", "fine", "fatal: no"]) == [1, 3]


def test_only_the_beginning_of_a_line_is_looked_at():
    assert error_lines(["x" * LOOKED_AT + " ERROR"]) == []
