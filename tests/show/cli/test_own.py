"""Environments, judges and simulators of other people's on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.show.cli.main import app
from tests.saved import unbind

pytestmark = pytest.mark.usefixtures("forgotten")

JUDGES = '''
def strict(case):
    return case.final_answer == "never"

def knows(case):
    """Look at what only the task says."""
    return bool(case.task.gold), f"{len(case.task.gold)} gold calls"

def broken(case):
    raise RuntimeError(case.final_answer)

class Level:
    def __init__(self, score):
        self.score = score

    async def judge(self, case):
        return self.score
'''
SIMULATOR = "async def simulate(tool, arguments):\n    return {'simulated': tool.name}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "judges.py").write_text(JUDGES)
    (tmp_path / "apis.py").write_text(SIMULATOR)
    (tmp_path / "my_judges.py").write_text(JUDGES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def command(*words: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, [*words, *(["--json"] if not code else [])])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout) if not code else done.stderr


def manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


@pytest.mark.parametrize("env_id", ["stb/Sandbox-v1", "stb/I1Tool-v0", "stb/OpenWeather-v1"])
@pytest.mark.parametrize("judge", ["judges.py:strict", "my_judges:strict"])
def test_a_run_is_judged_by_your_own(place: Path, env_id: str, judge: str):
    out = str(place / "run")
    summary = command("run", env_id, "--episodes", "2", "--judge", judge, "--out", out)
    assert (summary["solved"], summary["judges"]) == (0, ["strict"])
    written = manifest(place / "run")
    assert (written["judge"], written["judge_settings"]["source"][:7]) == ("strict", "strict@")


def test_settings_of_a_judge_are_in_the_manifest(place: Path):
    out = str(place / "run")
    summary = command(
        "run", "stb/Sandbox-v1", "--episodes", "2", "--judge", "judges.py:Level(score=0.5)", "--out", out
    )
    assert summary["mean"] == 0.5
    assert manifest(place / "run")["judge_settings"]["settings"] == {"score": 0.5}


def test_another_version_of_a_judge_does_not_go_on_with_a_run(place: Path):
    words = (
        "run",
        "stb/Sandbox-v1",
        "--episodes",
        "1",
        "--judge",
        "judges.py:strict",
        "--out",
        str(place / "run"),
    )
    command(*words)
    (place / "judges.py").write_text(JUDGES + "\n# changed\n")
    assert "judge_settings: there" in command(*words, code=2)


def test_a_saved_run_is_judged_by_your_own_which_sees_the_tasks(place: Path):
    out = str(place / "run")
    command("run", "stb/Sandbox-v1", "--episodes", "3", "--out", out)
    judged = command("judge", out, "--judge", "judges.py:knows")
    assert (judged["judged"], judged["solved"], judged["judge"]) == (3, 3, "knows")
    assert (place / "run" / "verdicts-knows.jsonl").is_file()


def test_a_judge_sees_query_and_tools_alone_where_the_tasks_are_gone(place: Path):
    out = place / "run"
    command("run", "stb/Sandbox-v1", "--episodes", "3", "--out", str(out))
    written = manifest(out)
    unbind(out)
    (out / "manifest.json").write_text(json.dumps(written | {"tasks": "others"}))
    done = CliRunner().invoke(app, ["judge", str(out), "--judge", "judges.py:knows", "--json"])
    assert json.loads(done.stdout)["unsolved"] == 3
    assert "knows sees the query and tools of each episode alone" in " ".join(done.stderr.split())


def test_a_judge_that_breaks_leaves_episodes_without_a_verdict(place: Path):
    out = str(place / "run")
    command("run", "stb/Sandbox-v1", "--episodes", "2", "--out", out)
    done = CliRunner().invoke(app, ["judge", out, "--judge", "judges.py:broken", "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["failed"] == 2


def test_validation_takes_your_own_judge(place: Path):
    done = CliRunner().invoke(
        app, ["validate", "stb/Sandbox-v1", "--seeds", "2", "--judge", "judges.py:strict"]
    )
    assert done.exit_code == 1
    assert "0 of 2 reach the" in done.stdout


@pytest.mark.parametrize("group", ["stb/Sandbox-v1", "stb/I1Tool-v0"])
def test_an_evaluation_is_judged_by_your_own_in_every_group(place: Path, group: str):
    head = f'[eval]\ngroups = ["{group}"]\nepisodes = 2\njudge = "judges.py:Level(score=0.5)"\n'
    (place / "plan.toml").write_text(head + '[[agent]]\nname = "gold"\n')
    report = command("eval", "plan.toml", "--out", "out")
    assert [row["mean"] for row in report["averages"]] == [0.5]


def test_an_evaluation_of_a_file_stays_in_its_folder(place: Path):
    (place / "todo.py").write_text(
        "import stb_env\n"
        "def count() -> int:\n"
        "    'Count.'\n"
        "    return 3\n"
        "SUITE = stb_env.environment('t/Eval-v0', tools=[count],\n"
        "                            tasks=[stb_env.task('How many?', gold='count()', answer=3)])\n"
    )
    (place / "plan.toml").write_text(
        f'[eval]\ngroups = ["{place / "todo.py"}:t/Eval-v0"]\n[[agent]]\nname = "gold"\n'
    )
    report = command("eval", "plan.toml", "--out", "out")
    assert report["averages"][0]["mean"] == 1.0
    assert (place / "out" / "offline" / "gold" / "t-Eval" / "trajectories.jsonl").is_file()


TOGETHER = """
import asyncio
import json

