from __future__ import annotations

import pytest

from proxy.errors import Forbidden, RequestError
from proxy.http.options import options_of, policy_of
from proxy.tenants import LOCAL, Tenant

KNOWN = ("default", "coding", "chat")
LISTED = Tenant("a", "coding", frozenset({"coding", "chat"}))
PLAIN = Tenant("b", None, frozenset())


def options(tenant=LISTED, allow_off=True, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return options_of(headers, tenant, route_policy="default", known=KNOWN, allow_off=allow_off)


@pytest.mark.parametrize(
    ("tenant", "asked", "of_model", "chosen"),
    [
        (LISTED, "chat", "default", "chat"),
        (LISTED, None, "default", "coding"),
        (PLAIN, None, "chat", "chat"),
        (PLAIN, None, None, "default"),
        (LOCAL, "coding", "default", "coding"),
    ],
)
def test_header_before_tenant_before_model_before_default(tenant, asked, of_model, chosen):
    assert policy_of(tenant, asked, of_model, KNOWN) == chosen


@pytest.mark.parametrize(
    ("tenant", "asked"), [(LISTED, "default"), (PLAIN, "default"), (LISTED, "nobody"), (LOCAL, "nobody"), (LOCAL, "")]
)
def test_a_policy_that_is_not_the_tenants_or_unknown_is_403_and_named(tenant, asked):
    with pytest.raises(Forbidden) as caught:
        policy_of(tenant, asked, "default", KNOWN)
    assert repr(asked) in str(caught.value)


@pytest.mark.parametrize("mode", ["enforce", "observe", "off"])
def test_a_mode_is_taken_as_asked(mode):
    assert options(x_context_mode=mode).mode == mode


def test_without_the_header_the_mode_is_the_policys():
    assert options().mode is None


@pytest.mark.parametrize("mode", ["", "OFF", "enforced"])
def test_an_unknown_mode_is_400(mode):
    with pytest.raises(RequestError, match="none of enforce, observe, off") as caught:
        options(x_context_mode=mode)
    assert caught.value.status == 400


def test_off_is_403_where_the_operator_forbids_it():
    with pytest.raises(Forbidden, match="switched off"):
        options(x_context_mode="off", allow_off=False)


@pytest.mark.parametrize("value", ["1", "true"])
def test_isolation_is_asked_for_by_1_or_true(value):
    assert options(x_context_isolate=value).isolates
    assert not options().isolates


@pytest.mark.parametrize("value", ["0", "", "yes", "false", "TRUE", "1, 1"])
def test_another_value_for_isolation_is_400_and_named(value):
    with pytest.raises(RequestError, match=f"x-context-isolate {value!r} is not 1; send 1") as caught:
        options(x_context_isolate=value)
    assert (caught.value.status, caught.value.param) == (400, "x-context-isolate")


@pytest.mark.parametrize(("sent", "parent"), [("p-1", "p-1"), ("", None)])
def test_a_parent_is_passed_on_as_the_client_says_it(sent, parent):
    assert options(x_context_parent=sent).parent == parent
