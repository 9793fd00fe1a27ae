"""What each figure means, in one place: the help, the table and the documentation use these names.

The order is that of the table.
"""

from __future__ import annotations

import textwrap

TOKENS = "tokens sent"
PEAK = "largest request"
COST = "cost"
COST_WITHOUT_TOOL = "cost, our tool not counted"
WORST = "worst cost at any prefix"
WORST_WITHOUT_TOOL = "worst, our tool not counted"
STABILITY = "prefix stability"
BREAKS = "breaks per 100 requests"
BATCHES = "batches"
EVIDENCE = "evidence in context"
EVIDENCE_REACHABLE = "evidence reachable"
EVIDENCE_WITHOUT_NAMES = "evidence without name lists"
REUSE = "reuse in context"
REUSE_REACHABLE = "reuse reachable"
REUSE_WITHOUT_NAMES = "reuse without name lists"
FAULTS = "structural faults"
BRAKES = "brake answers"
OVER_WINDOW = "over the window"
RESTART = "identical after a restart"
SUMMARIES = "summaries"
READINGS = "readings per 100 requests"
FIRST_PAGES = "first page answers"
FAILED_READINGS = "failed readings"
READ_COST = "cost with readings"

DEFINITIONS: dict[str, str] = {
    TOKENS: "Input tokens of all requests by the proxy's counter, tool and response definitions included. Requests "
    "that the brake answered are left out on both sides, here and in every figure but their own.",
    PEAK: "The input tokens of the largest request.",
    COST: "Units of one input token at the ordinary price: W for each token that is new to the cache, D for each in "
    "the cached prefix, 5 for each output token. The cache is the previous request as it was sent: what both start "
    "with, definitions first, then message by message, whole and equal byte for byte. Beside it proxied / untouched.",
    COST_WITHOUT_TOOL: "The same ratio had the definition of our own retrieval tool no weight.",
    WORST: "The largest of the ratios proxied / untouched with which the session could have ended: costs are summed "
    "up to and including each request. Of many sessions, the worst session's.",
    WORST_WITHOUT_TOOL: "The same had the definition of our own retrieval tool no weight.",
    STABILITY: "Share of the tokens sent that stood in the cached prefix.",
    BREAKS: "Requests that do not start with the whole of the request before, message by message, per 100.",
    BATCHES: "Times the policy edited older messages: for cost's sake, or because the window forced it.",
    EVIDENCE: "Evidence is what a model cannot guess: identifiers, paths, numbers of three digits and more, names of "
    "errors. Of the evidence that an answer uses, in its text or in its calls' arguments, and that had stood in tool "
    "results and nowhere else, the share that stands in the request as forwarded.",
    EVIDENCE_REACHABLE: "The share that stands there, or in an original whose locator stands there and resolves.",
    EVIDENCE_WITHOUT_NAMES: "The share that stands there if the lists of names in stubs are not counted.",
    REUSE: "The same share of the evidence that had stood in tool results or in arguments of earlier calls, used for "
    "the first time or again, and that no system or user text and no definition tells.",
    REUSE_REACHABLE: "Reuse in context or behind a locator that stands there and resolves.",
    REUSE_WITHOUT_NAMES: "Reuse in context if the lists of names in stubs are not counted.",
    FAULTS: "What a strict provider would refuse in the forwarded requests and not in the client's own, and changes "
    "that no proxy may make: system text, the user's last message, arguments that are no object any more.",
    BRAKES: "Requests answered with 400 because they do not fit the window even after editing.",
    OVER_WINDOW: "Requests that are over the window untouched, so that without the proxy they would have failed.",
    RESTART: "Sessions whose last forwarded request a fresh process repeats byte for byte.",
    SUMMARIES: "Calls of a scripted summariser at a fifth of the model's price, and what they cost together; that is "
    "part of the proxied cost. Only policies with `then: summarise` make any.",
    READINGS: "The session once more with a model that reads back what it lacks: for each original behind a locator "
    "that holds something of the evidence or reuse that an answer needs and does not see, one call of our tool, "
    "answered as the proxy answers it, and kept in the history from then on.",
    FIRST_PAGES: "Share of these readings whose first page holds all that was looked for in that original.",
    FAILED_READINGS: "Readings of a locator that stands in the context and did not resolve.",
    READ_COST: "The cost ratio with these readings: each is one more request, and what it read is carried on.",
}


def explained(width: int = 96) -> str:
    """The definitions as a list for the help."""
    lines: list[str] = []
    for name, text in DEFINITIONS.items():
        lines.append(f"  {name}")
        lines += textwrap.wrap(text, width, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines)