from stb_env.runs import Agent

class Together(Agent):
    name = "together"
    both = asyncio.Barrier(2)

    async def act(self, observation, info):
        if observation["turn"]:
            return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        await self.both.wait()
        tool = json.loads(observation["tools"])[0]["function"]
        return {"name": tool["name"], "arguments": dict.fromkeys(tool["parameters"]["required"], "x")}
"""
COUNTED = """
import asyncio

async def simulate(tool, arguments):
    with open("asked", "a") as file:
        file.write(tool.name + "\\n")
    for _ in range(99):
        await asyncio.sleep(0)
    return {"simulated": tool.name}
"""


def test_episodes_that_ask_the_same_at_the_same_time_pay_their_own_simulator_once(place: Path):
    (place / "together.py").write_text(TOGETHER)
    (place / "counted.py").write_text(COUNTED)
    words = ("run", "stb/I1Tool-v0", "--episodes", "1", "--trials", "2", "--concurrency", "2")
    words += ("--agent", "together.py:Together", "--simulator", "counted.py:simulate", "--judge", "heuristic")
    summary = command(
        *words, "--mode", "record", "--cache", str(place / "cache"), "--out", str(place / "run")
    )
    assert summary["sources"] == {"cache (simulated)": 1, "simulator": 1}
    assert len((place / "asked").read_text().splitlines()) == 1


@pytest.mark.parametrize("simulator", ["apis.py:simulate", "apis:simulate"])
def test_a_run_is_simulated_by_your_own(place: Path, simulator: str):
    words = ("--mode", "live", "--simulator", simulator, "--judge", "heuristic", "--out", str(place / "run"))
    summary = command("run", "stb/I1Tool-v0", "--episodes", "1", *words)
    assert list(summary["sources"]) == ["simulator"]
    assert manifest(place / "run")["backend"]["simulator"]["simulator"].startswith("simulate@")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("run", "stb/Sandbox-v1", "--judge", "judges.py:strikt"),
            "judges.py defines no 'strikt'. Did you mean 'st",
        ),
        (
            ("run", "stb/Sandbox-v1", "--judge", "nowhere.py:x"),
            "nowhere.py does not exist; give the path of a Pyt",
        ),
        (("run", "stb/Sandbox-v1", "--simulator", "apis.py:simulate"), "has no setting 'simulator'"),
        (
            ("run", "stb/I1Tool-v0", "--simulator", "apis.py:simulate"),
            "asked in the modes live and record alone",
        ),
        (
            ("run", "judges.py:my/Todo-v0"),
            "unknown environment 'my/Todo-v0' in judges.py; `stb-env list` shows",
        ),
        (("new", "json"), "'json' is a module of Python itself; take another name"),
        (("new", "my todo"), "named by letters, digits and single dashes, such as my-todo, got 'my todo'"),
        (("new", "todo", "--out", "."), ". is there already and not empty; name another folder with --out"),
    ],
)
def test_bad_use_says_what_to_do(place: Path, words: tuple[str, ...], message: str):
    assert message in command(*words, code=2)


def test_new_writes_a_package_that_plays_as_it_is(place: Path, monkeypatch: pytest.MonkeyPatch):
    report = command("new", "shopping-list", "--out", "written")
    assert report["id"] == "my/ShoppingList-v0"
    assert sorted(report["files"]) == [
        "written/README.md",
        "written/pyproject.toml",
        "written/src/shopping_list/__init__.py",
        "written/src/shopping_list/environment.py",
        "written/tests/test_environment.py",
    ]
    monkeypatch.syspath_prepend(str(place / "written" / "src"))
    valid = command("validate", "shopping_list:my/ShoppingList-v0")
    assert (valid["passed"], valid["scores"]["gold"]) == (True, 1.0)


def test_new_prints_the_next_commands(place: Path):
    done = CliRunner().invoke(app, ["new", "todo"])
    assert 'pip install -e ".[test]" && pytest' in done.stdout
