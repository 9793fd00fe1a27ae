"""Output of compilers, linters and build tools."""

# ruff: noqa: E501 -- lines and signs are as tools print them
from __future__ import annotations

from collections.abc import Iterator

from tests.reducers.samples.sample import Sample, parts


def _many(pattern: str, count: int) -> str:
    return "\n".join(pattern.format(n=n) for n in range(count))


def builds() -> Iterator[Sample]:
    yield parts(
        "rustc", "build log",
        _many("   Compiling crate{n} v0.{n}.0", 160),
        """
warning: unused variable: `shelf`
 --> src/stock.rs:14:9
  |
14 |     let shelf = 4;
  |         ^^^^^ help: if this is intentional, prefix it with an underscore: `_shelf`
  |
  = note: `#[warn(unused_variables)]` on by default

!!error[E0308]: mismatched types
!!  --> src/ledger.rs:31:20
   |
31 |     let total: u32 = rows.len();
   |                ---   ^^^^^^^^^^ expected `u32`, found `usize`
   |                |
   |                expected due to this

warning: `depot` (lib) generated 1 warning
!!error: could not compile `depot` (lib) due to 1 previous error; 1 warning emitted
""",
    )  # fmt: skip
    yield parts(
        "gcc and make", "build log",
        "make: Entering directory '/srv/depot'",
        _many("gcc -O2 -Wall -Iinclude -c src/part{n}.c -o build/part{n}.o", 150),
        """
src/yard.c: In function 'park':
src/yard.c:40:9: warning: unused variable 'slot' [-Wunused-variable]
   40 |     int slot;
      |         ^~~~
!!src/yard.c:52:12: error: 'bays' undeclared (first use in this function)
   52 |     return bays[3];
      |            ^~~~
!!make: *** [Makefile:12: build/yard.o] Error 1
!!/usr/bin/ld: build/gate.o: undefined reference to `gate_open'
make: Leaving directory '/srv/depot'
""",
    )  # fmt: skip
    yield parts(
        "tsc",
        "build log",
        _many("src/forms/field{n}.ts({n},5): error TS2304: Cannot find name 'Label{n}'.", 40).replace("src", "!!src"),
        "!!Found 40 errors in 40 files.",
    )
    yield parts(
        "maven compile",
        "build log",
        "[INFO] Scanning for projects...\n[INFO] Building depot 1.4\n[INFO] --- maven-compiler-plugin:3.11:compile (default-compile) @ depot ---",
        _many("[INFO] Compiling 3 source files to /srv/depot/mod{n}/target/classes", 120),
        """
!![ERROR] COMPILATION ERROR : 
!![ERROR] /srv/depot/src/main/java/org/depot/Gate.java:[31,17] cannot find symbol
!![ERROR]   symbol:   method close()
[INFO] BUILD FAILURE
[INFO] Total time:  4.120 s
!![ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11:compile on project depot
""",
    )
    yield parts(
        "mypy",
        "build log",
        _many("depot/part{n}.py:{n}: note: By default the bodies of untyped functions are not checked", 140),
        '!!depot/rates.py:12: error: Argument 1 to "rounded" has incompatible type "str"; expected "float"  [arg-type]',
        "!!depot/rates.py:30: error: Missing return statement  [return]",
        "!!Found 2 errors in 1 file (checked 171 source files)",
    )
    yield parts(
        "ruff",
        "build log",
        _many("depot/part{n}.py:{n}:1: F401 [*] `os` imported but unused", 60).replace("depot", "!!depot"),
        "!!Found 60 errors.\n[*] 60 fixable with the `--fix` option.",
    )
    yield parts(
        "eslint",
        "build log",
        _many("\n/srv/web/src/form{n}.js\n  3:10  warning  'a' is assigned a value but never used  no-unused-vars", 70),
        "\n/srv/web/src/cart.js\n!!  12:5   error    'rows' is not defined                       no-undef",
        "\n!!✖ 71 problems (1 error, 70 warnings)",
    )
    yield parts(
        "npm and docker",
        "build log",
        _many("#12 {n}.3 Downloading package-{n}", 150).replace("Downloading", "fetching"),
        '!!#12 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
        "!!npm ERR! code ERESOLVE\n!!npm ERR! ERESOLVE unable to resolve dependency tree\n!!npm ERR! Found: react@19.0.0",
        "#13 DONE 0.0s",
    )
