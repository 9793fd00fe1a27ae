"""The coding session: an agent hunts a billing bug through a port's software, fixes it, and is sent on twice.

It reads, searches, edits and runs tests, as such agents do; what it needs later are a handful of exact error
lines in the middle of long logs. `Session.evidence` says where each stands and which answer quotes it.
"""

from __future__ import annotations

from proxy.demo import coding_files as project
from proxy.demo.session import Script, Session, tool
from proxy.demo.texts.build_log import image_build
from proxy.demo.texts.checkout import Checkout, shell
from proxy.demo.texts.pytest_log import pytest_output
from proxy.demo.texts.service_log import records, service_log, table

_SYSTEM = """You are a software engineer at work in the repository /srv/quayside. You have a shell and tools to
read, search, edit and write files. Work until the task is done; say in one or two sentences what you do next
and why, then call tools.

- Find the cause before you change anything, and reproduce it in a test that fails.
- Make the smallest change that removes the cause. Keep the style of the file.
- Run the tests that the change can touch, then all of them. Quote error lines exactly.
- Money is Decimal, times are UTC and days are counted by the terminal's calendar.
- Never touch production data; commands against it are read-only.
- When you are done, say what was wrong, what you changed and how you know."""

_TASK = """Two customers complain about demurrage for containers discharged in the week of the clock change:
they were billed a day too many. Finance has QS-4127 open for it and sends corrected invoices by hand until this
is fixed. Find out why, fix it with tests, and check that nothing else bills by the same rule. Booking must not
change for stays that were right before."""

_SECOND = """Thanks, that explains it. Before you finish: the night run logged errors as well, see
/var/log/quayside/billing.log on the 29th. Finance says one booking was paid twice. Please find out whether that
has the same cause, and fix that too. Do not change the ledger's interface for other callers: the new argument
must be optional."""

_THIRD = """Good. One more thing, then we can release: the image build on main is red since this morning, it may
be your calendar module. Make the build green, go once more over the other modules that count days, and give me
the summary for QS-4127."""

_TEXT = {"type": "string"}
_TOOLS = (
    tool("shell", "Run a command in the repository; gives stdout and stderr.", "command", command=_TEXT),
    tool("read", "Read a file, with line numbers.", "path", path=_TEXT),
    tool("grep", "Search files for a regular expression.", "pattern", pattern=_TEXT, path=_TEXT),
    tool("edit", "Replace a text that occurs once in a file.", "path old_text new_text",
         path=_TEXT, old_text=_TEXT, new_text=_TEXT),
    tool("write", "Write a whole file.", "path content", path=_TEXT, content=_TEXT),
)  # fmt: skip

_DEMURRAGE = "quayside/billing/demurrage.py"
_CALENDAR = "quayside/billing/calendar.py"
_CLOCK_TESTS = "tests/billing/test_clock_change.py"


def coding() -> Session:
    """The session, the same in every run."""
    script = Script("coding", _SYSTEM, _TASK, _TOOLS)
    tree = project.checkout()
    _find_the_cause(script, tree)
    _fix_the_days(script, tree)
    _find_the_double_booking(script, tree)
    _fix_the_booking(script, tree)
    _make_the_build_green(script, tree)
    _look_at_the_others(script, tree)
    return script.finish()


