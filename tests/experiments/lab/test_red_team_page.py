"""docs/trust.md has every environment and cheat, and its figures are those of the command."""

from __future__ import annotations

import json
import re

import pytest

from stb_env.errors import ConfigError
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.red_team import _variants, run
from stb_env.runs.make import env_ids
from stb_env.testing.red_team import RED_TEAM
from tests.conftest import ROOT

ANEW = "write its table anew, from the head of: stb-env lab red-team --episodes 40"
PAGE = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
SAMPLE = "stb/CatAPI-v1"
"""A fast one that is played without official data."""


def row(page: str, label: str) -> list[str]:
    """Return the cells of an environment in the table of the worst cheats."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    return next(cells for cells in rows if cells[0] == label)


def test_the_page_has_every_environment_and_every_cheat():
    assert [env_id for env_id in env_ids() if env_id.startswith("stb/") and env_id not in PAGE] == [], ANEW
    assert [cheat for cheat in RED_TEAM if f"`{cheat}`" not in PAGE] == []


def test_a_sample_of_the_page_is_what_the_command_prints():
    tasks = int(re.search(r"on up to (\d+) tasks", PAGE)[1])
    printed = run(LabSettings(episodes=tasks, options={"ids": [SAMPLE]})).table()
    assert row(printed, SAMPLE) == row(PAGE, SAMPLE), ANEW


def test_an_environment_that_lets_judge_and_form_of_answers_be_chosen_is_played_under_each():
    labels = [row[0] for row in run(LabSettings(episodes=1, options={"ids": "stb/Sandbox-v1"})).rows]
    assert labels == [f"stb/Sandbox-v1{chosen}" for chosen in ("", " (text)", " (text, heuristic)")]


@pytest.mark.parametrize("env_id", ["stb/Tools-v0", "stb/Worlds-v0", "stb/WorldsHard-v0"])
def test_no_row_is_under_a_judge_of_text_where_answers_have_none(env_id: str):
    assert list(_variants(LabSettings(), env_id)) == [{}]
    assert f"{env_id} (heuristic)" not in PAGE


def test_a_named_judge_takes_the_place_of_the_environments_own():
    options = {"ids": SAMPLE, "judge": "heuristic"}
    assert [row[0] for row in run(LabSettings(episodes=1, options=options)).rows] == [f"{SAMPLE} (heuristic)"]


def test_data_without_ids_is_refused():
    with pytest.raises(ConfigError, match=r"^data belongs to ids: give them with --set ids="):
        run(LabSettings(options={"data": "somewhere"}))


def test_an_environment_that_the_data_lacks_is_left_out_and_named(tmp_path):
    record = {"query_id": 1, "query": "Hm?", "api_list": []}
    folder = tmp_path / "test_instruction"
    folder.mkdir()
    (folder / "G1_instruction.json").write_text(json.dumps([record]))
    options = {"ids": ["stb/I3Instruction-v0"], "stabletoolbench": str(tmp_path)}
    found = run(LabSettings(episodes=1, options=options))
    assert (found.rows, found.details["lacking"]) == ((), ["stb/I3Instruction-v0"])
    assert "Left out, since the given data lacks them: stb/I3Instruction-v0." in found.table()
