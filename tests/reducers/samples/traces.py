"""Stack traces of eight languages, some with frames enough to be worth shortening."""

# ruff: noqa: E501 -- lines and signs are as tools print them
from __future__ import annotations

from collections.abc import Iterator

from tests.reducers.samples.sample import Sample, parts


def _library(pattern: str, count: int) -> str:
    return "\n".join(pattern.format(n=n) for n in range(count))


def traces() -> Iterator[Sample]:
    yield parts(
        "python, chained", "traceback",
        "!!Traceback (most recent call last):",
        '§§  File "/srv/depot/depot/mail.py", line 8, in send\n§§    return post(letter)',
        _library('  File "/srv/depot/.venv/lib/python3.11/site-packages/http/pool_{n}.py", line {n}, in call\n    return inner()', 60),
        "!!http.errors.ConnectTimeout: no answer from 10.0.0.7\n",
        "!!During handling of the above exception, another exception occurred:\n",
        "!!Traceback (most recent call last):",
        '§§  File "/srv/depot/depot/__main__.py", line 40, in <module>\n§§    main()\n§§    ~~~~^^',
        '§§  File "/srv/depot/depot/mail.py", line 11, in send\n§§    raise Undelivered(letter.id) from error',
        "!!depot.mail.Undelivered: letter 5521",
    )  # fmt: skip
    yield parts(
        "node",
        "traceback",
        "/srv/web/src/cart.js:40\n    this.rows.clear();\n              ^\n",
        "!!TypeError: Cannot read properties of undefined (reading 'clear')",
        "§§    at Cart.empty (/srv/web/src/cart.js:40:15)\n§§    at async checkout (/srv/web/src/checkout.js:12:3)",
        _library("    at Layer.handle_{n} (/srv/web/node_modules/router/lib/layer.js:{n}:5)", 120),
        "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n\nNode.js v22.4.1",
    )
    yield parts(
        "java",
        "traceback",
        '!!Exception in thread "main" java.lang.IllegalStateException: depot is closed',
        "§§\tat org.depot.Gate.open(Gate.java:31)\n§§\tat org.depot.Main.main(Main.java:9)",
        _library("\tat org.springframework.web.Filter{n}.doFilter(Filter{n}.java:{n})", 80),
        "!!Caused by: java.io.IOException: lock is held by 4411\n§§\tat org.depot.Lock.take(Lock.java:77)",
        _library("\tat java.base/java.lang.Thread.run{n}(Thread.java:{n})", 30),
        "\t... 80 more",
    )
    yield parts(
        "go",
        "traceback",
        "!!panic: runtime error: invalid memory address or nil pointer dereference",
        "!![signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4a2f31]\n\n!!goroutine 1 [running]:",
        "§§main.(*Depot).Open(0x0)\n§§\t/srv/depot/depot.go:22 +0x11\n§§main.main()\n§§\t/srv/depot/main.go:8 +0x1d\n",
        _library(
            "goroutine {n} [IO wait]:\ninternal/poll.runtime_pollWait(0x7f, 0x72)\n\t/usr/local/go/src/runtime/netpoll.go:345 +0x85\n",
            70,
        ),
        "!!exit status 2",
    )
    yield parts(
        "rust",
        "traceback",
        "!!thread 'main' panicked at src/main.rs:14:37:",
        '!!called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file or directory" }',
        "!!stack backtrace:",
        _library(
            "  {n:2d}: core::ops::function::FnOnce::call_once_{n}\n             at /rustc/90b35a623/library/core/src/ops/function.rs:250:5",
            50,
        ),
        "§§  50: depot::main\n§§             at ./src/main.rs:14:37",
    )
    yield parts(
        "ruby",
        "traceback",
        "!!/srv/depot/lib/depot/gate.rb:12:in `open': depot is closed (Depot::ClosedError)",
        "§§\tfrom /srv/depot/lib/depot/cli.rb:30:in `run'",
        _library("\tfrom /usr/lib/ruby/gems/3.2.0/gems/thor-1.3/lib/thor/command.rb:{n}:in `run'", 90),
        "§§\tfrom bin/depot.rb:5:in `<main>'",
    )
    yield parts(
        "c#",
        "traceback",
        "!!Unhandled exception. System.InvalidOperationException: depot is closed",
        "!! ---> System.IO.IOException: lock is held",
        "§§   at Depot.Gate.Open(String name) in /srv/depot/Gate.cs:line 31",
        _library("   at System.Threading.Tasks.Task.Run{n}(Object state)", 100),
        "§§   at Depot.Program.Main(String[] args) in /srv/depot/Program.cs:line 9",
    )
