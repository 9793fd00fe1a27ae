"""What a later version brings is refused, with a message that says so."""

from __future__ import annotations

import pytest

from proxy.settings.not_built import LIMITS, NOT_BUILT

SECRET = "0123456789abcdef"

CASES = [
    ({"auth": {"mode": "passthrough"}}, "auth.mode: passthrough is not built yet; use keys or none"),
    *(
        (
            {"tenants": [{"name": "a", "limits": {name: 1}}]},
            f"tenants.0.limits.{name}: a limit is not built yet; set it to 0",
        )
        for name in LIMITS
    ),
    (
        {"state": {"url": "redis+cluster://h"}, "secret": SECRET},
        "state.url: redis+cluster:// is not built yet; use redis://, rediss://, unix:// or embedded",
    ),
    (
        {"state": {"url": "redis+sentinel://h"}, "secret": SECRET},
        "state.url: redis+sentinel:// is not built yet; use redis://, rediss://, unix:// or embedded",
    ),
    ({"artifacts": {"url": "s3://b/p"}, "secret": SECRET}, "artifacts.url: s3:// is not built yet; use a folder"),
    ({"tracing": {"otlp_endpoint": "http://h"}}, "tracing.otlp_endpoint: tracing is not built yet; use null"),
    ({"server": {"workers": 2}}, "server.workers: more than one worker is not built yet; use 1"),
    ({"logging": {"bodies": True}}, "logging.bodies: logging of bodies is not built yet; use false"),
]


@pytest.mark.parametrize(("sections", "told"), CASES)
def test_it_is_refused(faults, sections, told):
    assert faults(**sections) == [f"f.yaml: {told}"]


def test_every_row_has_its_case():
    assert all(any(f": {row.what} is not built" in told for _, told in CASES) for row in NOT_BUILT)