def _find_the_cause(script: Script, tree: Checkout) -> None:
    failures = (project.WRONG_DAYS_TEST, project.STALE_TEST)
    script.act("I look around first.", tree.listing("quayside"), tree.listing("tests"))
    script.act("Where is demurrage computed, and who calls it?", tree.grep("demurrage|chargeable"))
    script.act("One module. I read it whole.", tree.read(_DEMURRAGE))
    script.act("The rate comes from the tariff.", tree.read(project.path_of("tariff")))
    script.act("I run the tests as they are.", shell("pytest -v", pytest_output("first", 240, failures)))
    script.act(
        f"Two fail. The first is the complaint: `{project.WRONG_DAYS}`. I look at what else reads free_days.",
        tree.grep("free_days"), tree.grep("timedelta\\(hours"), quotes=[project.WRONG_DAYS],
    )  # fmt: skip
    script.act(
        "What the data base holds for the stays in question.", shell("psql -f stays.sql", table("container", 60))
    )
    script.act("And the tariffs in force that week.", shell("psql -f tariffs.sql", table("tariff", 40)))
    script.act("How the interface shows them to finance.", shell("curl -s :8000/invoices", records("invoice", 26)))
    script.act("Invoices are made from bills here.", tree.read(project.path_of("invoice")))
    script.act("Do the tests of tariffs know about zones?", tree.read(project.tests_path("tariff")))
    script.act("Who else adds days?", tree.grep("\\.days"), tree.grep("astimezone"))
    script.act("Do any tests speak of free days or zones?", tree.grep("free_days|zone|UTC", "tests"))
    script.act("Containers decide when a stay begins.", tree.read(project.path_of("container")))


def _fix_the_days(script: Script, tree: Checkout) -> None:
    script.act(
        "The span is counted in blocks of 24 hours plus a guess for afternoons. I write the calendar that is missing.",
        tree.write(_CALENDAR, project.CALENDAR),
    )
    script.act("Then the tests, clock change first.", tree.write(_CLOCK_TESTS, project.CLOCK_TESTS))
    script.act("Now the count itself.", tree.edit(_DEMURRAGE, project.COUNT_OLD, project.COUNT_NEW))
    script.act(
        "It needs the import.",
        tree.edit(_DEMURRAGE, project.IMPORT_OLD, project.IMPORT_NEW),
    )
    script.act("The module once more, as it is now.", tree.read(_DEMURRAGE))
    script.act(
        "Billing tests.", shell("pytest -v tests/billing", pytest_output("billing after", 110, (project.STALE_TEST,)))
    )
    script.act(
        f"The days are right. Left is `{project.STALE_INVOICE}`, the retry. I read its test.",
        tree.read(project.tests_path("invoice")), quotes=[project.STALE_INVOICE],
    )  # fmt: skip
    script.act("Does the agent's credit use the version too?", tree.read(project.path_of("agent")))
    script.act("Every caller of save.", tree.grep("\\.save\\("))
    script.act(
        "A second save with the version already spent is the caller's own retry; it may succeed if nothing differs.",
        tree.edit(
            project.path_of("invoice"), "        if changed != 1:",
            "        if changed != 1 and self._differs(item, version + 1):",
        ),
    )  # fmt: skip
    script.act("The helper for it.", tree.edit(project.path_of("invoice"), _STORE_OLD, _STORE_NEW))
    script.act("All tests.", shell("pytest -v", pytest_output("all after the days", 230)))
    script.act("What I changed so far.", tree.diff())
    script.say(
        "Demurrage counted spans of 24 hours and added a day for arrivals after noon. It now counts days of the "
        "terminal's calendar; all tests pass.",
        reply=_SECOND,
    )


_STORE_OLD = "    def waiting(self, before: datetime"
_STORE_NEW = '''    def _differs(self, item: Invoice, version: int) -> bool:
        """Whether the row at `version` is not what `item` would have written."""
        held = self.by_reference(item.reference)
        mine = (item.state, item.line_count, item.total)
        return held.version != version or (held.state, held.line_count, held.total) != mine

    def waiting(self, before: datetime'''


