"""``stb-env run --ray``: what is refused before anything is played."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.show.cli.main import app

HAS_RAY = importlib.util.find_spec("ray") is not None


def error(*words: str) -> str:
    result = CliRunner().invoke(app, ["run", "stb/Sandbox-v1", "--episodes", "1", *words])
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed here; tests/runs/cluster/test_ray.py plays on it")
def test_without_ray_the_extra_is_named():
    assert error("--ray", "local") == "error: a cluster needs Ray: pip install 'stb-env[ray]'"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "2"), "--workers says how many processes of a cluster play; add --ray local"),
        (("--ray", ""), "a cluster has an address, .*; got ''"),
        (("--ray", "local", "--local", "a.gguf"), "--local plays a model in this process; on a cluster, .*"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: tuple[str, ...], said: str):
    assert re.fullmatch(f"error: {said}", error(*words))


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ray's folder, which says nothing, on a machine where no Ray runs."""
    services = pytest.importorskip("ray._private.services", reason="needs Ray: pip install 'stb-env[ray]'")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    # Others may run a Ray on this machine, which auto would join.
    monkeypatch.setattr(services, "find_gcs_addresses", set)
    (tmp_path / "ray").mkdir()
    return tmp_path / "ray"


def test_a_dead_cluster_that_ray_s_own_file_names_is_said_at_once(nowhere: Path):
    (nowhere / "ray_current_cluster").write_text("127.0.0.1:1")
    said = r"error: auto goes where Ray's file ray_current_cluster says, and no cluster answers at '127\.0\."
    assert re.match(said, error("--ray", "auto"))


def test_a_dead_cluster_that_the_environment_names_is_said_at_once(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    said = r"error: auto goes where RAY_ADDRESS says, and no cluster answers at '127\.0\.0\.1:1' \("
    assert re.match(said, error("--ray", "auto"))


@pytest.mark.usefixtures("nowhere")
def test_auto_without_any_cluster_says_how_to_get_one():
    said = (
        "error: auto finds no cluster on this machine; start one with `ray start --head`, set RAY_ADDRESS to"
    )
    assert error("--ray", "auto").startswith(said)
