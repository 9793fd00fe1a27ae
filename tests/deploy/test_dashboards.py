"""The dashboards: as their code makes them, every panel explained, every query on series that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from deploy.dashboards import DASHBOARDS, DEPLOY, files
from deploy.dashboards.grafana import rendered
from deploy.dashboards.panels import Dashboard, Panel
from tests.deploy.deployed import parsed, rules, run, series, tool, used

PANELS = [pytest.param(panel, id=f"{board.name}-{panel.title}") for board in DASHBOARDS for panel in board.panels()]
each_panel = pytest.mark.parametrize("panel", PANELS)
each_board = pytest.mark.parametrize("board", DASHBOARDS, ids=lambda board: board.name)


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_what_is_checked_in_is_what_the_code_makes(path: Path):
    assert path.read_text(encoding="utf-8") == files()[path], "run python -m deploy.dashboards"


def test_kustomize_carries_every_dashboard_and_no_other():
    (maps,) = parsed(DEPLOY / "dashboards/kustomization.yaml")["configMapGenerator"]
    assert sorted(maps["files"]) == sorted(f"{board.name}.json" for board in DASHBOARDS)
    assert sorted(maps["files"]) == sorted(path.name for path in (DEPLOY / "dashboards").glob("*.json"))


@each_panel
def test_a_panel_has_title_description_unit_and_named_lines(panel: Panel):
    assert panel.title
    assert panel.description.endswith(".")
    assert panel.unit
    assert panel.queries
    assert all(query.legend for query in panel.queries)


@each_panel
def test_a_panels_queries_are_on_series_that_exist(panel: Panel):
    names = {name for query in panel.queries for name in used(query.expr)}
    assert sorted(names - set(series())) == []


@each_panel
def test_a_panels_labels_are_those_of_its_series(panel: Panel):
    for query in panel.queries:
        have = {label for name in used(query.expr) for label in series().get(name, ())}
        asked = set(re.findall(r"(\w+)=~?\"", query.expr)) | set(re.findall(r"\{\{(\w+)\}\}", query.legend))
        grouped = {label.strip() for by in re.findall(r"by \(([^)]*)\)", query.expr) for label in by.split(",")}
        assert sorted((asked | grouped) - have) == []


@each_panel
def test_recorded_series_of_a_panel_are_recorded(panel: Panel):
    asked = {name for query in panel.queries for name in re.findall(r"\bforebay:[\w:]+", query.expr)}
    assert sorted(asked - {rule["record"] for rule in rules() if "record" in rule}) == []


def test_every_metric_stands_on_a_dashboard():
    shown = {
        name for board in DASHBOARDS for panel in board.panels() for query in panel.queries for name in used(query.expr)
    }
    families = {re.sub(r"_(bucket|sum|count)$", "", name) for name in series()}
    assert sorted(families - {re.sub(r"_(bucket|sum|count)$", "", name) for name in shown}) == []


@each_board
def test_the_queries_use_its_variables_and_no_others(board: Dashboard):
    queries = [query.expr for panel in board.panels() for query in panel.queries]
    used_variables = {name for expr in queries for name in re.findall(r"\$(\w+)", expr)}
    offered = {variable.name for variable in board.variables}
    assert used_variables - {"__rate_interval", "__range"} == offered


@each_board
def test_no_two_panels_stand_on_each_other(board: Dashboard):
    taken = [
        (x, y)
        for panel in rendered(board)["panels"]
        for at in [panel["gridPos"]]
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(taken) == len(set(taken))


@each_board
def test_ids_of_panels_are_unique(board: Dashboard):
    ids = [panel["id"] for panel in json.loads(json.dumps(rendered(board)))["panels"]]
    assert len(ids) == len(set(ids))


@each_board
def test_promtool_can_read_every_query(board: Dashboard, tmp_path: Path):
    promtool = tool("promtool", "apt-get install prometheus")
    exprs = [query.expr for panel in board.panels() for query in panel.queries]
    plain = [re.sub(r"\$__(rate_interval|range)", "5m", expr) for expr in exprs]
    recorded = [{"record": f"panel:{number}", "expr": expr} for number, expr in enumerate(plain)]
    path = tmp_path / "queries.yaml"
    path.write_text(json.dumps({"groups": [{"name": "panels", "rules": recorded}]}))
    assert "SUCCESS" in run(promtool, "check", "rules", path)