def _find_the_double_booking(script: Script, tree: Checkout) -> None:
    planted = {61: project.NEGATIVE_STAY, 118: project.LATE_LEDGER}
    night = service_log("billing night", 170, planted)
    script.act("I read the log of that night.", shell("tail -n 170 /var/log/quayside/billing.log", night))
    script.act("Everything that books.", tree.grep("ledger"), tree.grep("book\\("))
    script.act("The worker of moves books as well.", tree.read(project.path_of("yard_move")))
    script.act("And the gate.", tree.read(project.path_of("gate_visit")))
    script.act(
        "The ledger's own log around the booking.",
        shell("ssh ledger tail -n 120 ledger.log", service_log("ledger", 120)),
    )
    script.act(
        f"Two causes. `{project.NEGATIVE_STAY}` is local time compared with local time, which my change cures by "
        "comparing in UTC; and its zone is none that exists, which the calendar refuses by name. Where is it entered?",
        tree.grep("zone"), shell("psql -f berths.sql", table("berth", 24)), quotes=[project.NEGATIVE_STAY],
    )  # fmt: skip
    script.act("Receipts of that night.", shell("psql -f receipts.sql", table("invoice", 70)))
    script.act(
        f"`{project.LATE_LEDGER}`: the first attempt was booked although its answer came late, and the second booked "
        "again. Who passes a key to the ledger already?",
        tree.grep("key="), quotes=[project.LATE_LEDGER],
    )  # fmt: skip
    script.act("How pilotage retries.", tree.read(project.path_of("pilotage")))
    proof = pytest_output("proof", 90, (project.PAID_TWICE_TEST,))
    script.act("I prove it with the test that I wrote.", shell(f"pytest -v {_CLOCK_TESTS} tests/gate", proof))
    script.act("Is the pattern elsewhere?", tree.grep("TimeoutError|attempt"), tree.read(project.path_of("reefer_log")))


def _fix_the_booking(script: Script, tree: Checkout) -> None:
    script.act(
        f"`{project.PAID_TWICE}`. The booking gets a key that a retry repeats, so that the ledger can recognise it.",
        tree.edit(_DEMURRAGE, project.BOOK_OLD, project.BOOK_NEW), quotes=[project.PAID_TWICE],
    )  # fmt: skip
    script.act("The client of the ledger, with the optional key.", tree.write("quayside/ledger.py", _LEDGER))
    script.act("Its tests.", tree.write("tests/billing/test_ledger.py", _LEDGER_TESTS))
    script.act("Billing and gate.", shell("pytest -v tests/billing tests/gate", pytest_output("booking", 160)))
    script.act("Moves retry by themselves; what do they send?", tree.read(project.tests_path("yard_move")))
    script.act(
        "Load on the ledger with keys, from staging.", shell("tail -n 110 staging.log", service_log("staging", 110))
    )
    script.act("All of it.", shell("pytest -v", pytest_output("all after booking", 250)))
    script.act("The whole change.", tree.diff())
    script.say(
        "The double booking was another fault: a retry after a late answer, without a key. Bookings of demurrage now "
        "carry one, optional for everybody else, and a retry gets the first receipt.",
        reply=_THIRD,
    )


_LEDGER = '''"""The way to the ledger: book an amount, get a receipt.

A booking with a key is made once, however often it is asked for: the ledger answers a repeat with the receipt
of the first. Without a key each call is a booking of its own, as before.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Protocol

from quayside.errors import Invalid


class Wire(Protocol):
    """Sends one command and waits for its answer, at most `patience` seconds."""

    def ask(self, command: str, fields: dict[str, str], patience: float) -> dict[str, str]: ...


class Ledger:
    """Books amounts. Raises TimeoutError where the answer is late; the booking may have been made then."""

    patience = 2.0

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def book(self, account: str, amount: Decimal, key: str | None = None) -> str:
        """The receipt of the booking; the first one's where `key` was used before."""
        if amount < 0:
            raise Invalid(f"booking on {account} is {amount}; book a credit instead")
        fields = {"account": account, "amount": f"{amount:.2f}"}
        if key is not None:
            fields["once"] = key
        answer = self._wire.ask("book", fields, self.patience)
        if "receipt" not in answer:
            raise Invalid(f"ledger refused {amount} on {account}: {answer.get('reason', 'no reason given')}")
        return answer["receipt"]

    def receipts(self, account: str) -> list[str]:
        """All receipts of an account, oldest first."""
        answer = self._wire.ask("list", {"account": account}, self.patience)
        return [receipt for receipt in answer.get("receipts", "").split(",") if receipt]
'''

