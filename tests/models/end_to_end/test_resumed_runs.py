"""Recording runs that are resumed, and what their manifests say of the models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import error
from tests.models.end_to_end.services import Services, diligent, simulating


@pytest.fixture
def models(willing: Services, tmp_path: Path) -> Path:
    return willing.models(tmp_path / "models.toml", agent={"retries": 1})


def test_a_recording_run_goes_on_where_it_stopped(models: Path, play: Callable[..., Any], tmp_path: Path):
    done, first = play(models)
    assert done.exit_code == 0
    lines = tmp_path / "run" / "trajectories.jsonl"
    lines.write_bytes(lines.read_bytes().split(b"\n")[0] + b"\n")
    again, second = play(models)
    assert (again.exit_code, again.stderr) == (0, "")
    assert [t.key for t in second] == [t.key for t in first]


def test_the_manifest_names_every_model_and_no_path(models: Path, play: Callable[..., Any], tmp_path: Path):
    play(models)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["agent"] == "chat"
    assert "agent-model" in json.dumps(manifest["agent_settings"])
    assert "simulator-model" in json.dumps(manifest["backend"])
    assert "judge-model" in json.dumps(manifest["judge_settings"])
    assert str(tmp_path) not in json.dumps(manifest)


def test_resuming_with_another_agent_model_is_refused(models: Path, play: Callable[..., Any]):
    play(models)
    models.write_text(
        models.read_text(encoding="utf-8").replace("agent-model", "other-model"), encoding="utf-8"
    )
    done, _ = play(models)
    assert done.exit_code == 2
    assert "agent_settings" in done.stderr


def test_a_conversation_that_the_agent_left_unfinished_is_kept(
    services: Services, play: Callable[..., Any], tmp_path: Path
):
    services.simulator.always(simulating)
    services.agent.script(diligent(1))
    services.agent.always(error("overloaded", 503))
    _, (unfinished, *_) = play(services.models(tmp_path / "models.toml", agent={"retries": 1}))
    assert (unfinished.valid, len(unfinished.steps)) == (False, 1)
    assert [message["role"] for message in unfinished.messages] == ["system", "user", "assistant", "tool"]
