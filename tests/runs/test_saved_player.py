"""Who played a saved run, and how many episodes it should have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import DataError
from stb_env.runs.saved_player import planned_episodes, player_of

PLACE = Path("offline", "alpha-agent", "Sandbox")


def saved(folder: Path, **manifest: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def test_a_run_of_an_evaluation_has_the_name_and_the_episodes_that_the_evaluation_planned(tmp_path: Path):
    saved(tmp_path, cells={PLACE.as_posix(): {"player": "alpha agent", "episodes": 7}})
    run = saved(tmp_path / PLACE, agent="chat", episodes=3)
    assert (player_of(run).name, player_of(run).planned) == ("alpha agent", 7)


def test_a_run_in_no_evaluation_has_what_its_own_manifest_says(tmp_path: Path):
    saved(tmp_path, cells={"offline/another/Sandbox": {"player": "alpha agent", "episodes": 7}})
    run = saved(tmp_path / PLACE, agent="chat", agent_settings={"model": "tiny"}, episodes=3, trials=2)
    assert (player_of(run).name, planned_episodes(run)) == ("chat tiny", 6)


def test_episodes_that_were_chosen_count_and_a_summary_counts_before_them(tmp_path: Path):
    run = saved(tmp_path / "run", only=["a", "b"], episodes=9)
    assert planned_episodes(run) == 2
    (run / "summary.json").write_text('{"planned": 5}', encoding="utf-8")
    assert planned_episodes(run) == 5
    (run / "summary.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"summary\.json is no JSON object"):
        planned_episodes(run)
