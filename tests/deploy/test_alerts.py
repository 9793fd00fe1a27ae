"""Rules and alerts: promtool checks and tests them; each alert fires in one test, is quiet in one, and has its page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.deployed import ROOT, RULES, alerts, parsed, rules, run, series, tool, used

FILES = sorted(Path(__file__).parent.glob("alerts*.test.yaml"))
CASES: list[dict[str, Any]] = [
    case for path in FILES for test in parsed(path)["tests"] for case in test.get("alert_rule_test", [])
]
INSTALL = "apt-get install prometheus"
RUNBOOKS = (ROOT / "docs/runbooks.md").read_text(encoding="utf-8")

each_alert = pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert["alert"])
each_rule = pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.get("alert") or rule["record"])


def test_promtool_accepts_the_rules():
    assert "SUCCESS" in run(tool("promtool", INSTALL), "check", "rules", RULES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_alerts_fire_and_stay_quiet_as_promtool_is_told(path: Path):
    assert "SUCCESS" in run(tool("promtool", INSTALL), "test", "rules", path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_promtool_takes_the_groups_in_the_order_of_the_file(path: Path):
    assert parsed(path)["group_eval_order"] == [group["name"] for group in parsed(RULES)["groups"]]


@each_alert
def test_an_alert_is_tested_firing(alert: dict[str, Any]):
    assert [case for case in CASES if case["alertname"] == alert["alert"] and case["exp_alerts"]]


@each_alert
def test_an_alert_is_tested_quiet(alert: dict[str, Any]):
    assert [case for case in CASES if case["alertname"] == alert["alert"] and not case["exp_alerts"]]


@each_alert
def test_an_alert_says_how_bad_it_is_and_what_to_read(alert: dict[str, Any]):
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    assert set(alert["annotations"]) == {"summary", "description", "runbook_url"}


@each_alert
def test_an_alerts_runbook_is_a_section_of_the_page(alert: dict[str, Any]):
    page, _, anchor = alert["annotations"]["runbook_url"].partition("#")
    assert page == "docs/runbooks.md"
    headings = re.findall(r"^## (.+)$", RUNBOOKS, re.MULTILINE)
    assert anchor in [heading.lower().replace(" ", "-") for heading in headings]


@each_alert
def test_a_runbook_says_meaning_first_look_causes_and_remedy(alert: dict[str, Any]):
    _, _, rest = RUNBOOKS.partition(f"## {alert['alert']}\n")
    section, _, _ = rest.partition("\n## ")
    assert re.findall(r"^\*\*(.+?)\.\*\*", section, re.MULTILINE) == ["Means", "First look", "Causes", "Remedy"]


def test_every_runbook_belongs_to_an_alert():
    told = {heading for heading in re.findall(r"^## (Forebay\w+)$", RUNBOOKS, re.MULTILINE)}
    assert told == {alert["alert"] for alert in alerts()}


@each_rule
def test_a_rules_series_exist(rule: dict[str, Any]):
    assert sorted(used(rule["expr"]) - set(series())) == []


@each_rule
def test_a_rules_labels_are_those_of_its_series(rule: dict[str, Any]):
    names = used(rule["expr"])
    if not names:
        return
    have = {"job", *(label for name in names for label in series().get(name, ()))}
    asked = set(re.findall(r"(\w+)[!=]=?~?\"", rule["expr"]))
    grouped = {label.strip() for by in re.findall(r"(?:by|on) \(([^)]*)\)", rule["expr"]) for label in by.split(",")}
    assert sorted((asked | grouped) - have) == []


@each_rule
def test_recorded_series_of_a_rule_are_recorded(rule: dict[str, Any]):
    recorded = {one["record"] for one in rules() if "record" in one}
    assert sorted(set(re.findall(r"\bforebay:[\w:]+", rule["expr"])) - recorded) == []
