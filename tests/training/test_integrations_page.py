"""The page of integrations keeps its word on Stable-Baselines3."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra sb3: pip install 'stb-env[sb3]'")

from tests.integrations.scripted import page_script


def test_masked_ppo_takes_an_environment_as_it_comes(capsys: pytest.CaptureFixture[str]):
    exec(compile(page_script("sb3"), "docs/integrations.md", "exec"), {})
    assert json.loads(capsys.readouterr().out)["name"]
