"""Worlds of a kit of an author's own, whose file an environment is given."""

from __future__ import annotations

import pickle
from importlib.resources import files
from pathlib import Path

import pytest

import stb_env
from stb_env import load_agent, play
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.suites.worlds.schema.kit import KITS, OWN_KITS
from stb_env.suites.worlds.tasks.making import task_of
from tests.command import error_of, stb

SCAFFOLD = files("stb_env.suites.worlds.authoring").joinpath("scaffold.toml").read_text("utf-8")


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    path = tmp_path / "shed.toml"
    path.write_text(SCAFFOLD, "utf-8")
    return path


def made(kit: Path | str, **settings: object) -> ToolEnv:
    env = stb_env.make("stb/Worlds-v0", kit=str(kit), level=1, **settings)
    assert isinstance(env, ToolEnv)
    return env


def test_gold_plays_a_kit_of_ones_own_and_noop_does_not(kit: Path) -> None:
    env = made(kit)
    tasks = [env.tasks.at(index).id for index in range(4)]
    assert all(task.startswith("tool_library_k") for task in tasks)
    scores = {
        name: [play(env, load_agent(name)(), task_id=task, seed=0).reward for task in tasks]
        for name in ("gold", "noop")
    }
    assert scores == {"gold": [1.0] * 4, "noop": [0.0] * 4}


def test_a_circle_of_days_is_told_by_the_check(kit: Path) -> None:
    kit.write_text(SCAFFOLD.replace('after = "taken"', 'after = "due"'), "utf-8")
    done = stb("worlds", "check", kit)
    assert done.exit_code == 1
    assert "go in a circle" in " ".join(done.stdout.replace("│", "").split())
    assert (
        "go in a circle"
        in stb("run", "stb/Worlds-v0", "--agent", "gold", "--set", f"kit={kit}", "--out", kit.parent).stderr
    )


def test_ids_tell_what_the_file_says(kit: Path) -> None:
    first = made(kit).tasks
    kit.write_text(SCAFFOLD + "# another text\n", "utf-8")
    second = made(kit).tasks
    assert first.at(0).id != second.at(0).id
    assert first.hash != second.hash


def test_a_copy_of_a_kit_that_ships_has_tasks_of_its_own(tmp_path: Path) -> None:
    copy = tmp_path / "vet_clinic.toml"
    copy.write_bytes((KITS / "vet_clinic.toml").read_bytes())
    assert made(copy).tasks.at(0).id.startswith("vet_clinic_k")
    assert made(copy).tasks.hash != made("vet_clinic").tasks.hash


def test_an_own_kit_goes_with_an_environment_to_another_process(kit: Path) -> None:
    env = made(kit)
    task, saved = env.tasks.at(0), pickle.dumps(env)
    OWN_KITS.pop(task.id.partition("-")[0])
    kit.unlink()
    again = pickle.loads(saved)
    assert play(again, load_agent("gold")(), task_id=task.id, seed=0).reward == 1.0


@pytest.mark.heavy
def test_an_own_kit_is_joined_with_others(kit: Path) -> None:
    task = made(kit, services=3).tasks.at(0)
    assert "+" in task.id
    assert "tool_library_k" in task.id
    assert play(made(kit), load_agent("gold")(), task_id=task.id, seed=0).reward == 1.0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('to = "tool"', 'to = "device"', r"kit .*shed\.toml has faults.*\n.*there is no entity 'device'"),
        ("rows = ", "rows = 3 # ", r"kit .*shed\.toml breaks the schema of kits:\n  entities\."),
        ('name = "tool_library"', "name = ", r"kit .*shed\.toml: "),
    ],
)
def test_a_kit_with_faults_is_refused_with_each_of_them(kit: Path, old: str, new: str, message: str) -> None:
    kit.write_text(SCAFFOLD.replace(old, new), "utf-8")
    with pytest.raises(DataError, match=message):
        made(kit)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: No such file.*give the file of a kit or the name of"):
        made(tmp_path / "gone.toml")


def test_a_task_of_an_own_kit_that_was_not_read_says_what_to_do(kit: Path) -> None:
    task = made(kit).tasks.at(0).id
    name = task.partition("-")[0]
    OWN_KITS.pop(name)
    with pytest.raises(DataError, match=rf"make the environment with kit=FILE, .* {name}$"):
        task_of(task.replace("10000", "10001"))


def test_a_run_of_an_own_kit_is_not_gone_on_with_when_the_kit_has_changed(kit: Path, tmp_path: Path) -> None:
    command = ["run", "stb/Worlds-v0", "--agent", "gold", "--episodes", "1", "--set", f"kit={kit}"]
    command += ["--out", str(tmp_path / "out")]
    assert stb(*command).exit_code == 0
    kit.write_text(SCAFFOLD + "# another text\n", "utf-8")
    again = stb(*command)
    assert again.exit_code == 2
    assert "tasks: there" in error_of(again)
