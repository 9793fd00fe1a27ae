"""Every instrument of the proxy, in one registry per app; small methods say what happened.

Label sets are closed: models and tenants come from the configuration, everything else from the code. A name
that is neither counts as `other`, so that no client can grow the number of series.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest

from policies.edits import By
from proxy.tenants import PASSTHROUGH

OTHER = "other"
TENANTS_WITHOUT_KEYS = ("local", "passthrough", "unknown")
UPSTREAM_ERRORS = (
    "connection",
    "timeout",
    "truncated",
    "redirect",
    "provider",
    "status_4xx",
    "status_429",
    "status_5xx",
)

_OVERHEAD = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_ANSWER = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
_STORE = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1)
_SHARE = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2, 4)
_ESTIMATE = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2)


class Metrics:
    """What happened, as Prometheus counts it. `models` and `tenants` are the configured names."""

    def __init__(self, models: Iterable[str], tenants: Iterable[str], version: str) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call] # a second series per counter that no dashboard reads; the switch is per process
        self._registry = CollectorRegistry()
        self.configured(models, tenants)
        self._declare_traffic()
        self._declare_tokens()
        self._declare_parts()
        self._gauge("build_info", "Always 1; the label says what runs.", "version").labels(version).set(1)

    def configured(self, models: Iterable[str], tenants: Iterable[str]) -> None:
        """These names are labels from now on; what was counted under others stays."""
        self._models = frozenset(models)
        self._tenants = frozenset((*tenants, *TENANTS_WITHOUT_KEYS))

    def _declare_traffic(self) -> None:
        self._requests = self._counter("requests", "Requests answered.", "model", "tenant", "status")
        self._seconds = self._histogram(
            "request_seconds", "From request to the end of its answer.", _ANSWER, "model", "stream"
        )
        self._overhead = self._histogram(
            "overhead_seconds", "Time in the proxy before the upstream call.", _OVERHEAD, "model"
        )
        self._first_byte = self._histogram(
            "time_to_first_byte_seconds", "From request to the first byte of its answer.", _ANSWER, "model"
        )
        self._upstream_errors = self._counter("upstream_errors", "Upstream calls that failed.", "model", "kind")
        self._in_flight = self._gauge("requests_in_flight", "Requests being answered.", "model")
        self._over_quota = self._counter(
            "quota_rejections", "Requests over a limit of their tenant.", "tenant", "limit"
        )

    def _declare_tokens(self) -> None:
        self._input = self._counter("input_tokens", "Input tokens.", "model", "tenant", "kind")
        self._output = self._counter("output_tokens", "Output tokens.", "model", "tenant")
        self._removed = self._counter("removed_tokens", "Tokens taken out, by step.", "model", "tenant", "by")
        self._compacted = self._counter("compacted_turns", "Turns dropped or summarised.", "model", "tenant")
        self._batches = self._counter("batches", "Batches, by what called for them.", "model", "reason")
        self._repeated = self._counter("repeated_calls", "Turns that did the same as the one before, in vain.", "model")
        self._brake = self._counter("brake", "Requests refused because they cannot fit.", "model")
        self._budget = self._histogram(
            "budget_ratio", "Used tokens over the section's share.", _SHARE, "model", "section"
        )
        self._estimate = self._histogram(
            "token_estimate_ratio", "Input tokens billed by the upstream over those estimated.", _ESTIMATE, "model"
        )
        self._cost = self._counter("cost_dollars", "Cost at list prices.", "model", "tenant", "kind")

    def _declare_parts(self) -> None:
        self._artifact_bytes = self._gauge("artifacts_bytes", "Bytes of artifacts kept.", "tenant")
        self._artifacts = self._counter("artifacts", "Artifacts offered to the store, by result.", "result")
        self._retrievals = self._counter("retrievals", "Calls of our tools, by what they asked for.", "by", "result")
        self._state = self._histogram("state_seconds", "Calls of the state store.", _STORE, "operation")
        self._summaries = self._counter("summaries", "Summaries, by what became of them.", "result")
        self._degraded = self._counter("degraded", "Requests served with less than all parts.", "reason")

    def finished(self, model: str, tenant: str, status: int, stream: bool, seconds: float) -> None:
        """A request is over, whatever became of it."""
        model = self._model(model)
        self._requests.labels(model, self._tenant(tenant), str(status)).inc()
        self._seconds.labels(model, "true" if stream else "false").observe(seconds)

    def forwarded_after(self, model: str, seconds: float) -> None:
        """The proxy needed so long before it called the upstream."""
        self._overhead.labels(self._model(model)).observe(seconds)

    def first_byte_after(self, model: str, seconds: float) -> None:
        """The first byte of the answer went out."""
        self._first_byte.labels(self._model(model)).observe(seconds)

    def upstream_error(self, model: str, kind: str) -> None:
        """An upstream call failed; `kind` is one of UPSTREAM_ERRORS."""
        self._upstream_errors.labels(self._model(model), kind if kind in UPSTREAM_ERRORS else OTHER).inc()

    def upstream_status(self, model: str, status: int) -> None:
        """An upstream answered; counts as an error from 400 on."""
        if status >= 400:
            kind = "status_429" if status == 429 else f"status_{status // 100}xx"
            self.upstream_error(model, kind)

    @contextmanager
    def in_flight(self, model: str) -> Iterator[None]:
        """Count the request while it lasts."""
        with self._in_flight.labels(self._model(model)).track_inprogress():
            yield

    def over_quota(self, tenant: str, limit: str) -> None:
        """A request was refused for a limit, by the limit's name in the configuration."""
        self._over_quota.labels(self._tenant(tenant), limit).inc()

    def tokens(self, model: str, tenant: str, inputs: Mapping[str, int], output: int = 0) -> None:
        """`inputs` by kind: received, forwarded, cached, billed."""
        model, tenant = self._model(model), self._tenant(tenant)
        for kind, tokens in inputs.items():
            self._input.labels(model, tenant, kind).inc(tokens)
        self._output.labels(model, tenant).inc(output)

    def edited(self, model: str, tenant: str, removed: Mapping[By, int], compacted_turns: int) -> None:
        """What was taken out of this request, by step, and the turns that it was the first to leave out."""
        model, tenant = self._model(model), self._tenant(tenant)
        for by, tokens in removed.items():
            self._removed.labels(model, tenant, by).inc(max(tokens, 0))
        self._compacted.labels(model, tenant).inc(compacted_turns)

    def batch(self, model: str, reason: str) -> None:
        """The prefix was rewritten: window, cost or rewrite."""
        self._batches.labels(self._model(model), reason).inc()

    def braked(self, model: str) -> None:
        """A request cannot fit and was refused."""
        self._brake.labels(self._model(model)).inc()

    def budget(self, model: str, section: str, used: int, share: int) -> None:
        """How much of its share a section used; a share of 0 has no ratio."""
        if share > 0:
            self._budget.labels(self._model(model), section).observe(used / share)

    def estimated(self, model: str, billed: int, estimate: int) -> None:
        """The upstream's count beside ours."""
        if estimate > 0:
            self._estimate.labels(self._model(model)).observe(billed / estimate)

    def cost(self, model: str, tenant: str, billed: float, untouched: float) -> None:
        """Dollars as billed, and what the untouched history would have cost."""
        model, tenant = self._model(model), self._tenant(tenant)
        self._cost.labels(model, tenant, "billed").inc(billed)
        self._cost.labels(model, tenant, "untouched").inc(untouched)

    def artifacts_kept(self, tenant: str, size: int) -> None:
        """What the tenant's artifacts take up now; those without a name of their own are not added up."""
        if tenant not in self._tenants:
            return
        self._artifact_bytes.labels(self._tenant(tenant)).set(size)

    def artifact(self, result: str) -> None:
        """An artifact was offered to the store: stored, refused, failed."""
        self._artifacts.labels(result).inc()

    def repeated_call(self, model: str) -> None:
        """An agent made the same calls again and got the same results."""
        self._repeated.labels(self._model(model)).inc()

    def summary(self, result: str) -> None:
        """What became of one: recorded, beaten (by another worker), dropped, failed, invalid, timeout, skipped."""
        self._summaries.labels(result).inc()

    def retrieval(self, by: str, result: str) -> None:
        """A call of a tool of ours was answered: by lines, grep, symbol or search."""
        self._retrievals.labels(by, result).inc()

    def state_call(self, operation: str, seconds: float, _ok: bool) -> None:
        """One call of the state store, answered or not."""
        self._state.labels(operation).observe(seconds)

    def degraded(self, reason: str) -> None:
        """A request went on without a part; a reason of the closed list in docs/agents.md."""
        self._degraded.labels(reason).inc()

    def exposition(self) -> bytes:
        """The page that Prometheus reads."""
        return generate_latest(self._registry)

    def _model(self, name: str) -> str:
        return name if name in self._models else OTHER

    def _tenant(self, name: str) -> str:
        if name.startswith(PASSTHROUGH):
            return "passthrough"
        return name if name in self._tenants else OTHER

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"forebay_{name}", text, labels, registry=self._registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"forebay_{name}", text, labels, registry=self._registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"forebay_{name}", text, labels, buckets=buckets, registry=self._registry)
