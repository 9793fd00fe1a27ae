"""What the fixed part of a prompt is made of, and what of it could go.

The fixed part is what stands in every request before the first answer: system texts, tool definitions, a response
schema. It is paid for on every call. `audit(prompt, count)` cuts its texts into sections (`sections.py`), weighs
each section and each schema, and looks for what carries nothing or is carried twice:

    twins.py     tools that are nearly one
    repeats.py   the same statement again, in texts or descriptions
    dominant.py  examples that are most of the texts, schemas that are most of a prompt
    filler.py    phrases without content

Each finding names its places, what it could save and how that was estimated. No token is claimed by two findings
(`claims.py`). `difference(before, after)` sets two audits side by side.

Nothing here knows what a statement is worth to the model: a finding is a place to look at, not an edit.
"""

from policies.audit.audit import Audit, audit
from policies.audit.difference import Change, Difference, difference
from policies.audit.findings import Finding, Kind, Place, Row
from policies.audit.prompt import Description, Other, Prompt, Schema, Text

__all__ = [
    "Audit",
    "Change",
    "Description",
    "Difference",
    "Finding",
    "Kind",
    "Other",
    "Place",
    "Prompt",
    "Row",
    "Schema",
    "Text",
    "audit",
    "difference",
]
