"""A dashboard as the JSON that Grafana reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deploy.dashboards.panels import Dashboard, Panel, Unit, Variable

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
_COLUMNS, _WIDTH, _HEIGHT = 24, 8, 8


def rendered(board: Dashboard) -> dict[str, Any]:
    """The dashboard, complete: it needs nothing but a Prometheus data source."""
    return {
        "uid": f"forebay-{board.name}",
        "title": board.title,
        "description": board.description,
        "tags": ["forebay"],
        "timezone": "browser",
        "schemaVersion": 39,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "links": [_other_dashboards()],
        "templating": {"list": [_datasource(), *map(_variable, board.variables)]},
        "panels": list(_panels(board)),
    }


def _panels(board: Dashboard) -> Iterator[dict[str, Any]]:
    """Rows from the top, panels from the left, numbered as they come."""
    number, top = 0, 0
    for section in board.sections:
        number += 1
        yield {
            "id": number,
            "type": "row",
            "title": section.title,
            "collapsed": False,
            "panels": [],
            "gridPos": {"x": 0, "y": top, "w": _COLUMNS, "h": 1},
        }
        top += 1
        for place, panel in enumerate(section.panels):
            number += 1
            row, column = divmod(place * _WIDTH, _COLUMNS)
            at = {"x": column, "y": top + row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT}
            yield {"id": number, "gridPos": at, **_panel(panel)}
        top += -(-len(section.panels) * _WIDTH // _COLUMNS) * _HEIGHT


def _panel(panel: Panel) -> dict[str, Any]:
    return {
        "type": "stat" if panel.now else "timeseries",
        "title": panel.title,
        "description": panel.description,
        "datasource": DATASOURCE,
        "fieldConfig": {"defaults": _axis(panel.unit), "overrides": []},
        "options": _STAT if panel.now else _LINES,
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "datasource": DATASOURCE,
                "expr": query.expr,
                "legendFormat": query.legend,
                "range": not panel.now,
                "instant": panel.now,
            }
            for place, query in enumerate(panel.queries)
        ],
    }


def _axis(unit: Unit) -> dict[str, Any]:
    """Shares and dollars can be below zero; rates, times and sizes begin there."""
    return {"unit": unit, "min": 0} if unit in {"reqps", "cps", "s", "bytes"} else {"unit": unit}


_LINES = {
    "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["mean", "max"], "showLegend": True},
    "tooltip": {"mode": "multi", "sort": "desc"},
}
_STAT = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "textMode": "value_and_name"}


def _datasource() -> dict[str, Any]:
    return {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}


def _variable(variable: Variable) -> dict[str, Any]:
    query = f"label_values({variable.metric}, {variable.name})"
    choice = {
        "name": variable.name,
        "label": variable.label,
        "type": "query",
        "datasource": DATASOURCE,
        "definition": query,
        "query": {"query": query, "refId": "variable"},
        "refresh": 2,
        "sort": 1,
        "multi": variable.several,
        "includeAll": variable.several,
    }
    everything = {"selected": True, "text": ["All"], "value": ["$__all"]}
    return choice | ({"allValue": ".*", "current": everything} if variable.several else {})


def _other_dashboards() -> dict[str, Any]:
    return {
        "title": "Forebay",
        "type": "dashboards",
        "tags": ["forebay"],
        "asDropdown": True,
        "includeVars": False,
        "keepTime": True,
    }
