"""What the tests of deploy/ look at: its files parsed, and the tools that check them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from proxy.metrics import Metrics

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
RULES = DEPLOY / "rules" / "forebay.rules.yaml"


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def resources() -> dict[str, dict[str, Any]]:
    """The Kubernetes manifests that stand as they are, by kind."""
    names = [name for name in parsed(KUBERNETES / "kustomization.yaml")["resources"]]
    found = [parsed(KUBERNETES / name) for name in names]
    return {resource["kind"]: resource for resource in found}


def rules() -> list[dict[str, Any]]:
    return [rule for group in parsed(RULES)["groups"] for rule in group["rules"]]


def alerts() -> list[dict[str, Any]]:
    return [rule for rule in rules() if "alert" in rule]


def tool(name: str, install: str) -> str:
    """The path of a program, of the venv's or the machine's; without it the test is skipped, and says so."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here: {install}")
    return found


def run(*command: str | Path, stdin: str | None = None) -> str:
    """What a program prints; the test fails with it where the program does."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def series() -> dict[str, set[str]]:
    """Every series of the proxy as Prometheus stores it, with the labels that it carries."""
    found: dict[str, set[str]] = {}
    for family in Metrics(["m"], ["t"], "1")._registry._collector_to_names:
        (described,) = family.describe()
        labels = set(family._labelnames)
        name = described.name
        if described.type == "histogram":
            found |= {f"{name}_bucket": labels | {"le"}, f"{name}_sum": labels, f"{name}_count": labels}
        else:
            found[f"{name}_total" if described.type == "counter" else name] = labels
    return found


def used(expr: str) -> set[str]:
    """The names of the proxy's series in an expression."""
    return set(re.findall(r"\bforebay_\w+", expr))
