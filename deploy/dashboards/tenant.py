"""For a team and those who help it: what it sends, what it gets, what it costs, where it is refused."""

from __future__ import annotations

from deploy.dashboards.panels import TENANT as TENANT_VARIABLE
from deploy.dashboards.panels import Dashboard, Section, panel, rate, total

_T = 'tenant="$tenant"'
_ERRORS = total("forebay_requests_total", f'{_T}, status=~"5.."')
_ALL = total("forebay_requests_total", _T)
_TOKENS_IN = "forebay_input_tokens_total"
_CACHED = total(_TOKENS_IN, f'{_T}, kind="cached"')
_BILLED = total(_TOKENS_IN, f'{_T}, kind="billed"')
_DOLLARS = "forebay_cost_dollars_total"
_DOLLARS_BILLED = rate(_DOLLARS, "model", f'{_T}, kind="billed"')

_REQUESTS = Section(
    "Requests",
    (
        panel(
            "Requests by status",
            "reqps",
            "4xx are the agent's to mend, 5xx the provider's or the proxy's. 499: the agent left first.",
            (rate("forebay_requests_total", "status", _T), "{{status}}"),
        ),
        panel(
            "Requests by model",
            "reqps",
            "Which models this tenant asks for; `other` is no configured name.",
            (rate("forebay_requests_total", "model", _T), "{{model}}"),
        ),
        panel(
            "Share of 5xx",
            "percentunit",
            "Requests of this tenant that ended with 5xx.",
            (f"({_ERRORS} or 0 * {_ALL}) / {_ALL}", "5xx"),
        ),
        panel(
            "Refused by a limit",
            "cps",
            "429 because of the tenant's own limits, by limit.",
            (rate("forebay_quota_rejections_total", "limit", _T), "{{limit}}"),
        ),
    ),
)
_TOKENS = Section(
    "Tokens",
    (
        panel(
            "Input tokens",
            "cps",
            "Per second: received and forwarded by our count, billed and cached by the provider's.",
            (rate(_TOKENS_IN, "kind", _T), "{{kind}}"),
        ),
        panel(
            "Output tokens",
            "cps",
            "Per second and model, by the provider's count.",
            (rate("forebay_output_tokens_total", "model", _T), "{{model}}"),
        ),
        panel(
            "Share from the provider's cache",
            "percentunit",
            "The part of the billed input that the provider read from its cache.",
            (f"{_CACHED} / {_BILLED}", "cached"),
        ),
        panel(
            "Tokens taken out, by step",
            "cps",
            "What each request's view leaves out. Old cuts count again with each request.",
            (rate("forebay_removed_tokens_total", "by", _T), "{{by}}"),
        ),
        panel(
            "Turns dropped or summarised",
            "cps",
            "Turns that left the view, each counted once.",
            (rate("forebay_compacted_turns_total", "model", _T), "{{model}}"),
        ),
        panel(
            "Originals kept",
            "bytes",
            "Bytes in the artifact store. At `artifacts.max_mb_per_tenant` nothing new is kept.",
            (f"max(forebay_artifacts_bytes{{{_T}}})", "kept"),
        ),
    ),
)
_MONEY = Section(
    "Dollars",
    (
        panel(
            "Dollars in an hour",
            "currencyUSD",
            "At list prices: as billed, and an estimate of the same requests unedited.",
            (f"3600 * {rate(_DOLLARS, 'kind', _T)}", "{{kind}}"),
        ),
        panel(
            "Billed in an hour, by model",
            "currencyUSD",
            "Where the money goes. A summariser stands under its own name.",
            (f"3600 * {_DOLLARS_BILLED}", "{{model}}"),
        ),
        panel(
            "Dollars in the time shown",
            "currencyUSD",
            "Sums over the time that the dashboard shows.",
            (f"sum by (kind) (increase({_DOLLARS}{{{_T}}}[$__range]))", "{{kind}}"),
            now=True,
        ),
    ),
)

TENANT = Dashboard(
    "tenant",
    "Forebay: a tenant",
    "What one tenant sends, what it costs, and where it is refused.",
    (TENANT_VARIABLE,),
    (_REQUESTS, _TOKENS, _MONEY),
)
