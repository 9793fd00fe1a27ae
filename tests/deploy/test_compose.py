"""Compose: by its schema, and every file, port, variable and setting that it names exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from proxy.settings import Settings, load_settings
from proxy.settings.environment import legal_variables
from tests.deploy.deployed import DEPLOY, ROOT, parsed, run, tool

FILE = DEPLOY / "compose.yaml"
COMPOSE: dict[str, Any] = parsed(FILE)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ASKED = set(re.findall(r"(?<!\$)\$\{(\w+)", FILE.read_text()))
GIVEN = set(re.findall(r"^(\w+)=", (DEPLOY / ".env.example").read_text(), re.MULTILINE))

each_service = pytest.mark.parametrize("name", SERVICES)


def test_it_is_a_compose_file_by_the_schema():
    run(tool("check-jsonschema", "pip install check-jsonschema"), "--builtin-schema", "vendor.compose-spec", FILE)


def test_it_has_proxy_store_prometheus_and_grafana():
    assert set(SERVICES) == {"proxy", "valkey", "prometheus", "grafana"}


def test_the_variables_it_asks_for_are_those_of_the_example():
    assert ASKED == GIVEN


def test_the_example_holds_no_secret():
    values = re.findall(r"^(\w+)=(.+)$", (DEPLOY / ".env.example").read_text(), re.MULTILINE)
    assert values == [("FOREBAY_BIND", "127.0.0.1")]


def test_the_proxys_variables_are_settings_or_named_by_the_configuration():
    named = set(re.findall(r"env:(\w+)", (DEPLOY / "forebay.yaml").read_text()))
    assert set(SERVICES["proxy"]["environment"]) - set(legal_variables(Settings)) == named


def test_the_configuration_is_accepted(monkeypatch: pytest.MonkeyPatch):
    for name, value in SERVICES["proxy"]["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{\w+:\?[^}]*\}", "0123456789abcdef", value))
    settings = load_settings(str(DEPLOY / "forebay.yaml"))
    assert settings.state.url.get_secret_value().endswith("@valkey:6379/0")
    assert settings.server.host == settings.server.admin_host == "0.0.0.0"


@each_service
def test_what_is_mounted_is_there(name: str):
    mounted = [volume.split(":")[0] for volume in SERVICES[name]["volumes"]]
    files = [DEPLOY / source for source in mounted if source.startswith(".")]
    assert [path for path in files if not path.exists()] == []
    assert {source for source in mounted if not source.startswith(".")} <= set(COMPOSE["volumes"])


@each_service
def test_it_cannot_write_its_root_or_gain_a_right(name: str):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@each_service
def test_memory_cpu_and_processes_are_limited(name: str):
    assert set(SERVICES[name]["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}


@each_service
def test_it_has_a_health_check(name: str):
    own = "HEALTHCHECK" in (ROOT / "Dockerfile").read_text() if name == "proxy" else "healthcheck" in SERVICES[name]
    assert own


@each_service
def test_images_are_pinned_and_name_no_registry(name: str):
    image = SERVICES[name]["image"]
    pinned = re.fullmatch(r"(?:[a-z]+/)?[a-z]+:v?\d+\.\d+\.\d+", image)
    assert pinned or image == "forebay:local"


def test_only_the_proxy_may_be_opened_beyond_this_machine():
    ports = {name: service.get("ports", []) for name, service in SERVICES.items()}
    assert all(port.startswith("127.0.0.1:") for name in ports if name != "proxy" for port in ports[name])
    assert ports["proxy"] == [f"${{FOREBAY_BIND:-127.0.0.1}}:8080:{Settings().server.port}"]


def test_the_store_is_reached_by_the_proxy_only():
    assert [name for name, service in SERVICES.items() if "store" in service["networks"]] == ["proxy", "valkey"]
    assert COMPOSE["networks"]["store"] == {"internal": True}


def test_it_waits_longer_than_the_proxys_grace():
    grace = parsed(DEPLOY / "forebay.yaml")["server"]["shutdown_grace_seconds"]
    assert int(SERVICES["proxy"]["stop_grace_period"].removesuffix("s")) > grace


def test_prometheus_scrapes_the_admin_port_and_reads_the_rules():
    config = parsed(DEPLOY / "prometheus.yml")
    (job,) = config["scrape_configs"]
    assert job["static_configs"] == [{"targets": [f"proxy:{Settings().server.admin_port}"]}]
    (pattern,) = config["rule_files"]
    assert list(DEPLOY.glob(str(Path(pattern).relative_to("/etc/prometheus"))))


def test_promtool_accepts_the_configuration_of_prometheus(tmp_path: Path):
    text = (DEPLOY / "prometheus.yml").read_text().replace("/etc/prometheus/rules", str(DEPLOY / "rules"))
    (tmp_path / "prometheus.yml").write_text(text)
    promtool = tool("promtool", "apt-get install prometheus")
    assert "SUCCESS" in run(promtool, "check", "config", tmp_path / "prometheus.yml")


def test_grafana_gets_its_source_and_dashboards():
    (source,) = parsed(DEPLOY / "grafana/datasources/prometheus.yaml")["datasources"]
    assert source["url"] == "http://prometheus:9090"
    (provider,) = parsed(DEPLOY / "grafana/dashboards/forebay.yaml")["providers"]
    mounts = [volume.split(":") for volume in SERVICES["grafana"]["volumes"]]
    assert ["./dashboards", provider["options"]["path"], "ro"] in mounts
