"""The page of measured tables: it is written by its script, with the commands that it shows."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from stb_env.experiments.lab.registry import EXPERIMENTS

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("laboratory", DOCS / "laboratory.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_shows_every_command_and_claim_of_its_script(script):
    page = (DOCS / "laboratory.md").read_text(encoding="utf-8")
    for section in script.SECTIONS:
        assert f"## {section.title}\n" in page
        assert f"```sh\n{section.command}\n```" in page
        entry = EXPERIMENTS[section.words[0]]
        assert str(entry.with_data if "--data" in section.words else entry.about) in page
    assert all(f"| {claim} |" in page for claim, *_ in script.CLAIMS)


def test_a_section_is_the_experiments_first_table_under_its_command(script, tmp_path):
    section = script.Section("Status", ("status", "--episodes", "3"), "What they answer.")
    folder = script.play(section, "", tmp_path / "out")
    (text,) = script.shown(section, folder)
    assert text.startswith(
        "## Status\n\nWhat they answer.\n\n```sh\nstb-env lab status --episodes 3\n```\n\n"
    )
    assert f"\n\n{EXPERIMENTS['status'].about}\n\n| " in text


def test_columns_whose_cells_are_equal_stand_below_the_table(script):
    table = "| a | b  |\n| - | -- |\n| 1 | 20 |\n| 2 | 20 |"
    assert script.shortened(table) == "| a |\n| --- |\n| 1 |\n| 2 |\n\nIn all rows: b 20."
    assert script.shortened("| a |\n| - |\n| 1 |\n| 2 |") == "| a |\n| --- |\n| 1 |\n| 2 |"
