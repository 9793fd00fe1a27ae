"""Test runs of nine runners; most tests pass, a few fail."""

# ruff: noqa: E501, RUF001 -- lines and signs are as tools print them
from __future__ import annotations

from collections.abc import Iterator

from tests.reducers.samples.sample import Sample, parts

AREAS = ("orders", "ledger", "stock", "rates", "mail", "errors", "search", "login")


def _passing(pattern: str, count: int) -> str:
    return "\n".join(pattern.format(area=AREAS[n % len(AREAS)], n=n, percent=n * 100 // count) for n in range(count))


def pytest_verbose() -> Sample:
    return parts(
        "pytest -v", "test run",
        """
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.1, pluggy-1.6.0 -- /srv/depot/.venv/bin/python
cachedir: .pytest_cache
rootdir: /srv/depot
collected 302 items
""",
        _passing("tests/test_{area}.py::test_error_case_{n} PASSED                [{percent:3d}%]", 300),
        """
!!tests/test_ledger.py::test_the_balance_closes FAILED                     [ 99%]
!!tests/test_stock.py::test_a_missing_bin_is_named FAILED                  [100%]

=================================== FAILURES ===================================
!!___________________________ test_the_balance_closes ____________________________

    def test_the_balance_closes():
        book = Ledger(opening=120)
        book.post(40, side="debit")
§§>       assert book.totals() == {"debit": 40, "credit": 40}
!!E       AssertionError: assert {'debit': 40, 'credit': 38} == {'debit': 40, 'credit': 40}
!!E         Omitting 1 identical items, use -vv to show
!!E         Differing items:
!!E         {'credit': 38} != {'credit': 40}
!!E         Full diff:
!!E         - {'credit': 40, 'debit': 40}
!!E         ?            ^^
!!E         + {'credit': 38, 'debit': 40}

§§tests/test_ledger.py:41: AssertionError
!!_________________________ test_a_missing_bin_is_named __________________________

    def test_a_missing_bin_is_named():
§§>       locate("A-17")

§§tests/test_stock.py:88: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

label = 'A-17'

    def locate(label):
        shelf = SHELVES.get(label[0])
§§>       return shelf.bins[label]
!!E       KeyError: 'A-17'

§§depot/stock.py:19: KeyError
----------------------------- Captured stdout call -----------------------------
looking for A-17 on shelf A
------------------------------ Captured log call -------------------------------
!!ERROR    depot.stock:stock.py:17 bin A-17 is on no shelf
=========================== short test summary info ============================
!!FAILED tests/test_ledger.py::test_the_balance_closes - AssertionError: assert {'debit': 40...
!!FAILED tests/test_stock.py::test_a_missing_bin_is_named - KeyError: 'A-17'
!!======================== 2 failed, 300 passed in 4.31s =========================
""",
    )  # fmt: skip


def pytest_quiet() -> Sample:
    return parts(
        "pytest -q", "test run",
        "\n".join("." * 72 + f" [{n:3d}%]" for n in range(1, 100)),
        """
..................F                                                      [100%]
=================================== FAILURES ===================================
!!____________________________ test_rates_are_rounded ____________________________

rates = [0.105, 0.2]

    def test_rates_are_rounded(rates):
§§>       assert [rounded(rate) for rate in rates] == [0.11, 0.2]
!!E       assert [0.1, 0.2] == [0.11, 0.2]
!!E         At index 0 diff: 0.1 != 0.11

§§tests/test_rates.py:12: AssertionError
=============================== warnings summary ===============================
tests/test_rates.py::test_rates_are_rounded
  /srv/depot/depot/rates.py:4: DeprecationWarning: round_half is going away
""",
        "\n".join(f"  /srv/depot/depot/old_{n}.py:{n}: DeprecationWarning: use quantise" for n in range(120)),
        """
=========================== short test summary info ============================
!!FAILED tests/test_rates.py::test_rates_are_rounded - assert [0.1, 0.2] == [0.11, 0.2]
!!1 failed, 7146 passed, 121 warnings in 61.20s (0:01:01)
""",
    )  # fmt: skip


def unittest_run() -> Sample:
    return parts(
        "unittest", "test run",
        _passing("test_{area}_errors_{n} (depot.tests.test_{area}.Cases.test_{area}_errors_{n}) ... ok", 220),
        """
!!test_lists (depot.tests.test_mail.Cases.test_lists) ... FAIL
!!test_open (depot.tests.test_mail.Cases.test_open) ... ERROR

======================================================================
!!ERROR: test_open (depot.tests.test_mail.Cases.test_open)
----------------------------------------------------------------------
!!Traceback (most recent call last):
§§  File "/srv/depot/depot/tests/test_mail.py", line 30, in test_open
§§    with mailbox("none") as box:
  File "/usr/lib/python3.11/contextlib.py", line 137, in __enter__
    return next(self.gen)
           ^^^^^^^^^^^^^^
§§  File "/srv/depot/depot/mail.py", line 12, in mailbox
§§    raise FileNotFoundError(name)
!!FileNotFoundError: none

======================================================================
!!FAIL: test_lists (depot.tests.test_mail.Cases.test_lists)
----------------------------------------------------------------------
!!Traceback (most recent call last):
§§  File "/srv/depot/depot/tests/test_mail.py", line 21, in test_lists
§§    self.assertEqual(sorted_by_day(letters), ["mon", "tue"])
!!AssertionError: Lists differ: ['tue', 'mon'] != ['mon', 'tue']

First differing element 0:
'tue'
'mon'

!!- ['tue', 'mon']
!!+ ['mon', 'tue']

----------------------------------------------------------------------
!!Ran 222 tests in 1.204s

!!FAILED (failures=1, errors=1)
""",
    )  # fmt: skip


def django_run() -> Sample:
    return parts(
        "django", "test run",
        """
Testing against Django installed in '/srv/shop/django' with up to 4 processes
Importing application shop
Found 260 test(s).
Creating test database for alias 'default' ('file:memorydb_default?mode=memory&cache=shared')...
Operations to perform:
  Synchronize unmigrated apps: auth, contenttypes, messages, sessions
Running migrations:
  No migrations to apply.
System check identified no issues (0 silenced).
""",
        _passing("test_{area}_{n} (shop.tests.{area}.FormErrors)\nRejects a form with errors. ... ok", 120),
        """
!!test_slug (shop.tests.search.SlugTests) ... ERROR

======================================================================
!!ERROR: test_slug (shop.tests.search.SlugTests)
----------------------------------------------------------------------
!!Traceback (most recent call last):
  File "/opt/envs/testbed/lib/python3.9/site-packages/sqlbase/backends/utils.py", line 89, in _execute
    return self.cursor.execute(sql, params)
!!sqlite3.OperationalError: no such column: shop_item.slug

The above exception was the direct cause of the following exception:

!!Traceback (most recent call last):
§§  File "/srv/shop/shop/tests/search.py", line 44, in test_slug
§§    Item.objects.get(slug="lamp")
  File "/opt/envs/testbed/lib/python3.9/site-packages/sqlbase/backends/utils.py", line 89, in _execute
    return self.cursor.execute(sql, params)
!!sqlbase.db.utils.OperationalError: no such column: shop_item.slug

----------------------------------------------------------------------
!!Ran 121 tests in 3.020s

!!FAILED (errors=1)
Destroying test database for alias 'default' ('file:memorydb_default?mode=memory&cache=shared')...
""",
    )  # fmt: skip


def jest_run() -> Sample:
    return parts(
        "jest", "test run",
        "\n".join(
            f"PASS src/{area}/{area}.test.ts ({n + 5} ms)\n"
            + "\n".join(f"    ✓ shows an error for case {k} ({k} ms)" for k in range(12))
            for n, area in enumerate(AREAS)
        ),
        """
!!FAIL src/cart/cart.test.ts
!!  ● Cart › adds tax once

    expect(received).toEqual(expected) // deep equality

!!    - Expected  - 1
!!    + Received  + 1

      Object {
        "net": 100,
!!    -   "tax": 19,
!!    +   "tax": 38,
      }

      11 |   cart.add(lamp);
!!    > 12 |   expect(cart.total()).toEqual({ net: 100, tax: 19 });
         |                        ^
      13 | });

§§      at Object.<anonymous> (src/cart/cart.test.ts:12:24)
      at processTicksAndRejections (node:internal/process/task_queues:95:5)

!!  ● Cart › empties

!!    TypeError: Cannot read properties of undefined (reading 'clear')

§§      at Cart.empty (src/cart/cart.ts:40:18)
§§      at Object.<anonymous> (src/cart/cart.test.ts:20:8)
      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)

!!Test Suites: 1 failed, 8 passed, 9 total
!!Tests:       2 failed, 96 passed, 98 total
Snapshots:   0 total
Time:        3.214 s
Ran all test suites.
""",
    )  # fmt: skip


def vitest_run() -> Sample:
    return parts(
        "vitest", "test run",
        " RUN  v3.2.4 /srv/web\n",
        "\n".join(f" ✓ src/{AREAS[n % 8]}/case{n}.test.ts ({n + 2} tests) {n}ms" for n in range(140)),
        """
 ❯ src/money/format.test.ts (3 tests | 1 failed) 12ms
!!   × format > groups thousands 7ms
     → expected '1234' to be '1,234' // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

!! FAIL  src/money/format.test.ts > format > groups thousands
!!AssertionError: expected '1234' to be '1,234' // Object.is equality

!!Expected: "1,234"
!!Received: "1234"

 ❯ src/money/format.test.ts:9:26
      7|   it('groups thousands', () => {
      9|     expect(format(1234)).toBe('1,234')
       |                          ^

!! Test Files  1 failed | 140 passed (141)
!!      Tests  1 failed | 611 passed (612)
   Duration  2.11s (transform 401ms, setup 0ms)
""",
    )  # fmt: skip


def go_run() -> Sample:
    return parts(
        "go test -v", "test run",
        "\n".join(
            f"=== RUN   TestErr{AREAS[n % 8].title()}{n}\n    depot_test.go:{n}: trying {n}\n--- PASS: TestErr{AREAS[n % 8].title()}{n} (0.00s)"
            for n in range(110)
        ),
        """
=== RUN   TestRoute
!!    route_test.go:31: got [a c b], want [a b c]
!!--- FAIL: TestRoute (0.01s)
=== RUN   TestPark
!!--- FAIL: TestPark (0.00s)
!!panic: runtime error: index out of range [3] with length 3 [recovered]

!!goroutine 24 [running]:
testing.tRunner.func1.2({0x5204e0, 0xc0000184b0})
	/usr/local/go/src/testing/testing.go:1632 +0x230
§§example.org/depot/yard.(*Yard).Park(0xc00007c000, 0x3)
§§	/srv/depot/yard/yard.go:52 +0x1c4
§§example.org/depot/yard.TestPark(0xc0000d0680)
§§	/srv/depot/yard/yard_test.go:18 +0x88
created by testing.(*T).Run in goroutine 1
	/usr/local/go/src/testing/testing.go:1742 +0x390
!!exit status 2
!!FAIL	example.org/depot/yard	0.021s
!!FAIL
""",
    )  # fmt: skip


def cargo_run() -> Sample:
    return parts(
        "cargo test", "test run",
        """
   Compiling depot v0.4.0 (/srv/depot)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 1.72s
     Running unittests src/lib.rs (target/debug/deps/depot-6f0d)

running 171 tests
""",
        _passing("test {area}::tests::reports_error_{n} ... ok", 170),
        """
!!test rates::tests::halves ... FAILED

failures:

!!---- rates::tests::halves stdout ----

!!thread 'rates::tests::halves' panicked at src/rates.rs:77:9:
!!assertion `left == right` failed: half of nine
!!  left: 4
!! right: 5
!!stack backtrace:
   0: rust_begin_unwind
             at /rustc/90b35a623/library/std/src/panicking.rs:665:5
§§   1: depot::rates::tests::halves
§§             at ./src/rates.rs:77:9
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.


failures:
    rates::tests::halves

!!test result: FAILED. 170 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s

!!error: test failed, to rerun pass `--lib`
""",
    )  # fmt: skip


def maven_run() -> Sample:
    return parts(
        "surefire", "test run",
        "[INFO] Scanning for projects...\n[INFO] -------------------------------------------------------\n[INFO]  T E S T S",
        "\n".join(
            f"[INFO] Running org.depot.{area.title()}Test\n"
            f"[INFO] Tests run: {n + 3}, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.0{n} s -- in org.depot.{area.title()}Test"
            for n in range(6) for area in AREAS
        ),
        """
[INFO] Running org.depot.TollTest
!![ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in org.depot.TollTest
!![ERROR] org.depot.TollTest.weekend -- Time elapsed: 0.01 s <<< FAILURE!
!!org.opentest4j.AssertionFailedError: expected: <12> but was: <10>
	at org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
	at org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:531)
§§	at org.depot.TollTest.weekend(TollTest.java:29)
	at java.base/java.lang.reflect.Method.invoke(Method.java:568)
!![ERROR] org.depot.TollTest.night -- Time elapsed: 0.01 s <<< ERROR!
!!java.lang.IllegalStateException: no tariff for 03:00
§§	at org.depot.Toll.at(Toll.java:61)
§§	at org.depot.TollTest.night(TollTest.java:35)
!!Caused by: java.util.NoSuchElementException: No value present
	at java.base/java.util.Optional.orElseThrow(Optional.java:377)
	... 71 more
[INFO] Results:
!![ERROR] Failures: 
!![ERROR]   TollTest.weekend:29 expected: <12> but was: <10>
!![ERROR] Errors: 
!![ERROR]   TollTest.night:35 » IllegalState no tariff for 03:00
!![ERROR] Tests run: 319, Failures: 1, Errors: 1, Skipped: 0
[INFO] BUILD FAILURE
""",
    )  # fmt: skip


def test_runs() -> Iterator[Sample]:
    yield from (pytest_verbose(), pytest_quiet(), unittest_run(), django_run(), jest_run(), vitest_run())
    yield from (go_run(), cargo_run(), maven_run())
