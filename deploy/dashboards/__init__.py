"""Grafana dashboards as tables of panels; `python -m deploy.dashboards` writes the JSON beside this file."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from deploy.dashboards.context import CONTEXT
from deploy.dashboards.grafana import rendered
from deploy.dashboards.overview import OVERVIEW
from deploy.dashboards.panels import Dashboard
from deploy.dashboards.tenant import TENANT

DASHBOARDS: tuple[Dashboard, ...] = (OVERVIEW, TENANT, CONTEXT)

DEPLOY = Path(__file__).parents[1]
RULES = DEPLOY / "rules" / "forebay.rules.yaml"

_MADE = "# Made from deploy/rules/forebay.rules.yaml by `python -m deploy.dashboards`; change that file.\n"


def files() -> dict[Path, str]:
    """Every file that is made, with its text: the dashboards, and the rules as the Prometheus operator reads them."""
    made = {DEPLOY / "dashboards" / f"{board.name}.json": _json(rendered(board)) for board in DASHBOARDS}
    return made | {DEPLOY / "kubernetes" / "monitoring" / "prometheusrule.yaml": _prometheus_rule()}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _prometheus_rule() -> str:
    resource = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "forebay", "labels": {"app.kubernetes.io/name": "forebay"}},
        "spec": yaml.safe_load(RULES.read_text(encoding="utf-8")),
    }
    return _MADE + yaml.safe_dump(resource, sort_keys=False, width=120)
