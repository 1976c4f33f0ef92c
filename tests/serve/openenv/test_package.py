"""``stb-env serve ID --openenv-package DIR``."""

from __future__ import annotations

import yaml
from typer.testing import CliRunner

from stb_env.show.cli import app

SANDBOX = "stb/Sandbox-v1"


def invoked(*arguments: str):
    return CliRunner().invoke(app, ["serve", *arguments])


def test_the_folder_names_the_environment_wherever_it_must(tmp_path):
    done = invoked(SANDBOX, "--openenv-package", str(tmp_path / "box"))
    assert done.exit_code == 0
    described = yaml.safe_load((tmp_path / "box/openenv.yaml").read_text())
    assert (described["name"], described["app"]) == ("stb_sandbox_v1", "server.app:app")
    assert f'environment_app("{SANDBOX}"' in (tmp_path / "box/server/app.py").read_text()
    assert sorted(done.stdout.split()) == sorted(
        str(file) for file in (tmp_path / "box").rglob("*") if file.is_file() and file.stat().st_size
    )


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    done = invoked(SANDBOX, "--openenv-package", str(tmp_path))
    assert (done.exit_code, [file.name for file in tmp_path.iterdir()]) == (2, ["mine"])
    assert done.stderr == f"error: {tmp_path} is there already; give a folder that is empty or new\n"


def test_it_packs_one_environment(tmp_path):
    done = invoked("--openenv-package", str(tmp_path))
    assert done.stderr == "error: --openenv-package packs one environment; give one id, got 0\n"
