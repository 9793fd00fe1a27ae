"""For those who tune policies: how full contexts are, what is taken out and why, and whether it is missed."""

from __future__ import annotations

from deploy.dashboards.panels import MODEL, Dashboard, Section, panel, quantile, rate

_M = 'model=~"$model"'
_BUDGET = "forebay_budget_ratio"

_FILL = Section(
    "Budget",
    (
        panel(
            "Budget used, median by section",
            "percentunit",
            "Used over share. Over 100 % is no fault: sections lend each other what they do not need.",
            (quantile(0.5, _BUDGET, _M, "section"), "{{section}}"),
        ),
        panel(
            "Budget used, 95 % by section",
            "percentunit",
            "A `system` that stays above 100 % takes room from history: fewer tools, or a larger share. Ends at 400 %.",
            (quantile(0.95, _BUDGET, _M, "section"), "{{section}}"),
        ),
        panel(
            "Requests that cannot fit",
            "cps",
            "Refused by the safety brake: newest turns, system text and tools alone are over the window.",
            (rate("forebay_brake_total", "model", _M), "{{model}}"),
        ),
        panel(
            "Provider's count over ours",
            "none",
            "Mean of the provider's input tokens over our estimate, by model. Far from 1: set `token_factor`.",
            (
                f"{rate('forebay_token_estimate_ratio_sum', 'model', _M)}"
                f" / {rate('forebay_token_estimate_ratio_count', 'model', _M)}",
                "{{model}}",
            ),
        ),
    ),
)
_CUTS = Section(
    "What is taken out",
    (
        panel(
            "Batches by reason",
            "cps",
            "Prefixes rewritten, each a miss of the provider's cache: the window forced it, cost called for it, or "
            "the client rewrote its history.",
            (rate("forebay_batches_total", "reason", _M), "{{reason}}"),
        ),
        panel(
            "Tokens taken out, by step",
            "cps",
            "What each request's view leaves out. Old cuts count again with each request.",
            (rate("forebay_removed_tokens_total", "by", _M), "{{by}}"),
        ),
        panel(
            "Tokens spilled",
            "cps",
            "Large results kept outside on arrival, by model: what the previews left out.",
            (rate("forebay_removed_tokens_total", "model", f'{_M}, by="spill"'), "{{model}}"),
        ),
        panel(
            "Turns dropped or summarised",
            "cps",
            "Turns that left the view, each counted once.",
            (rate("forebay_compacted_turns_total", "model", _M), "{{model}}"),
        ),
        panel(
            "Turns that repeat themselves",
            "cps",
            "The same calls with the same results as the turn before: agents that go round in circles.",
            (rate("forebay_repeated_calls_total", "model", _M), "{{model}}"),
        ),
    ),
)
_BACK = Section(
    "Ways back",
    (
        panel(
            "Retrievals by kind",
            "cps",
            "Calls of our tools that the proxy answered: lines, grep, symbol or search.",
            (rate("forebay_retrievals_total", "by"), "{{by}}"),
        ),
        panel(
            "Retrievals by result",
            "cps",
            "`found` is what it should be. `unknown` and `expired` mean that an original is gone; `misread` that the "
            "model asked in a way that cannot be read.",
            (rate("forebay_retrievals_total", "result"), "{{result}}"),
        ),
        panel(
            "Summaries by result",
            "cps",
            "`recorded` is in use; `beaten` another worker was first; the others fell back to dropping turns.",
            (rate("forebay_summaries_total", "result"), "{{result}}"),
        ),
        panel(
            "Originals offered to the store",
            "cps",
            "`refused`: a cap is reached; `failed`: the store could not take it. Edits stand all the same.",
            (rate("forebay_artifacts_total", "result"), "{{result}}"),
        ),
        panel(
            "Degraded answers by reason",
            "cps",
            "Answers that lacked a part of what this page shows.",
            (rate("forebay_degraded_total", "reason"), "{{reason}}"),
        ),
    ),
)

CONTEXT = Dashboard(
    "context",
    "Forebay: context engine",
    "How full contexts are, what policies take out, and what is read back.",
    (MODEL,),
    (_FILL, _CUTS, _BACK),
)
