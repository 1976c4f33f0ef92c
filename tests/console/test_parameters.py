"""Options that are declared once are options of every command that takes them, with their bounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import stb

PLAN = """
[eval]
groups = ["stb/I1Instruction-v0"]
episodes = 1
mode = "live"
[[agent]]
name = "give_up"
"""


@pytest.mark.parametrize(
    "words",
    [
        ("run", "stb/Sandbox-v1", "--episodes", 0),
        ("run", "stb/Sandbox-v1", "--episodes", 1, "--concurrency", 0),
        ("run", "stb/Sandbox-v1", "--episodes", 1, "--stop-after", -1),
        ("run", "stb/Sandbox-v1", "--episodes", 1, "--ray", "local", "--workers", 0),
        ("validate", "stb/Sandbox-v1", "--retrieve", 0),
    ],
)
def test_a_value_below_its_bound_is_refused(words: tuple[object, ...]):
    done = stb(*words)
    assert done.exit_code == 2
    assert f"Invalid value for '{words[-2]}'" in " ".join(done.output.split())


def test_what_a_command_is_given_takes_the_place_of_the_plan_s(tmp_path: Path):
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(PLAN, encoding="utf-8")
    done = stb("eval", plan, "--out", out, "--mode", "offline", "--judge", "heuristic", "--json")
    assert done.exit_code == 0, done.output
    written = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["plan"]
    assert (written["mode"], written["judge"]) == ("offline", "heuristic")
    assert stb("eval", plan, "--out", tmp_path / "other", "--mode", "offlin").exit_code == 2
