"""Diffs, searches, listings, JSON, tables, source, HTML, logs, and what is none of them."""

# ruff: noqa: E501 -- lines and signs are as tools print them
from __future__ import annotations

import json
from collections.abc import Iterator

from tests.reducers.samples.sample import Sample, parts


def _many(pattern: str, count: int) -> str:
    return "\n".join(pattern.format(n=n, second=n % 60, minute=n // 60 % 60) for n in range(count))


def diffs() -> Iterator[Sample]:
    hunk = "\n".join(
        f"@@ -{n * 20 + 1},7 +{n * 20 + 1},7 @@ def part_{n}(rows):\n     rows = list(rows)\n     seen = set()\n     total = 0\n"
        f"-    raise ValueError({n})\n+    raise DepotError({n})\n     for row in rows:\n         total += row\n     return total"
        for n in range(12)
    )
    files = "\n".join(
        f"diff --git a/depot/part{n}.py b/depot/part{n}.py\nindex 1f3a..9c2b 100644\n--- a/depot/part{n}.py\n+++ b/depot/part{n}.py\n{hunk}"
        for n in range(5)
    )
    yield Sample("git diff", "diff", files)
    yield Sample(
        "git show",
        "diff",
        f"commit 4be1\nAuthor: A. Wolf <wolf@example.org>\nDate:   Mon Jan 5 10:00:00 2026\n\n    Own error\n\n{files}",
    )


def searches() -> Iterator[Sample]:
    yield Sample(
        "grep -n",
        "search results",
        "\n".join(f"depot/part{n // 9}.py:{n}:    raise DepotError('no row {n}')" for n in range(250)),
    )
    blocks = (
        f"depot/part{n}.py\n" + "\n".join(f"{k * 7}:    def error_{k}(self, rows):" for k in range(9)) + "\n"
        for n in range(25)
    )
    yield Sample("ripgrep headings", "search results", "\n".join(blocks))
    yield Sample(
        "grep -C", "search results",
        "\n".join(f"src/mod{n}.go-{n}-// opens\nsrc/mod{n}.go:{n + 1}:func Open{n}() error {{\nsrc/mod{n}.go-{n + 2}-\treturn nil\n--" for n in range(80)),
    )  # fmt: skip


def listings() -> Iterator[Sample]:
    yield Sample("find", "file listing", "\n".join(f"./src/area{n // 12}/FooError{n}.java" for n in range(400)))
    rows = "\n".join(f"-rw-r--r-- 1 wolf wolf {n * 31:6d} Jan  5 10:{n % 60:02d} errors_{n}.log" for n in range(200))
    yield parts("ls -l", "file listing", "total 8811", rows, "!!ls: cannot access 'gone': No such file or directory")
    yield Sample(
        "tree", "file listing", ".\n" + "\n".join(f"├── area{n}\n│   ├── open.py\n│   └── close.py" for n in range(90))
    )
    yield Sample("ls -R", "file listing", "\n".join(f"./area{n}:\nopen.py\nclose.py\nREADME.md\n" for n in range(90)))


def records() -> Iterator[Sample]:
    rows = [
        {"id": n, "name": f"bay {n}", "open": n % 2 == 0, "error": None, "tags": ["a", f"t{n}"]} for n in range(150)
    ]
    yield Sample("json array", "json", json.dumps(rows, indent=2))
    yield Sample("json array on one line", "json", json.dumps(rows))
    yield Sample("json in an envelope", "json", json.dumps({"total": 150, "items": rows, "next": None}, indent=2))
    yield Sample("json lines", "json", "\n".join(json.dumps(row) for row in rows))
    rows[70]["error"] = "KeyError: 'bay 70'"
    text = json.dumps(rows, indent=2)
    yield Sample("json with an error", "json", text, tuple(line for line in text.split("\n") if "KeyError" in line))


def tables() -> Iterator[Sample]:
    yield parts("csv", "table", "id,day,net,tax", _many('{n},"2026-01-05, Monday",{n}00,19', 300))
    yield parts("tsv", "table", "id\tname", _many("{n}\tbay {n}", 400))
    yield parts(
        "psql", "table", " id | name  | net\n----+-------+-----", _many("  {n} | bay {n} | 100", 250), "(250 rows)"
    )
    yield parts("markdown table", "table", "| id | name |\n|---|---|", _many("| {n} | bay number {n} |", 250))
    yield parts(
        "kubectl", "table", "NAME                 READY   STATUS    RESTARTS   AGE",
        _many("depot-{n}-x7   1/1     Running   0          4d", 200), "!!depot-bad-x7        0/1     Error     5          4d",
    )  # fmt: skip


def sources() -> Iterator[Sample]:
    python = "import json\nfrom pathlib import Path\n\n\nclass DepotError(Exception):\n    pass\n\n" + "\n".join(
        f'\ndef part_{n}(rows):\n    """Sum the rows."""\n    try:\n        total = sum(rows)\n    except TypeError as error:\n'
        f"        raise DepotError(f'row {n}') from error\n    return total\n"
        for n in range(60)
    )
    yield Sample("python source", "source", python)
    yield Sample(
        "python source, numbered",
        "source",
        "\n".join(f"{n:6d}\t{line}" for n, line in enumerate(python.split("\n"), 1)),
    )
    yield Sample(
        "typescript source", "source",
        "import { Row } from './row';\n\nexport interface Depot {\n  rows: Row[];\n}\n"
        + "\n".join(f"\nexport function part{n}(rows: Row[]): number {{\n  if (!rows.length) {{\n    throw new Error('none');\n  }}\n  return rows.length;\n}}" for n in range(70)),
    )  # fmt: skip
    yield Sample(
        "go source", "source",
        'package depot\n\nimport (\n\t"errors"\n)\n'
        + "\n".join(f"\n// Part{n} sums.\nfunc Part{n}(rows []int) (int, error) {{\n\tif len(rows) == 0 {{\n\t\treturn 0, errors.New(\"none\")\n\t}}\n\treturn len(rows), nil\n}}" for n in range(70)),
    )  # fmt: skip
    yield Sample(
        "rust source", "source",
        "use std::fmt;\n\npub struct Depot {\n    rows: Vec<u32>,\n}\n\nimpl Depot {\n"
        + "\n".join(f"    /// Sums.\n    pub fn part{n}(&self) -> Result<u32, Error> {{\n        self.rows.first().copied().ok_or(Error::None)\n    }}\n" for n in range(80)) + "}",
    )  # fmt: skip
    yield Sample(
        "java source", "source",
        "package org.depot;\n\nimport java.util.List;\n\npublic class Depot {\n"
        + "\n".join(f"    /** Sums. */\n    public int part{n}(List<Integer> rows) {{\n        if (rows.isEmpty()) {{\n            throw new IllegalStateException(\"none\");\n        }}\n        return rows.size();\n    }}\n" for n in range(60)) + "}",
    )  # fmt: skip
    yield Sample(
        "c source", "source",
        "#include <stdio.h>\n#include \"depot.h\"\n"
        + "\n".join(f"\nint part_{n}(const int *rows, int count) {{\n    if (count == 0) {{\n        return -1;\n    }}\n    return rows[0];\n}}" for n in range(80)),
    )  # fmt: skip
    yield Sample(
        "shell source", "source",
        "#!/bin/bash\nset -euo pipefail\n" + "\n".join(f"\npart_{n}() {{\n  if [[ -z \"$1\" ]]; then\n    echo \"error: none\" >&2\n    exit 1\n  fi\n}}" for n in range(80)),
    )  # fmt: skip


def pages() -> Iterator[Sample]:
    body = "\n".join(
        f"  <h2>Bay {n}</h2>\n  <p>Bay {n} takes lorries up to {n} tons.</p>\n  <script>\n    track({n});\n  </script>"
        for n in range(90)
    )
    yield Sample(
        "html",
        "html",
        f"<!DOCTYPE html>\n<html>\n<head>\n<title>The depot</title>\n<style>\np {{ margin: 0 }}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>",
    )


def logs() -> Iterator[Sample]:
    yield parts(
        "service log", "log", _many("2026-01-05 10:{minute:02d}:{second:02d},120 INFO depot.gate lorry {n} let in, 0 errors", 200),
        "!!2026-01-05 10:03:20,120 ERROR depot.gate lorry 200 has no papers\n!!Traceback (most recent call last):",
        '§§  File "/srv/depot/depot/gate.py", line 31, in admit\n§§    papers = lorry.papers()\n!!depot.gate.NoPapers: lorry 200',
        "2026-01-05 10:03:21,120 WARNING depot.gate queue is long",
        _many("2026-01-05 11:{minute:02d}:{second:02d},120 INFO depot.gate lorry {n} let out", 200),
    )  # fmt: skip
    yield parts(
        "access log", "log", _many('10.0.0.{second} - - [05/Jan/2026:10:{minute:02d}:{second:02d} +0000] "GET /bay/{n} HTTP/1.1" 200 512', 250),
        '!!10.0.0.7 - - [05/Jan/2026:10:05:00 +0000] "POST /bay HTTP/1.1" 502 91',
    )  # fmt: skip
    yield parts(
        "logfmt", "log", _many('time="2026-01-05T10:{minute:02d}:{second:02d}Z" level=info msg="let in" lorry={n}', 250),
        '!!time="2026-01-05T10:05:00Z" level=error msg="no papers" lorry=250',
    )  # fmt: skip


def texts() -> Iterator[Sample]:
    prose = "The depot opens at six. You cannot park there at night, and an error in the papers means waiting.\nA lorry that failed its test, of course, is sent home.\n"
    yield Sample("prose", "text", prose * 60)
    yield Sample(
        "markdown", "text",
        "# The depot\n\n" + "\n".join(f"## Bay {n}\n\nOpen it like this:\n\n```python\nimport depot\ndepot.open({n})\n```\n\n- raises `DepotError` if closed\n- from six to ten" for n in range(60)),
    )  # fmt: skip
    yield Sample(
        "yaml",
        "text",
        "\n".join(f"bay_{n}:\n  opens: six\n  on_error: wait\n  tags:\n    - a\n    - b{n}" for n in range(90)),
    )
    yield Sample("key=value dump", "text", "\n".join(f"DEPOT_BAY_{n}=open,{n},wide" for n in range(300)))
    yield Sample("settings dump", "text", "\n".join(f"net.depot.bay{n}.max_error = {n}" for n in range(300)))
    yield Sample(
        "git log",
        "text",
        "\n".join(
            f"commit {n:040x}\nAuthor: A. Wolf <wolf@example.org>\nDate:   Mon Jan 5 10:00:00 2026 +0100\n\n    Let lorry {n} in\n"
            for n in range(60)
        ),
    )
    yield parts(
        "a long unbroken run",
        "text",
        "start\n" + "_" * 12_000 + "\n" + "a" * 12_000,
        "!!last line: linker ran out of disk\n",
    )
