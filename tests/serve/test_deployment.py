"""The container files say what the command understands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.show.cli.main import app
from tests.conftest import ROOT

FOLDER = ROOT / "examples" / "serve"


@pytest.fixture
def compose() -> Any:
    yaml = pytest.importorskip("yaml", reason="the compose file is YAML")
    return yaml.safe_load((FOLDER / "compose.yaml").read_text())


def entry_point() -> list[str]:
    lines = (FOLDER / "Dockerfile").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("ENTRYPOINT")]
    return list(json.loads(line.removeprefix("ENTRYPOINT")))


def test_the_container_runs_a_command_that_there_is_with_options_that_it_has(compose):
    words = [*entry_point()[1:], *compose["services"]["server"]["command"]]
    told = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"}).output
    assert words[0] == "serve"
    assert all(word in told for word in words if word.startswith("--"))


def test_the_container_does_not_start_without_a_token():
    done = CliRunner().invoke(app, entry_point()[1:], env={"STB_TOKEN": ""})
    assert done.exit_code == 2
    assert "the environment variable STB_TOKEN holds no token" in done.stderr


def test_the_compose_file_builds_from_the_package_and_stops_after_the_server_does(compose):
    server = compose["services"]["server"]
    assert (FOLDER / server["build"]["context"]).resolve() == ROOT
    assert (ROOT / server["build"]["dockerfile"]).is_file()
    assert int(server["stop_grace_period"].removesuffix("s")) > 30
