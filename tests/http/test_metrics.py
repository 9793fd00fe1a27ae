from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from proxy.metrics import Metrics

CONTRACT = {
    "forebay_requests_total": {"model", "tenant", "status"},
    "forebay_request_seconds": {"model", "stream"},
    "forebay_overhead_seconds": {"model"},
    "forebay_time_to_first_byte_seconds": {"model"},
    "forebay_upstream_errors_total": {"model", "kind"},
    "forebay_requests_in_flight": {"model"},
    "forebay_input_tokens_total": {"model", "tenant", "kind"},
    "forebay_output_tokens_total": {"model", "tenant"},
    "forebay_removed_tokens_total": {"model", "tenant", "by"},
    "forebay_compacted_turns_total": {"model", "tenant"},
    "forebay_batches_total": {"model", "reason"},
    "forebay_brake_total": {"model"},
    "forebay_budget_ratio": {"model", "section"},
    "forebay_token_estimate_ratio": {"model"},
    "forebay_cost_dollars_total": {"model", "tenant", "kind"},
    "forebay_artifacts_bytes": {"tenant"},
    "forebay_artifacts_total": {"result"},
    "forebay_state_seconds": {"operation"},
    "forebay_degraded_total": {"reason"},
    "forebay_quota_rejections_total": {"tenant", "limit"},
    "forebay_build_info": {"version"},
}
SUFFIXES = ("_bucket", "_sum", "_count")


def metrics():
    return Metrics(["gpt-5", "local-*"], ["team-a"], "1.2.3")


def everything_happens(to: Metrics, model="gpt-5", tenant="team-a"):
    to.finished(model, tenant, 200, True, 1.5)
    to.forwarded_after(model, 0.002)
    to.first_byte_after(model, 0.4)
    to.upstream_error(model, "timeout")
    to.upstream_status(model, 429)
    with to.in_flight(model):
        pass
    to.tokens(model, tenant, {"received": 10, "forwarded": 8, "cached": 4, "billed": 8}, output=3)
    to.edited(model, tenant, {"clear_result": 2, "drop": 5}, compacted_turns=1)
    to.batch(model, "window")
    to.braked(model)
    to.budget(model, "system", 5, 10)
    to.estimated(model, 11, 10)
    to.cost(model, tenant, 0.5, 0.75)
    to.artifacts_kept(tenant, 100)
    to.artifact("kept")
    to.state_call("record", 0.001, True)
    to.degraded("state")
    to.over_quota(tenant, "tokens_per_day")


def samples(of: Metrics):
    families = text_string_to_metric_families(of.exposition().decode())
    return [sample for family in families for sample in family.samples if not sample.name.endswith("_created")]


def base_name(name: str) -> str:
    for suffix in SUFFIXES:
        if name.removesuffix(suffix) in CONTRACT:
            return name.removesuffix(suffix)
    return name


def test_every_name_and_label_is_the_contracts():
    told = metrics()
    everything_happens(told)
    found: dict[str, set[str]] = {}
    for sample in samples(told):
        found.setdefault(base_name(sample.name), set()).update(set(sample.labels) - {"le"})
    assert found == CONTRACT


def test_ten_thousand_junk_names_add_no_series():
    told = metrics()
    everything_happens(told, "junk", "junk")
    told.finished("junk", "junk", 404, False, 0.001)
    before = len(samples(told))
    for number in range(10_000):
        told.finished(f"junk-{number}", f"junk-{number}", 404, False, 0.001)
    everything_happens(told, "another", "another")
    assert len(samples(told)) == before
    assert not [sample for sample in samples(told) if "junk" in str(sample.labels)]


def test_ten_thousand_keys_of_clients_are_one_tenant():
    told = metrics()
    everything_happens(told, tenant="passthrough-0")
    told.finished("gpt-5", "passthrough-0", 200, False, 0.001)
    before = len(samples(told))
    for number in range(1, 10_000):
        told.finished("gpt-5", f"passthrough-{number}", 200, False, 0.001)
    assert len(samples(told)) == before
    tenants = {sample.labels["tenant"] for sample in samples(told) if "tenant" in sample.labels}
    assert tenants == {"passthrough"}


def test_two_apps_in_one_process_share_nothing():
    first, second = metrics(), metrics()
    first.braked("gpt-5")
    assert b'forebay_brake_total{model="gpt-5"}' not in second.exposition()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "status_4xx"), (404, "status_4xx"), (429, "status_429"), (503, "status_5xx"), (200, None)],
)
def test_an_upstreams_status_is_counted_by_class(status, kind):
    told = metrics()
    told.upstream_status("gpt-5", status)
    kinds = [s.labels["kind"] for s in samples(told) if s.name == "forebay_upstream_errors_total"]
    assert kinds == ([kind] if kind else [])


def test_an_unknown_kind_of_error_is_other():
    told = metrics()
    told.upstream_error("gpt-5", "anything the provider wrote")
    assert b'kind="other"' in told.exposition()


def test_a_ratio_without_a_denominator_is_not_observed():
    told = metrics()
    told.budget("gpt-5", "system", 5, 0)
    told.estimated("gpt-5", 5, 0)
    assert not [s for s in samples(told) if s.name.endswith("_ratio_count")]


def test_a_request_in_flight_is_counted_while_it_lasts():
    told = metrics()
    with told.in_flight("gpt-5"):
        assert b'forebay_requests_in_flight{model="gpt-5"} 1.0' in told.exposition()
    assert b'forebay_requests_in_flight{model="gpt-5"} 0.0' in told.exposition()
