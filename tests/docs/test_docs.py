"""The pages say what the code does: what is named exists, and what exists is named on its page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from policies import markers
from policies.schema import Policy
from proxy.context import Degraded
from proxy.policy_files import load_policies
from proxy.settings.not_built import NOT_BUILT
from tests.docs.named import commands, error_codes, keys, metrics, paths, request_headers, response_headers
from tests.docs.pages import LINK, PAGES, PLACE, ROOT, missing, name_of, page


def test_every_metric_stands_on_the_operators_page():
    assert missing(metrics(), "docs/operator.md") == []


def test_every_metric_on_a_page_exists():
    told = {name for path in PAGES for name in re.findall(r"`(forebay_[a-z_]+)", path.read_text())}
    assert sorted(told - metrics()) == []


def test_every_header_stands_on_the_agents_page():
    assert missing(response_headers() | request_headers(), "docs/agents.md") == []


def test_every_header_on_a_page_exists():
    told = {name for path in PAGES for name in re.findall(r"x-context-[a-z]+(?:-[a-z]+)*", path.read_text())}
    assert sorted(told - response_headers() - request_headers()) == []


def test_every_key_of_a_policy_stands_on_the_policies_page():
    assert missing(set(keys(Policy)), "docs/policies.md") == []


def test_every_preset_stands_on_the_policies_page():
    assert missing(set(load_policies()), "docs/policies.md") == []


def test_every_command_and_option_stands_on_the_operators_page():
    text = page("docs/operator.md")
    found = commands()
    options = {option for parser in found.values() for option in parser._option_string_actions if option[:2] == "--"}
    assert "keys new" in found
    assert [name for name in found if f"`forebay {name}" not in text] == []
    assert missing(options - {"--help"}, "docs/operator.md") == []


def test_every_command_on_a_page_exists():
    told = {name for path in PAGES for name in re.findall(r"`?forebay ([a-z]+)\b[^\n]*?`", path.read_text())}
    assert sorted(told - set(commands())) == []


def test_every_make_target_on_a_page_exists():
    targets = set(re.findall(r"^([a-z]+):", page("Makefile"), re.MULTILINE))
    told = {name for path in PAGES for name in re.findall(r"(?:`|^)make ([a-z]+)", path.read_text(), re.MULTILINE)}
    assert told
    assert sorted(told - targets) == []


def test_every_endpoint_stands_on_the_agents_page():
    assert missing(paths(), "docs/agents.md") == []


def test_every_error_code_stands_on_the_agents_page():
    assert missing(error_codes(), "docs/agents.md") == []


def test_every_degraded_reason_stands_on_the_agents_page():
    assert missing(set(get_args(Degraded)), "docs/agents.md") == []


@pytest.mark.parametrize(
    "text",
    [
        markers.cleared(479, 60, "art_mmtz2u5it5sp"),
        f"[{markers.listed(['src/yard/move.py:118', 'crane_07'])}]",
        markers.cleared_value(280, "art_in24vbuf3qx3", ["src/yard/move.py:118", "crane_07"]),
        markers.stripped("art_2ncr5tbbkq4h"),
        markers.repeated(812, "art_x5d3cqvw2mzs"),
        markers.left_out(40, 910, "art_q3kd5hzyam2f"),
        markers.preview("log", 900, 21340, "", "art_v6t2kqz4mwlc"),
        markers.gap(40, 910),
        markers.dropped(12, 20817, "art_7wexo4bnrl2t"),
        markers.inherited(14, 5312, "art_k3d7q2xw5ymb"),
    ],
)
def test_every_marker_is_shown_to_agent_builders_word_for_word(text: str):
    assert f"\n{text}\n" in page("docs/agents.md")


def test_what_the_configuration_refuses_is_in_the_readmes_list():
    _, _, rest = page("README.md").partition("## What it does not do yet")
    listed, _, _ = rest.partition("\n## ")
    words = {"worker"}
    uncovered = [row.what for row in NOT_BUILT if not any(word in row.what.lower() for word in words)]
    assert uncovered == [], "a row is new: name it in the README, and its word here"
    assert [word for word in words if word not in listed.lower()] == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(path: Path):
    links = [link.partition("#")[0] for link in LINK.findall(path.read_text()) if "://" not in link]
    assert [link for link in links if link and not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_file_that_is_named_exists(path: Path):
    assert [place for place in PLACE.findall(path.read_text()) if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_no_page_leads_out_of_the_repository(path: Path):
    assert re.search(r"\bshared/|\b(?:design|contract|faults|economics|style)\.md", path.read_text()) is None


def test_every_page_of_the_docs_is_linked_from_the_readme():
    pages = {name_of(path) for path in (ROOT / "docs").glob("*.md")}
    assert sorted(pages - set(LINK.findall(page("README.md")))) == []