_LEDGER_TESTS = '''"""What the client of the ledger sends, and what it makes of the answers."""

from decimal import Decimal

import pytest

from quayside.errors import Invalid
from quayside.ledger import Ledger


class Recorder:
    """A wire that remembers what was asked and answers from a list."""

    def __init__(self, *answers):
        self.asked = []
        self.answers = list(answers)

    def ask(self, command, fields, patience):
        self.asked.append((command, fields, patience))
        return self.answers.pop(0)


def test_without_a_key_nothing_new_is_sent():
    wire = Recorder({"receipt": "3f9c01d7aa"})
    assert Ledger(wire).book("90417", Decimal("412.5")) == "3f9c01d7aa"
    assert wire.asked == [("book", {"account": "90417", "amount": "412.50"}, 2.0)]


def test_a_key_is_sent_as_once():
    wire = Recorder({"receipt": "3f9c01d7aa"})
    Ledger(wire).book("90417", Decimal("412.50"), key="demurrage/90417/5")
    assert wire.asked[0][1]["once"] == "demurrage/90417/5"


def test_a_refusal_names_account_and_reason():
    with pytest.raises(Invalid, match="ledger refused 412.50 on 90417: account is closed"):
        Ledger(Recorder({"reason": "account is closed"})).book("90417", Decimal("412.50"))


def test_a_negative_amount_never_leaves():
    wire = Recorder()
    with pytest.raises(Invalid, match="book a credit instead"):
        Ledger(wire).book("90417", Decimal("-1"))
    assert wire.asked == []


@pytest.mark.parametrize(("answer", "receipts"), [("", []), ("a", ["a"]), ("a,b", ["a", "b"])])
def test_receipts_are_listed_oldest_first(answer, receipts):
    assert Ledger(Recorder({"receipts": answer})).receipts("90417") == receipts
'''


def _make_the_build_green(script: Script, tree: Checkout) -> None:
    red = image_build("red", (project.TYPE_ERROR, "Found 1 error in 1 file (checked 61 source files)"))
    script.act("I build the image as the pipeline does.", shell("docker build --progress=plain .", red))
    script.act("The module again.", tree.read(_CALENDAR))
    script.act("Its callers.", tree.grep("calendar_days|free_until"))
    script.act(
        f"`{project.TYPE_ERROR}`: the function says int and gives a float; the tests passed because 5.0 == 5. "
        "I return the whole number.",
        tree.edit(_CALENDAR, project.DAYS_OLD, project.DAYS_NEW), quotes=[project.TYPE_ERROR],
    )  # fmt: skip
    script.act("Build once more.", shell("docker build --progress=plain .", image_build("green")))
    script.act("Tests in the image.", shell("docker run --rm quayside pytest -v", pytest_output("in the image", 220)))


def _look_at_the_others(script: Script, tree: Checkout) -> None:
    for thing, why in (
        ("customs_hold", "Holds count days open; I look how."),
        ("berth", "Berths charge by the hour."),
        ("vessel", "Port dues depend on the day of arrival."),
        ("crane_shift", "Shifts cross midnight every day."),
    ):
        script.act(why, tree.read(project.path_of(thing)))
        script.act("And its tests.", tree.read(project.tests_path(thing)))
    script.act("Days that are not from the calendar.", tree.grep("\\(now - .*\\)\\.days"))
    script.act("Open cases, as finance sees them.", shell("psql -f open_cases.sql", table("customs_hold", 50)))
    script.act("A last look at staging.", shell("tail -n 90 staging.log", service_log("staging late", 90)))
    script.act("Everything, once more.", shell("pytest -v", pytest_output("last", 190)))
    script.say(_summary(), quotes=[project.WRONG_DAYS, project.LATE_LEDGER])


def _summary() -> str:
    return f"""Summary for QS-4127

1. A day too many: `{project.WRONG_DAYS}`. Demurrage counted spans of 24 hours and added a day for
   arrivals after noon; it now counts days of the terminal's calendar (quayside/billing/calendar.py).
2. Paid twice: `{project.LATE_LEDGER}`. A retry now carries a key and gets the first receipt; the argument is optional.
3. A stay that ends before it starts is refused by its number and no longer billed as zero.
4. A second save of an unchanged invoice succeeds; one that differs is still refused.
5. The build was red from my own change, a wrong return type, and is green.

Left as it is: overdue lists count `(now - time).days`. They are lists for people and bill nothing."""
