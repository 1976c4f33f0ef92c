"""What a notebook shows, in a real Jupyter kernel: episodes as HTML, and a bar while a batch is played."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("nbclient", reason="a notebook is run by nbclient")
pytest.importorskip("ipykernel", reason="a notebook needs ipykernel")
pytest.importorskip("ipywidgets", reason="a bar in a notebook needs ipywidgets")

import nbformat
from nbclient import NotebookClient

SETUP = """
from stb_env import load_agent, plan, play, run_batch
from stb_env.runs import arun_batch
from stb_env.testing.notes import notes
jobs = plan(notes().tasks, episodes=None)
"""
CELLS = (
    SETUP,
    "play(notes(), load_agent('gold')(), task_id='day', seed=0)",
    "env = notes(render_mode='html'); env.reset(seed=0); env.render()",
    "played = run_batch(notes, load_agent('gold'), jobs, progress=True)",
    "played = await arun_batch(notes, load_agent('gold'), jobs, progress=True); len(played)",
)


@pytest.fixture(scope="module")
def cells() -> Any:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client = NotebookClient(notebook, timeout=60, kernel_name="python3")
    client.execute()
    return notebook.cells


def html(cell: Any) -> str:
    return "".join(output.data.get("text/html", "") for output in cell.outputs if "data" in output)


def test_a_trajectory_is_shown_as_a_table(cells: Any):
    assert "<table" in html(cells[1])
    assert "solved, score 1, by exact" in html(cells[1])


def test_what_an_environment_renders_is_shown_as_a_table(cells: Any):
    assert "<table" in html(cells[2])


@pytest.mark.parametrize("number", [3, 4])
def test_a_batch_shows_one_bar(cells: Any, number: int):
    kinds = [kind for output in cells[number].outputs for kind in output.get("data", {})]
    assert kinds.count("application/vnd.jupyter.widget-view+json") == 1
    assert [output for output in cells[number].outputs if output.output_type == "error"] == []
