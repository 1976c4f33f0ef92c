"""A ninth task is a folder and a declaration: a kitchen timer is played like the other eight."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.envs.registration import registry
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.runs.make import env_ids
from stb_env.show.cli import app
from stb_env.suite import register
from stb_env.suites import sambanova
from stb_env.suites.sambanova import suite, tasks
from stb_env.suites.sambanova.common.task import SambaNovaTask
from stb_env.suites.sambanova.few_shot import FewShotPrompt

ENV = "stb/KitchenTimer-v0"
TASK = SambaNovaTask(
    id="kitchen_timer",
    env_id=ENV,
    documents="stb_env.suites.sambanova.kitchen_timer.tasks:documents",
    functions=2,
    max_tokens=32,
    documents_k=2,
    examples_k=3,
    templates=1,
    repeats=10,
)

FOLDER = {
    "__init__.py": "",
    "tasks.py": """
from functools import partial

from stb_env.seeding import derive
from stb_env.suites.sambanova.common.official import Demonstration, Document
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolId

_MINUTES = {"type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]}
TOOLS = tuple(
    Tool(name, text, _MINUTES, ToolId.of("Kitchen", "timer", name))
    for name, text in (("set_timer", "Sets the timer."), ("add_time", "Adds to what is left."))
)


def generate(split, index):
    first, more = 1 + derive(split, index) % 30, 1 + derive(split, index, "more") % 9
    calls = (ToolCall("set_timer", {"minutes": first}), ToolCall("add_time", {"minutes": more}))
    label = f"set_timer(minutes={first})\\nadd_time(minutes={more})"
    query = f"Time an egg: {first} minutes, and on second thought {more} more."
    goal = {"minutes": first + more, "labels": [label]}
    return Task(f"{split}-{index}", query, TOOLS, "KitchenTimer", split=split, gold=calls, goal=goal)


tasks_of = partial(SeededTasks, "KitchenTimer", generate, test_size=12)


def documents():
    return [Document(tool.name, f"# {tool.description}\\n{tool.name}(minutes)") for tool in TOOLS]


def demonstrations():
    made = [generate("demo", index) for index in range(4)]
    return [Demonstration(task.id, task.query, task.goal["labels"][0]) for task in made]
""",
    "env.py": """
from stb_env.actions import parse_action
from stb_env.backend.world import World
from stb_env.suites.sambanova.common.labelled import gold_oracle
from stb_env.suites.sambanova.common.program_task import ProgramTask
from stb_env.suites.sambanova.kitchen_timer.tasks import tasks_of
from stb_env.tasks import TaskSet
from stb_env.tools import ToolResult
from stb_env.verdict import Verdict


class TimerWorld(World):
    fingerprint = {"world": "kitchen_timer"}

    def start(self, task, seed):
        return 0

    def call(self, state, tool, arguments):
        minutes = arguments["minutes"] + (state if tool.name == "add_time" else 0)
        return ToolResult.of({"left": minutes}, source="world"), minutes


class TimerJudge:
    name = "exact"

    def judge(self, case):
        yield from ()
        is_right = case.state == case.task.goal["minutes"]
        return Verdict.of("solved" if is_right else "unsolved", judge=self.name)


TASK = ProgramTask[None](
    tasks=tasks_of,
    official=lambda path, mode: TaskSet([], str(path)),
    world=lambda mode, _: TimerWorld(),
    judge=lambda mode: TimerJudge(),
    parse=parse_action,
    parse_original=parse_action,
    oracle=gold_oracle("It ticks."),
)
make = TASK.maker(turns=4)
""",
}


@pytest.fixture
def kitchen_timer(tmp_path: Path) -> Iterator[None]:
    """The folder in its place, and the declaration in the table."""
    folder = tmp_path / "more" / "kitchen_timer"
    folder.mkdir(parents=True)
    for name, text in FOLDER.items():
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sambanova, "__path__", [*sambanova.__path__, str(folder.parent)])
        patch.setattr(tasks, "SUITE", {**tasks.SUITE, TASK.id: TASK})
        # What a new process would declare when it starts.
        register(importlib.reload(suite).SUITE)
        yield
    register(importlib.reload(suite).SUITE)
    registry.pop(ENV)
    for name in [name for name in sys.modules if name.startswith(f"{sambanova.__name__}.kitchen_timer")]:
        del sys.modules[name]


def report(*words: str | Path) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.usefixtures("kitchen_timer")
@pytest.mark.parametrize("settings", [{}, {"split": "train"}, {"compat": "original"}], ids=str)
def test_it_is_made_by_its_id_and_gold_earns_all_there_is(settings: dict[str, Any]):
    env = gym.make(ENV, **settings)
    for index in range(3):
        task_id = env.unwrapped.tasks.at(index).id
        episode = play(env, load_agent("gold")(), task_id=task_id, seed=index)
        assert episode.verdict is not None
        assert (episode.suite, episode.verdict["score"]) == ("KitchenTimer", 1.0)


@pytest.mark.heavy
@pytest.mark.usefixtures("kitchen_timer")
def test_it_is_listed():
    row = next(row for row in report("list")["environments"] if row["id"] == ENV)
    known = {"id": ENV, "suite": "sambanova", "tasks": 12, "judge": "exact", "mode": "world", "needs": ""}
    assert row == known


@pytest.mark.usefixtures("kitchen_timer")
def test_a_run_of_it_stands_in_the_table_beside_the_paper(tmp_path: Path):
    assert report("run", ENV, "--agent", "gold", "--out", tmp_path / "run")["mean"] == 1.0
    words = ("sambanova", "table", tmp_path / "run", "--published", "gpt4", "--out", tmp_path / "table.md")
    assert report(*words)["rows"][0]["cells"] == {"kitchen_timer": [[100.0, None]]}
    head, _, own, paper = (tmp_path / "table.md").read_text(encoding="utf-8").split("\n")[:4]
    assert head.endswith("| tabletop | kitchen_timer | rank | complexity |")
    assert own.endswith("| 100.0 | - | - |")
    assert paper.startswith("| gpt4 (paper, 3-shot) | 93.0 |")


@pytest.mark.usefixtures("kitchen_timer")
def test_it_has_prompts_with_documents_and_demonstrations():
    env = FewShotPrompt(gym.make(ENV, program=True))
    env.reset(seed=0)
    text = env.question[0]["content"]
    assert text.count("(minutes)\n") == 2
    assert text.count("\nTask: Time an egg: ") == 4
    assert text.endswith(f"Task: {env.task.query}\nAction:\n")
    _, reward, terminated, _, _ = env.step(env.task.goal["labels"][0] + "\n\nTask: more")
    assert (reward, terminated) == (1.0, True)


@pytest.mark.usefixtures("kitchen_timer")
def test_it_stands_in_the_table_of_complexities(tmp_path: Path):
    (row,) = report("sambanova", "align", "kitchen_timer", "--out", tmp_path)["tasks"]
    assert (row["task"], row["samples"], row["published_complexity"]) == ("kitchen_timer", 10, None)
    # Every program has the two calls of every other: they are kept by the toss of a coin each.
    assert (row["complexity"], row["r_f1"]) == (1.386, 0.0)
    shown = CliRunner().invoke(app, ["sambanova", "align", "kitchen_timer", "--out", str(tmp_path)])
    assert "kitchen_timer" in shown.output


def test_without_its_declaration_there_is_no_such_task():
    assert ENV not in env_ids()
    with pytest.raises(ConfigError, match=r"^no SambaNova task 'kitchen_timer'; there is open_weather, "):
        tasks.suite_task("kitchen_timer")
