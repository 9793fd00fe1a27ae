"""For the platform team: is it up, is it fast, what does it save, who runs into limits."""

from __future__ import annotations

from deploy.dashboards.panels import MODEL, Dashboard, Section, panel, quantile, rate, total

_M = 'model=~"$model"'
_ERRORS = total("forebay_requests_total", f'{_M}, status=~"5.."')
_ALL = total("forebay_requests_total", _M)
_TOKENS_IN = "forebay_input_tokens_total"
_RECEIVED = total(_TOKENS_IN, f'{_M}, kind="received"')
_FORWARDED = total(_TOKENS_IN, f'{_M}, kind="forwarded"')
_CACHED = rate(_TOKENS_IN, "model", f'{_M}, kind="cached"')
_BILLED = rate(_TOKENS_IN, "model", f'{_M}, kind="billed"')
_DOLLARS = "forebay_cost_dollars_total"
_DOLLARS_BILLED = rate(_DOLLARS, "model", f'{_M}, kind="billed"')
_DOLLARS_UNTOUCHED = rate(_DOLLARS, "model", f'{_M}, kind="untouched"')

_TRAFFIC = Section(
    "Traffic",
    (
        panel(
            "Requests by status",
            "reqps",
            "Requests under /v1/ that are over, by the status that the agent got. 499: the agent left first.",
            (rate("forebay_requests_total", "status", _M), "{{status}}"),
        ),
        panel(
            "Requests by tenant",
            "reqps",
            "Who sends them. `unknown` came without a valid key.",
            (rate("forebay_requests_total", "tenant", _M), "{{tenant}}"),
        ),
        panel(
            "Upstream calls in flight",
            "short",
            "Calls to providers under way, by model, over all replicas. The autoscaler looks at these per pod.",
            (f"sum by (model) (forebay_requests_in_flight{{{_M}}})", "{{model}}"),
        ),
        panel(
            "Replicas by version",
            "short",
            "Proxies that Prometheus reaches, by version; two versions for long mean a roll-out that hangs.",
            ("count by (version) (forebay_build_info)", "{{version}}"),
            now=True,
        ),
    ),
)
_FAILURES = Section(
    "Errors",
    (
        panel(
            "Share of 5xx",
            "percentunit",
            "Requests that ended with 5xx, the proxy's own and those that providers answered.",
            (f"({_ERRORS} or 0 * {_ALL}) / {_ALL}", "5xx"),
        ),
        panel(
            "Burn of the error budget",
            "short",
            "How many times faster than an objective of 99.5 % in 30 days allows; 1 spends it exactly in 30 days. "
            "Alerts: 14.4 over an hour, 6 over six hours, 1 over three days.",
            ("forebay:error_ratio:rate5m / 0.005", "5 minutes"),
            ("forebay:error_ratio:rate1h / 0.005", "1 hour"),
            ("forebay:error_ratio:rate6h / 0.005", "6 hours"),
        ),
        panel(
            "Upstream errors by kind",
            "cps",
            "Calls of providers that failed. A retry that then succeeds counts here and not as an error of the agent.",
            (rate("forebay_upstream_errors_total", "model, kind", _M), "{{model}} {{kind}}"),
        ),
    ),
)
_LATENCY = Section(
    "Latency and overhead",
    (
        panel(
            "Duration of requests",
            "s",
            "From request to the end of its answer: mostly the provider's time.",
            (quantile(0.5, "forebay_request_seconds", _M), "half are faster"),
            (quantile(0.95, "forebay_request_seconds", _M), "95 % are faster"),
            (quantile(0.99, "forebay_request_seconds", _M), "99 % are faster"),
        ),
        panel(
            "Time to first byte, 95 %",
            "s",
            "Streams: from request to the first byte of the answer.",
            (quantile(0.95, "forebay_time_to_first_byte_seconds", _M, "model"), "{{model}}"),
        ),
        panel(
            "Overhead before the upstream call",
            "s",
            "What the proxy itself adds: reading the body, folding, keeping originals, waiting for a summary.",
            (quantile(0.5, "forebay_overhead_seconds", _M), "half are faster"),
            (quantile(0.99, "forebay_overhead_seconds", _M), "99 % are faster"),
        ),
        panel(
            "State store, 99 %",
            "s",
            "Calls of the state store by operation. Near `state.timeout_ms` requests go on without it.",
            (quantile(0.99, "forebay_state_seconds", by="operation"), "{{operation}}"),
        ),
    ),
)
_TOKENS = Section(
    "Tokens and dollars",
    (
        panel(
            "Input tokens",
            "cps",
            "Per second: as agents sent them and as they went on, by our count; billed and from the cache, by the "
            "provider's. Compare the first two, or the last two.",
            (rate(_TOKENS_IN, "kind", _M), "{{kind}}"),
        ),
        panel(
            "Output tokens",
            "cps",
            "Per second, by the provider's count.",
            (rate("forebay_output_tokens_total", "model", _M), "{{model}}"),
        ),
        panel(
            "Share left out",
            "percentunit",
            "The part of what agents sent that did not go on to the provider.",
            (f"1 - {_FORWARDED} / {_RECEIVED}", "left out"),
        ),
        panel(
            "Share from the provider's cache",
            "percentunit",
            "The part of the billed input that the provider read from its cache. It falls when prefixes are rewritten.",
            (f"{_CACHED} / {_BILLED}", "{{model}}"),
        ),
        panel(
            "Dollars in an hour",
            "currencyUSD",
            "At list prices: as billed, and an estimate of the same requests unedited with the same share cached.",
            (f"3600 * {rate(_DOLLARS, 'kind', _M)}", "{{kind}}"),
        ),
        panel(
            "Dollars saved in an hour",
            "currencyUSD",
            "Untouched less billed, by model; below zero the policy costs more than it saves there.",
            (f"3600 * ({_DOLLARS_UNTOUCHED} - {_DOLLARS_BILLED})", "{{model}}"),
        ),
    ),
)
_LIMITS = Section(
    "Degraded answers and limits",
    (
        panel(
            "Degraded answers by reason",
            "cps",
            "Answers that lacked a part, and records that could not be written. The agent got its answer.",
            (rate("forebay_degraded_total", "reason"), "{{reason}}"),
        ),
        panel(
            "Requests over a tenant's limit",
            "cps",
            "Refused with 429 because of the tenant's own limit, by tenant and limit.",
            (rate("forebay_quota_rejections_total", "tenant, limit"), "{{tenant}} {{limit}}"),
        ),
        panel(
            "Requests that cannot fit",
            "cps",
            "Refused by the safety brake with 400 context_length_exceeded.",
            (rate("forebay_brake_total", "model", _M), "{{model}}"),
        ),
        panel(
            "Originals kept",
            "bytes",
            "Bytes in the artifact store by tenant, as the replica sees it that kept one last. The cap is "
            "`artifacts.max_mb_per_tenant`.",
            ("max by (tenant) (forebay_artifacts_bytes)", "{{tenant}}"),
        ),
    ),
)

OVERVIEW = Dashboard(
    "overview",
    "Forebay: overview",
    "Traffic, errors, latency, tokens, dollars and limits over all tenants.",
    (MODEL,),
    (_TRAFFIC, _FAILURES, _LATENCY, _TOKENS, _LIMITS),
)
