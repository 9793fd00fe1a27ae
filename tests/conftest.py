"""Settings for all tests: hypothesis profiles, and where the shared material lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SHARED = Path(__file__).resolve().parents[2] / "shared"

settings.register_profile(
    "fast", max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("some", max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fast")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-recorded", action="store_true", help="drive every recorded session of ../shared/data, whole"
    )


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared material beside the checkout; tests that need it skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("there is no ../shared beside this checkout")
    return SHARED
