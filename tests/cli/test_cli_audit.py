"""`forebay audit`: tables for people, JSON for machines, or one line that says what is wrong."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import page

CASES = Path(__file__).parents[2] / "benchmarks" / "audit"
VERBOSE, DENSE = "security-review-verbose.json", "security-review-dense.json"
CONFIG = """auth: {mode: none}
models:
  - {name: ours, upstream: hosted_vllm/qwen, api_base: "http://127.0.0.1:8000/v1", window: 10000, token_factor: 2.0,
     prices: {input: 3}}
  - {name: plain, upstream: hosted_vllm/qwen, api_base: "http://127.0.0.1:8000/v1"}
  - {name: "*", upstream: "hosted_vllm/*", api_base: "http://127.0.0.1:8000/v1"}
"""


@pytest.fixture(autouse=True)
def cases(tmp_path: Path) -> Path:
    """The folder in which the command runs, with our two prompts in it."""
    for name in (VERBOSE, DENSE):
        shutil.copy(CASES / name, tmp_path / name)
    (tmp_path / "forebay.yaml").write_text(CONFIG)
    return tmp_path


def squeezed(text: str) -> str:
    return re.sub(r" +", " ", text)


def documents(answer: Any) -> dict[str, Any]:
    assert (answer.returncode, answer.stderr) == (0, "")
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def test_one_file_without_a_model_is_weighed_in_tokens(forebay):
    answer = forebay("audit", VERBOSE)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "no model named (--model): tokens by o200k_base, no window and no prices" in answer.stdout
    assert "\n post_finding 387 " in squeezed(answer.stdout)
    assert "$" not in answer.stdout


def test_a_models_prices_make_dollars_with_and_without_the_cache(forebay):
    told = squeezed(forebay("audit", DENSE, "--model", "anthropic/claude-sonnet-4-5").stdout)
    # 890 tokens at $3, $3.75 and $0.3 a million, 1,000 calls
    assert "\ncost, 1,000 calls a day a call a day\n uncached $0.002670 $2.67\n" in told
    assert " cached: the first call, which writes the cache $0.003337\n" in told
    assert " cached: each later call, which reads it $0.000267\n" in told
    assert " cached: one write, then only reads $0.27\n" in told
    assert "note: this prompt is under 1,024 tokens" in told
    assert "findings: none" in told


def test_two_files_are_set_side_by_side(forebay):
    told = squeezed(forebay("audit", VERBOSE, DENSE, "--model", "openai/gpt-5").stdout)
    assert "\n read_base_file 260 - -260 -$0.33\n" in told
    assert "findings that came: none" in told


def test_a_file_and_itself_do_not_differ(forebay):
    assert forebay("audit", VERBOSE, VERBOSE).stdout.endswith("\nno difference\n")


def test_more_files_are_totals(forebay):
    answer = forebay("audit", VERBOSE, DENSE, DENSE, "--model", "openai/gpt-5", "--calls-per-day", "100000")
    lines = [squeezed(line) for line in answer.stdout.splitlines()]
    assert f"{DENSE} 890 0.3% 0 0 $111.25 $11.13" in lines
    assert sum(line.startswith("security-review-") for line in lines) == 3


def test_totals_without_a_model_have_no_dollars(forebay):
    assert "$" not in forebay("audit", VERBOSE, DENSE, DENSE).stdout


def test_json_holds_every_row_cost_and_finding(forebay):
    found = documents(forebay("audit", VERBOSE, "--json", "--model", "openai/gpt-5"))
    (prompt,) = found["prompts"]
    assert found["model"]["name"] == "openai/gpt-5"
    assert sum(row["tokens"] for row in prompt["rows"]) + prompt["framing"] == prompt["tokens"]
    assert sum(finding["tokens"] for finding in prompt["findings"]) == prompt["saving"]
    assert prompt["cost"]["day_uncached"] == pytest.approx(prompt["tokens"] * 1.25e-6 * 1000)
    assert found["difference"] is None


def test_json_of_two_files_holds_their_difference(forebay):
    found = documents(forebay("audit", VERBOSE, DENSE, "--json"))
    before, after = found["prompts"]
    change = found["difference"]
    assert change["tokens"] == after["tokens"] - before["tokens"]
    framing = after["framing"] - before["framing"]
    assert sum(row["change"] for row in change["rows"]) + framing == change["tokens"]
    assert (found["model"], change["cost"], change["new"]) == (None, None, [])


def fields(value: Any) -> set[str]:
    if isinstance(value, list):
        return {name for item in value for name in fields(item)}
    if isinstance(value, dict):
        return set(value) | fields(list(value.values()))
    return set()


def test_every_field_of_the_json_stands_in_the_docs(forebay):
    found = documents(forebay("audit", VERBOSE, DENSE, "--json", "--model", "openai/gpt-5"))
    assert sorted(name for name in fields(found) if f"`{name}`" not in page("docs/audit.md")) == []


def test_the_findings_explain_more_than_half_of_what_the_rewrite_saves(forebay):
    found = documents(forebay("audit", VERBOSE, DENSE, "--json"))
    before, after = found["prompts"]
    change = found["difference"]
    assert after["tokens"] * 3 < before["tokens"]
    assert after["findings"] == []
    assert len(change["gone"]) == len(before["findings"])
    assert sum(finding["tokens"] for finding in change["gone"]) == pytest.approx(
        -change["tokens"] * change["explained"]
    )
    assert 0.5 < change["explained"] < 0.7
    assert {finding["kind"] for finding in change["gone"]} == {
        "examples", "schema", "twin tools", "repeated description", "repeated statement", "filler",
    }  # fmt: skip


def test_a_configured_name_brings_its_window_prices_and_factor(forebay):
    found = documents(forebay("audit", DENSE, "--json", "--model", "ours", "--config", "forebay.yaml"))
    (prompt,) = found["prompts"]
    assert prompt["window_share"] == pytest.approx(0.178)
    assert prompt["cost"]["call_uncached"] == pytest.approx(890 * 2 * 3e-6)
    assert (prompt["cost"]["call_cache_write"], prompt["cost"]["day_cached"]) == (None, None)


def test_what_is_unknown_of_a_model_is_told(forebay):
    told = forebay("audit", DENSE, "--model", "plain", "--config", "forebay.yaml").stdout
    assert "model hosted_vllm/qwen: window unknown, prices unknown (state them in a configuration" in told
    assert "token factor 2" in forebay("audit", DENSE, DENSE, "--model", "ours", "--config", "forebay.yaml").stdout


def test_the_catalogue_beats_a_configured_star_and_the_star_takes_the_rest(forebay):
    one = documents(forebay("audit", DENSE, "--json", "--model", "gpt-5", "--config", "forebay.yaml"))
    other = documents(forebay("audit", DENSE, "--json", "--model", "mine", "--config", "forebay.yaml"))
    assert (one["model"]["name"], other["model"]["name"]) == ("openai/gpt-5", "hosted_vllm/mine")


def test_a_long_prompt_lists_its_small_sections_as_one(forebay, cases):
    small = "".join(f"# Part {number}\nRead {number}.\n" for number in range(30))
    (cases / "long.md").write_text(f"{small}# Large\n" + "The crane moves on. " * 200)
    told = squeezed(forebay("audit", "long.md").stdout)
    assert "\n Large " in told
    assert "\n 30 smaller ones " in told


def test_the_smallest_of_many_findings_are_summed_up(forebay, cases):
    words = "abcdefghijklmnopqrst"
    (cases / "many.md").write_text("".join(f"# {letter}\nPlease go to {letter * 4}.\n" for letter in words))
    assert re.search(r"\n +\d+ +in 5 smaller ones; --json lists them\n", forebay("audit", "many.md").stdout)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "forebay audit: the following arguments are required: FILE"),
        (["none.json"], "forebay: none.json: expected a readable file, No such file or directory"),
        ([DENSE, "--calls-per-day", "0"], "argument --calls-per-day: '0' is no number of calls; write a whole number"),
        ([DENSE, "--calls-per-day", "-1"], "argument --calls-per-day: "),
        ([DENSE, "--model", "gtp-5"], "forebay: --model: 'gtp-5' has no known provider"),
        ([DENSE, "--model", "gpt*"], "forebay: --model: 'gpt*' is no model; write provider/model"),
        ([DENSE, "--model", "\n", "--config", "forebay.yaml"], "forebay: --model: '\\n' is neither configured nor"),
        ([DENSE, "--model", "m", "--config", "none.yaml"], "forebay: --config: none.yaml: No such file or directory"),
        ([DENSE, "--model", "m", "--config", "bad.yaml"], "forebay: bad.yaml: models.0: 'm' has no known provider"),
        ([DENSE, "--config", "forebay.yaml"], "forebay: --config: is read for a model's window and prices; name one"),
        ([DENSE, "--windows", "3"], "forebay: '--windows' is not an argument of audit"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(forebay, cases, arguments, told):
    (cases / "bad.yaml").write_text("{auth: {mode: none}, models: [{name: m, upstream: nowhere}]}\n")
    answer = forebay("audit", *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert told in answer.stderr
    assert answer.stderr.count("\n") == 1


def shown_in_the_docs() -> list[tuple[str, str]]:
    found = re.findall(
        r"<!-- audit -->\n```text\n\$ forebay (audit [^\n]+)\n(.*?)```", page("docs/audit.md"), re.DOTALL
    )
    assert found
    return found


@pytest.mark.parametrize(("command", "shown"), shown_in_the_docs())
def test_the_docs_show_what_the_command_prints(forebay, command: str, shown: str):
    printed = forebay(*command.replace("benchmarks/audit/", "").split()).stdout
    assert printed
    for piece in shown.split("...\n"):  # stands on a line of its own where something is left out
        assert piece in printed
