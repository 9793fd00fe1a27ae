"""What a later version brings is refused, with a message that says so."""

from __future__ import annotations

import pytest

from proxy.settings.not_built import NOT_BUILT

CASES = [
    ({"server": {"workers": 2}}, "server.workers: more than one worker is not built yet; use 1"),
]


@pytest.mark.parametrize(("sections", "told"), CASES)
def test_it_is_refused(faults, sections, told):
    assert faults(**sections) == [f"f.yaml: {told}"]


def test_every_row_has_its_case():
    assert all(any(f": {row.what} is not built" in told for _, told in CASES) for row in NOT_BUILT)
