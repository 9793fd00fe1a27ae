"""What is written beside the table: JSON, the picture's data, the progress bar, the words that define it all."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from proxy.replay import plot
from proxy.replay.as_json import as_json
from proxy.replay.glossary import DEFINITIONS, explained
from proxy.replay.plot import Panel, draw, need_matplotlib, panels
from proxy.replay.progress import Progress
from proxy.settings import ConfigError
from tests.replay.replay_builders import recall, replayed, row, setup

DOCS = Path(__file__).parents[2] / "docs" / "replay.md"


def test_the_json_holds_figures_by_regime_and_every_request():
    session = replayed(row(100, 50, evidence=recall(4, 3)), row(100, None), name="yard", mends=("m",))
    document = json.loads(json.dumps(as_json([session], setup())))
    assert (document["policy"], document["window"], document["prices"]) == ("default", 272_000, "1.25/0.1")
    assert document["total"].keys() == {"1.25/0.1", "1/0.1", "1/1"}
    figures = document["total"]["1/1"]
    assert (figures["cost_ratio"], figures["brakes"], figures["evidence"]["in_context_share"]) == (0.5, 1, 0.75)
    [told] = document["sessions"]
    assert (told["name"], told["mends"], len(told["requests"])) == ("yard", ["m"], 2)
    assert [request["brake"] for request in told["requests"]] == [False, True]
    assert told["requests"][0]["forwarded"] == {"tokens": 50, "cached": 0, "broke": False}


def test_a_ratio_of_nothing_is_null():
    document = as_json([replayed(row(9, None))], setup())
    assert document["total"]["1/1"]["cost_ratio"] is None
    json.dumps(document, allow_nan=False)


def test_a_panel_follows_the_forwarded_requests():
    rows = (row(100, 80), row(500, None), row(100, 40, cached=(100, 40), new_batches=("cost",)))
    [panel] = panels([replayed(*rows, name="yard")])
    assert panel == Panel(
        title="yard",
        requests=(1, 3),
        untouched_tokens=(100, 100),
        forwarded_tokens=(80, 40),
        untouched_cost=(125.0, 135.0),
        forwarded_cost=(100.0, 104.0),
        batches=(3,),
    )


def test_of_many_sessions_the_largest_are_drawn_in_the_order_given():
    sizes = [5, 90, 10, 80, 20, 70, 30, 60]
    drawn = panels([replayed(row(size, size), name=str(size)) for size in sizes])
    assert [panel.title for panel in drawn] == ["90", "80", "20", "70", "30", "60"]


def test_without_matplotlib_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"^--plot: needs matplotlib, .*; pip install 'forebay\[plot\]'$"):
        need_matplotlib()


def test_the_picture_is_a_png(tmp_path: Path):
    pytest.importorskip("matplotlib", reason="the extra 'plot' is not installed")
    draw(panels([replayed(row(100, 80), row(100, 40, new_batches=("cost",)))]), tmp_path / "p.png")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_counts_up_on_a_terminal_and_is_wiped_out():
    screen = Terminal()
    with Progress(screen, 2) as progress:
        progress.done("one")
        assert "[############............] 1/2 sessions  one" in screen.getvalue()
        progress.done("two")
    assert screen.getvalue().endswith("2/2 sessions  two\r\x1b[K")


def test_there_is_no_bar_anywhere_else():
    file = io.StringIO()
    with Progress(file, 1) as progress:
        progress.done("one")
    assert file.getvalue() == ""


def test_every_figure_is_defined_in_the_help_and_the_documentation():
    documented = DOCS.read_text(encoding="utf-8")
    for name, definition in DEFINITIONS.items():
        assert f"\n  {name}\n" in f"\n{explained()}"
        assert f"| **{name}** | {definition} |\n" in documented
