"""How long an answer may be that no setting bounds stands in the run's manifest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.runs.manifest_file import settle
from stb_env.show.cli.main import app
from tests.fakes.openai_server import OpenAIServer

WINDOW = {"/agent/v1/models": {"data": [{"id": "tiny", "max_model_len": 4096}]}}
ID = "stb_env.testing.notes:test/Notes-v0"

Play = Callable[..., Any]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Plays episodes of a model whose server tells a window, and returns the manifest."""

    def played(tells: Any, **settings: Any) -> tuple[Any, list[Any]]:
        with OpenAIServer().running() as server:
            server.tells = tells
            lines = {"model": "tiny", "base_url": server.url(), "structured": "text", **settings}
            models = tmp_path / "models.toml"
            said = "\n".join(f"{name} = {json.dumps(value)}" for name, value in lines.items())
            models.write_text(f"[models.agent]\n{said}\n")
            options = ["--agent", f"chat:{models}", "--episodes", "1", "--out", str(tmp_path / "run")]
            done = CliRunner().invoke(app, ["run", ID, *options])
        assert done.exit_code == 0, done.output
        manifest = json.loads((tmp_path / "run" / "manifest.json").read_bytes())
        return manifest, [request.body.get("max_tokens") for request in server.requests]

    return played


def test_a_bound_that_follows_from_the_models_window_stands_in_the_manifest(play: Play) -> None:
    manifest, sent = play(WINDOW)
    assert manifest["answer_bounds"] == {"agent": 1024}
    assert set(sent) == {1024}


@pytest.mark.parametrize(
    ("tells", "settings"),
    [(WINDOW, {"max_tokens": 7}), ({}, {})],
    ids=["a configured bound", "no window is told"],
)
def test_no_other_bound_is_made_up(play: Play, tells: Any, settings: Any) -> None:
    manifest, sent = play(tells, **settings)
    assert "answer_bounds" not in manifest
    assert set(sent) == {settings.get("max_tokens")}


TOLD = {"agent": "chat", "answer_bounds": {"agent": 1024}}


def test_a_run_whose_server_tells_another_window_goes_on_in_another_folder(tmp_path: Path) -> None:
    settle(tmp_path, TOLD, holds_results=False)
    message = (
        r"holds a run with another configuration \(answer_bounds: there \{'agent': 1024\}, "
        r"now \{'agent': 512\}\); use another --out$"
    )
    with pytest.raises(ConfigError, match=message):
        settle(tmp_path, {"agent": "chat", "answer_bounds": {"agent": 512}}, holds_results=True)


@pytest.mark.parametrize("first", [TOLD, {"agent": "chat"}], ids=["told before", "told now"])
def test_a_sitting_that_asks_no_server_forgets_no_bound_and_one_that_asks_adds_it(
    tmp_path: Path, first: dict[str, Any]
) -> None:
    second = {"agent": "chat"} if first is TOLD else TOLD
    settle(tmp_path, first, holds_results=False)
    settle(tmp_path, second, holds_results=True)
    assert json.loads((tmp_path / "manifest.json").read_bytes()) == TOLD
