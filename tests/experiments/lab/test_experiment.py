"""Settings and results of every experiment of the laboratory."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from stb_env.experiments.lab.experiment import Experiment, LabSettings
from stb_env.experiments.lab.registry import load_experiment
from stb_env.show.cli.lab import lab

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def stb_lab(*words: str | Path) -> Any:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command("lab")(lab)
    return CliRunner().invoke(app, [str(word) for word in words])


def example(plot: Any = None) -> Experiment:
    more = Experiment("More", ("n",), ((1,),))
    return Experiment("Rates", ("share", "rate"), ((0.5, None),), ("It fell.",), {"n": 3}, (more,), plot)


def test_a_row_of_another_width_than_the_columns_is_no_plain_data():
    with pytest.raises(ValueError, match="shorter"):
        Experiment("Rates", ("share", "rate"), ((0.5,),)).to_dict()


def test_the_plain_data_names_every_cell_by_its_column():
    assert example().to_dict() == {
        "title": "Rates",
        "columns": ["share", "rate"],
        "rows": [{"share": 0.5, "rate": None}],
        "notes": ["It fell."],
        "details": {"n": 3},
        "further": [{"title": "More", "columns": ["n"], "rows": [{"n": 1}], "notes": []}],
    }


def test_table_and_json_are_written_side_by_side(tmp_path: Path):
    assert example().write(tmp_path / "new", "rates") == []
    assert json.loads((tmp_path / "new/rates.json").read_text()) == example().to_dict()
    assert (tmp_path / "new/rates.md").read_text() == example().table() + "\n"


@pytest.mark.skipif(HAS_MATPLOTLIB, reason="matplotlib is installed, so nothing is left out")
def test_without_matplotlib_one_line_says_how_to_get_the_plot(tmp_path: Path):
    remarks = example(plot=lambda axes: None).write(tmp_path, "rates")
    assert remarks == ['rates.png was not drawn: plots need matplotlib (pip install "stb-env[plots]")']
    assert sorted(file.name for file in tmp_path.iterdir()) == ["rates.json", "rates.md"]


@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="needs the extra plots")
def test_with_matplotlib_a_plot_is_drawn(tmp_path: Path):
    assert example(plot=lambda axes: axes.plot([1, 2])).write(tmp_path, "rates") == []
    assert (tmp_path / "rates.png").read_bytes().startswith(b"\x89PNG")


class Axes:
    """Notes what is drawn on it."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.lengths: set[int] = set()

    def errorbar(self, places: Any, heights: Any, yerr: Any, label: str, **style: Any) -> None:
        assert all(length >= 0 for side in yerr for length in side)
        self.plot(places, heights, label)

    def plot(self, places: Any, heights: Any, label: str, **style: Any) -> None:
        assert len(places) == len(heights)
        self.labels.append(label)
        self.lengths.add(len(places))

    def bar(self, places: Any, heights: Any, width: float, label: str) -> None:
        self.plot(places, heights, label)

    def set(self, **texts: Any) -> None:
        assert texts["ylim"] == (0, 1)

    def set_xticks(self, places: Any, names: Any) -> None:
        assert len(places) == len(names)

    def legend(self) -> None:
        assert len(self.labels) == len(set(self.labels))


@pytest.mark.heavy
@pytest.mark.parametrize(("name", "lines", "points"), [("failures", 4, 2), ("cache", 4, 3), ("status", 3, 3)])
def test_a_plot_shows_every_series(name: str, lines: int, points: int):
    axes = Axes()
    options = {"failures": {"outages": 1, "shares": [0.5]}}.get(name, {})
    plot = load_experiment(name)(LabSettings(episodes=10, options=options)).plot
    assert plot is not None
    plot(axes)
    assert (len(axes.labels), axes.lengths) == (lines, {points})


@pytest.mark.skipif(not HAS_MATPLOTLIB, reason="needs the extra plots")
@pytest.mark.parametrize("name", ["failures", "cache", "status", "diversity", "turing", "judges", "search"])
def test_matplotlib_draws_every_plot(name: str, tmp_path: Path):
    assert load_experiment(name)(LabSettings(episodes=4)).write(tmp_path, name) == []
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_prints_one_json_document_and_nothing_else():
    result = stb_lab("status", "--episodes", "5", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["details"]["apis"] <= 5


def test_the_command_prints_every_table_with_its_notes():
    result = stb_lab("status", "--episodes", "5")
    title = "Status of APIs, answered by the Sandbox with planted flaws (StableToolBench, Table 10)"
    assert title in result.stdout
    assert "Not available because (StableToolBench, Table 11)" in result.stdout
    assert "--out DIR" in result.stderr


def test_the_command_writes_files_where_it_is_given_a_folder(tmp_path: Path):
    assert stb_lab("status", "--episodes", "5", "--out", tmp_path).exit_code == 0
    assert {"status.json", "status.md"} <= {file.name for file in tmp_path.iterdir()}


def test_an_unknown_experiment_is_bad_use():
    result = stb_lab("failure")
    assert result.exit_code == 2
    assert "Did you mean 'failures'?" in result.stderr
