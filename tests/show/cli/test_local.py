"""``--local`` on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.show.cli.main import app
from tests.fakes.llama_cpp import LlamaCpp, completion


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    library = LlamaCpp(reply=completion("I do not know."))
    monkeypatch.setitem(sys.modules, "xllamacpp", library.module())
    file = tmp_path / "weights" / "m.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF and the rest")
    return file


@pytest.mark.parametrize("env_id", ["stb/Sandbox-v1", "stb/OpenWeather-v1", "stb/APIBankCall-v1"])
def test_weights_play_without_a_server_and_the_run_holds_no_path_of_them(weights, tmp_path, env_id):
    out = tmp_path / "run"
    words = ["run", env_id, "--agent", "chat", "--local", weights, "--episodes", 1, "--out", out, "--json"]
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert (done.exit_code, json.loads(done.stdout or "{}").get("invalid")) == (0, 0), done.output
    assert json.loads((out / "manifest.json").read_text())["agent_settings"]["model"] == "m.gguf"
    assert str(weights.parent) not in "".join(file.read_text() for file in out.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--local", "m.gguf"], "--local is for an agent with a model, not gold; add --agent chat"),
        (
            ["--agent", "chat", "--local", "models.toml"],
            "--local takes a GGUF file, got models.toml; a models file goes to --models",
        ),
    ],
)
def test_what_weights_cannot_play_is_said(words: list[str], message: str):
    done = CliRunner().invoke(app, ["run", "stb/Sandbox-v1", *words])
    assert (done.exit_code, done.stderr.strip()) == (2, f"error: {message}")
