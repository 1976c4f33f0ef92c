"""``stb-env run --ray``: what is refused before anything is played."""

from __future__ import annotations

import importlib.util
import re

import pytest
from typer.testing import CliRunner

from stb_env.cli.main import app

HAS_RAY = importlib.util.find_spec("ray") is not None


def error(*words: str) -> str:
    result = CliRunner().invoke(app, ["run", "stb/Sandbox-v0", "--episodes", "1", *words])
    assert result.exit_code == 2, result.output
    return result.stderr.splitlines()[-1]


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed here; tests/rollout/cluster/test_ray.py plays on it")
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
