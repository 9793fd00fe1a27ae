"""The eleven files of the pull request, and what the agent finds in them."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.demo.texts.declarations import sql_migration, yaml_manifest
from proxy.demo.texts.go_source import go_file
from proxy.demo.texts.python_source import python_module
from proxy.demo.texts.typescript_source import typescript_module


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """A file under review, the line the comment is about, and the comment."""

    path: str
    text: str
    at: str
    severity: str
    finding: str

    @property
    def line(self) -> int:
        return next(i for i, line in enumerate(self.text.splitlines(), start=1) if self.at in line)


def reviewed_files() -> tuple[ReviewedFile, ...]:
    """The eleven files, in reading order; the two small ones at the end are read in one step."""
    return (
        ReviewedFile(
            "quayside/billing/tariff.py",
            python_module(
                "tariff",
                ("record", "wire", "pricing", "transitions", "store", "import", "report", "handler"),
            ),
            "if weekend and not item.weekend_counts", "blocker",
            "The weekend factor is applied to the sum of all bands, free band included, and before the "
            "minimum. A stay of five free days over a weekend is billed at 1.25 times the minimum. Apply "
            "it to the days that fall on the weekend, band by band.",
        ),
        ReviewedFile(
            "quayside/billing/invoice.py",
            python_module(
                "invoice",
                ("record", "wire", "store", "transitions", "pricing", "report", "worker", "import"),
            ),
            "total=Decimal(row['total'])", "major",
            "The column is read without its currency, and by_agent sums over currencies. An agent with "
            "one invoice in SEK and one in EUR gets a sum that means nothing. Group by (agent_id, "
            "currency).",
        ),
        ReviewedFile(
            "quayside/gate/visit.py",
            python_module(
                "gate_visit",
                ("record", "store", "wire", "handler", "worker", "transitions", "import", "report"),
            ),
            "if item.trusted and request.user.role", "major",
            "The check is the wrong way round: a trusted haulier needs a supervisor and an unknown one "
            "does not. At six in the morning that stops the fast lane.",
        ),
        ReviewedFile(
            "quayside/yard/move.py",
            python_module(
                "yard_move",
                ("record", "wire", "store", "transitions", "worker", "report", "pricing", "handler"),
            ),
            "self._store.save(moved, item.version)", "major",
            "The move is saved before its charge is booked; when the process dies between the two the "
            "move is done and nobody pays. Book in the same transaction, keyed by move and attempt.",
        ),
        ReviewedFile(
            "kiosk/src/tariff/client.ts",
            typescript_module("tariff", ("types", "client", "reducer", "tests", "form", "table")),
            "const response = await this.fetcher(url);", "minor",
            "A fetch without a time limit: a kiosk that loses its link waits for minutes and shows the "
            "spinner. Pass an AbortSignal with the limit that the other clients use.",
        ),
        ReviewedFile(
            "kiosk/src/invoice/table.tsx",
            typescript_module("invoice", ("types", "table", "reducer", "client", "form", "tests")),
            "shown.reduce((sum, item) => sum + Number(item.total)", "blocker",
            "Amounts are summed as floating point numbers, and the total is what the cashier reads out. "
            "Let the server send the sum as text, as it does for the monthly sheet.",
        ),
        ReviewedFile(
            "kiosk/src/gate/visits.tsx",
            typescript_module("gate_visit", ("types", "client", "reducer", "table", "form", "tests")),
            "left.slot_start.localeCompare(right.slot_start)", "minor",
            "Times are compared as text. That holds while all of them carry the same offset; in the night"
            " of the clock change the server sends two. Compare Date values.",
        ),
        ReviewedFile(
            "edge/tidewindow.go",
            go_file("tide_window", ("struct", "store", "handler", "worker", "client", "tests")),
            "queues[shard(item.Gauge, workers)] <- item", "major",
            "The send blocks while holding the ticker's turn: one slow gauge fills its queue and all "
            "others stop, shutdown included. Select on ctx.Done() beside the send and count what is "
            "skipped.",
        ),
        ReviewedFile(
            "edge/craneshift.go",
            go_file("crane_shift", ("struct", "handler", "store", "client", "metrics", "tests")),
            "held.Version >= item.Version", "minor",
            "A resend of the same version is reported as stale, so the crane retries for ever. Equal "
            "version with equal content should be answered with success.",
        ),
        ReviewedFile(
            "migrations/0112_second_tariff.sql",
            sql_migration("tariff", "invoice"),
            "create index tariffs_by_agent on tariffs", "blocker",
            "The index is built under a lock while the gate writes to the table, unlike the one above it."
            " Build it concurrently, in a migration of its own, for it cannot run inside the transaction.",
        ),
        ReviewedFile(
            "deploy/tariff-worker.yaml",
            yaml_manifest("tariff", "invoice"),
            "livenessProbe: {httpGet: {path: /alive", "minor",
            "The liveness probe starts at once while the worker warms its caches for half a minute; a "
            "restart storm on a cold database follows. Add a startupProbe.",
        ),
    )  # fmt: skip
