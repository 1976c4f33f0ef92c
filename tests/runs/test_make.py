"""Environments by id: what every one of them can be given."""

from __future__ import annotations

from pathlib import Path

import pytest

from stb_env.errors import ConfigError
from stb_env.runs.make import env_ids, make_env


@pytest.mark.parametrize("env_id", env_ids())
def test_every_environment_can_be_given_a_models_file_whether_or_not_it_asks_a_model(
    env_id: str, tmp_path: Path
):
    models = tmp_path / "models.toml"
    models.write_text('[models.agent]\nmodel = "tiny"\nbase_url = "http://127.0.0.1:9/v1"\n')
    with make_env(env_id, {"models": str(models)}) as env:
        assert env.tasks.at(0).id


@pytest.mark.parametrize("env_id", env_ids())
def test_every_environment_takes_the_mode_of_its_rewards(env_id: str):
    with make_env(env_id, {"reward": "partial"}) as env:
        assert env.rules.reward == "partial"
    with pytest.raises(ConfigError, match=r"^reward must be .*'sparse', 'partial' or 'dense', got 'parts'"):
        make_env(env_id, {"reward": "parts"})


def test_a_setting_that_is_near_the_models_file_is_still_refused():
    with pytest.raises(ConfigError, match=r"^stb/HomeSearch-v1 has no setting 'model'; it takes split, "):
        make_env("stb/HomeSearch-v1", {"model": "models.toml"})
