"""The environment: every form of action, both judges, the standing checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.baselines import load_agent
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.rollout import play
from stb_env.suites.sambanova.home_search.env import make
from stb_env.suites.sambanova.home_search.tasks import HomeTasks, home_task
from stb_env.tasks import Task
from stb_env.testing.conformance import validate
from tests.suites.sambanova.common.form import play as form
from tests.suites.sambanova.common.form.play import DONE

ENV = "stb/HomeSearch-v1"
START = 'API.set_location("Fargo")\nAPI.set_buy_or_rent("rent")\n'
LABEL = START + 'API.select_home_type(["House", "Condo"])\nAPI.set_num_beds(2)\nAPI.search()'
PROGRAMS = [HomeTasks("train").at(index).goal["labels"][0] for index in range(5)]


def task_of(*labels: str) -> Task:
    return home_task("1", "test", "goal", (), labels or (LABEL,))


def env_of(**options: Any) -> gym.Env[Any, Any]:
    return form.env_of(ENV, task_of(), **options)


def judged(*actions: Any, **options: Any) -> dict[str, Any]:
    return form.judged(ENV, task_of(), *actions, **options)


@pytest.mark.parametrize("compat", [None, "original"])
def test_a_label_is_solved_as_a_program_and_as_calls(compat: str | None):
    lines = LABEL.split("\n")
    for verdict in (
        judged(LABEL, DONE, compat=compat),
        judged(LABEL, program=True, compat=compat),
        judged(LABEL + '\nFinish("give_answer", "")', compat=compat),
        judged(*lines, DONE, compat=compat),
    ):
        assert (verdict["status"], verdict["executable"], verdict["f1"]) == ("solved", True, 1.0)
        assert verdict["judge"] == ("original" if compat else "exact")


SPELLED = (
    "city, aim = 'Fargo', 'rent'\nAPI.set_location(city)\nAPI.set_buy_or_rent(aim)\n"
    "API.select_home_type(['House', 'Condo'])\nAPI.set_num_beds(2)\nAPI.search()",
    START + "kinds = []\nfor kind in ('condo', 'house'):\n    kinds.append(kind.title())\n"
    "API.select_home_type(kinds)\nAPI.set_num_beds(value=2)\nprint('done')\nAPI.search()",
    "wish = {'city': 'Fargo', 'beds': 2}\nAPI.set_location(f\"{wish['city']}\")\n"
    "API.set_buy_or_rent('rent')\n"
    "for call, value in [(API.select_home_type, ['House', 'Condo']), (API.set_num_beds, wish['beds'])]:\n"
    "    call(value)\nif wish:\n    API.search()",
    START + "def search(beds, kinds=('House', 'Condo')):\n    API.set_num_beds(beds)\n"
    "    API.select_home_type([kind for kind in kinds])\n    API.search()\nsearch(beds=2)",
    START
    + "API.set_min_price(0)\nAPI.set_num_beds(2)\nAPI.select_home_type(['Condo', 'House'])\nAPI.search()",
)
CHEATS = (("Fargo", "Boise"), ("'rent'", "'buy'"), ("'beds': 2", "'beds': 3"), ("value=2", "value=1"))


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize("program", SPELLED)
def test_any_python_that_makes_the_same_calls_is_solved(program: str, compat: str | None):
    assert judged(program, program=True, compat=compat)["success"]


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize(
    "program",
    [text.replace(old, new) for text in SPELLED for old, new in CHEATS if old in text]
    + [text.replace("API.search()", "API.set_num_garages(1)\nAPI.search()", 1) for text in SPELLED[:2]]
    + [text.replace("'House', ", "") for text in SPELLED if "'House', " in text],
)
def test_the_same_python_with_another_wish_is_not_solved(program: str, compat: str | None):
    assert not judged(program, program=True, compat=compat)["success"]


@pytest.mark.parametrize(
    ("program", "original", "default"),
    [
        (LABEL.replace("API.search()", ""), (True, False), (False, False)),
        (
            LABEL.replace("API.search()", "API.set_min_price(0)\nAPI.set_min_square_feet(0)"),
            (True, True),
            (False,) * 2,
        ),
        (
            LABEL.replace("beds(2)\nAPI.search()", "beds(1)\nAPI.search()\nAPI.set_num_beds(2)"),
            (True, True),
            (False,) * 2,
        ),
        (LABEL + "\nAPI.search()", (True, True), (True, True)),
        (LABEL.replace("beds(2)", 'beds("2")'), (True, False), (True, True)),
        (LABEL.replace("beds(2)", "beds(2.0)"), (True, True), (True, True)),
        (LABEL.replace("beds(2)", "beds(2.5)"), (True, False), (False, False)),
        (LABEL.replace("beds(2)", "beds(None)"), (True, False), (False, False)),
        (LABEL.replace('"House", ', '"House", "HOUSE", '), (True, False), (True, True)),
        (LABEL.replace('["House", "Condo"]', "[]"), (True, False), (False, False)),
        (LABEL.replace('["House", "Condo"]', '"House"'), (False, False), (False, False)),
        (LABEL.replace("API.", ""), (False, False), (True, True)),
        (f"```python\n{LABEL}\n```", (False, False), (True, True)),
        (START + "API.clear()\n" + LABEL, (True, True), (True, True)),
        ("", (True, False), (False, False)),
        ("API.search()", (True, False), (False, False)),
        ("I would search for a home.", (False, False), (False, False)),
    ],
)
def test_the_default_differs_from_the_original_where_that_is_documented(
    program: str, original: tuple[bool, bool], default: tuple[bool, bool]
):
    for compat, expected in (("original", original), (None, default)):
        verdict = judged(program, program=True, compat=compat)
        assert (verdict["executable"], verdict["success"]) == expected


def test_a_mistake_can_be_mended_in_steps_but_not_in_one_program():
    wrong = 'API.select_home_type(["Land"])'
    mended = judged(START, wrong, LABEL.removeprefix(START), DONE)
    assert (mended["success"], mended["executable"]) == (True, False)
    assert not judged(START + wrong + "\n" + LABEL.removeprefix(START), program=True)["success"]
    assert not judged(START, wrong, LABEL.removeprefix(START), DONE, compat="original")["success"]


def test_a_call_that_fails_after_the_search_costs_the_task():
    wrong = "API.set_num_beds(None)"
    program, steps = judged(f"{LABEL}\n{wrong}", program=True), judged(LABEL, wrong, DONE)
    assert (program["success"], program["executable"]) == (False, False)
    assert program["votes"][0]["reason"] == "a call failed"
    assert (steps["success"], steps["executable"]) == (False, False)
    assert steps["votes"][0]["reason"].startswith("a call failed at the end: ")


def test_a_program_stops_at_its_first_failing_call():
    for call in ("API.set_num_bed(2)", "API.set_num_beds(None)", "API.set_location('Reno')"):
        made = env_of().step(f"{START}{call}\nAPI.search()")[4]["calls"]
        assert [bool(call["error"]) for call in made] == [False, False, True]


@pytest.mark.parametrize(
    ("actions", "status", "error"),
    [
        (["API.set_num_beds(2)"], 1, "call set_buy_or_rent right after set_location, and once"),
        (['API.set_buy_or_rent("buy")'], 1, "call set_location before set_buy_or_rent"),
        (
            ['API.set_buy_or_rent("lease")'],
            2,
            "'value' must be one of \"buy\", \"rent\", got the text 'lease'",
        ),
        ([START, 'API.set_location("Reno")'], 1, "call set_location first, and once; clear() starts over"),
        ([START, 'API.set_buy_or_rent("buy")'], 1, "call set_buy_or_rent right after set_location, and once"),
        (
            [START, 'API.select_home_type(["Land"])'],
            1,
            "a list of House, Townhouse, Condo, Apartment where the aim is to",
        ),
        (
            [START, "API.select_home_type([])"],
            2,
            "'home_types' must be an array of at least 1, got an array of 0",
        ),
        ([START, "API.set_max_price(-1)"], 2, "'value' must be at least 0, got the number -1"),
        ([START, "API.set_num_beds(Two)"], 2, "'value' must be an integer, got an object"),
        (
            [START, "API.set_num_bedrooms(2)"],
            3,
            "no tool is named 'set_num_bedrooms'. Did you mean 'set_num_beds'?",
        ),
        ([START, "API.set_num_beds(1, 2)"], 2, "arguments without a name do not fit the parameters (value)"),
        (["API.search()"], 1, "call set_location and set_buy_or_rent before search"),
        (
            [{"name": "program", "arguments": {"text": "while True: pass"}}],
            1,
            "line 1: the program takes more than 50000 steps",
        ),
    ],
)
def test_what_is_wrong_with_a_call_is_said(actions: list[Any], status: int, error: str):
    env = env_of()
    for action in actions[:-1]:
        env.step(action)
    observation, _, terminated, _, info = env.step(actions[-1])
    assert (observation["status"], terminated) == (status, False)
    assert error in info["calls"][-1]["error"]


@pytest.mark.parametrize("settings_", [{}, {"split": "train"}, {"compat": "original"}])
def test_the_standing_checks_hold(settings_: dict[str, Any]):
    env = gym.make(ENV, **settings_).unwrapped
    assert isinstance(env, ToolEnv)
    report = validate(ENV, env, seeds=8)
    assert [check for check in report.checks if not check.passed] == []
    assert report.counts["scores"]["gold"] == 1.0


@pytest.mark.parametrize("agent", ["noop", "give_up", "echo", "inject", "random"])
def test_agents_that_deserve_nothing_get_nothing_on_the_test_tasks(agent: str):
    env, null = make(), load_agent(agent)()
    size = env.tasks.size or 0
    assert sum(play(env, null, task_id=f"test-{at}", seed=at).reward for at in range(size)) == 0.0


@pytest.mark.parametrize("compat", [None, "original"])
def test_the_oracle_solves_every_test_task(compat: str | None):
    env, gold = make(compat=compat), load_agent("gold")()
    for index in range(env.tasks.size or 0):
        played = play(env, gold, task_id=f"test-{index}", seed=index)
        assert (played.reward, played.verdict and played.verdict["metrics"]["executable"]) == (1.0, True)


@given(
    st.lists(
        st.sampled_from([*LABEL.split("\n"), LABEL, "API.clear()", "prose", "API.search(1)"]), max_size=6
    )
)
@settings(max_examples=40)
def test_what_a_fork_does_is_nothing_to_its_origin(actions: list[str]):
    env = env_of().unwrapped
    for action in actions:
        before = env.snapshot()
        criteria = dict(before.backend.criteria)
        ahead = env.fork().step(action)
        assert env.snapshot() is before
        assert before.backend.criteria == criteria
        assert env.step(action) == ahead


@pytest.mark.parametrize(
    ("settings_", "error", "message"),
    [
        ({"compat": "toolbnch"}, ConfigError, "compat must be None or 'original'"),
        ({"split": "val"}, ConfigError, "split must be 'test' or 'train', got 'val'"),
        ({"split": "train", "data": "x"}, ConfigError, "official files have a test split alone"),
        ({"data": "/nowhere"}, DataError, "no test file at /nowhere"),
    ],
)
def test_wrong_settings_are_errors(settings_: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make(**settings_)


def official(folder: Path, *labels: str) -> Path:
    lines = [json.dumps({"prompt": "goal ", "completion": [label]}) for label in labels]
    (folder / "test.jsonl").write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize("compat", [None, "original"])
def test_official_files_are_played_and_solved_by_the_oracle(tmp_path: Path, compat: str | None):
    env = make(data=str(official(tmp_path, *PROGRAMS)), compat=compat)
    for index, label in enumerate(PROGRAMS, 1):
        assert play(env, load_agent("gold")(), task_id=str(index), seed=0).reward == 1.0
        env.reset(seed=0, options={"task_id": str(index)})
        assert (env.task.query, env.task.record["completion"]) == ("goal", [label])
        assert env.step(label + '\nFinish("give_answer", "")')[1] == 1.0


def test_official_labels_that_do_not_run_are_errors(tmp_path: Path):
    with pytest.raises(DataError, match=r"line 2: the label .* does not run: not a program"):
        make(data=official(tmp_path, LABEL, LABEL[:-1]))
    with pytest.raises(DataError, match=r"line 1: the label .* does not end with search"):
        make(data=official(tmp_path, START))
    make(data=official(tmp_path, START), compat="original")
    with pytest.raises(DataError, match=r"line 1: the label .* does not run: call set_location first"):
        make(data=official(tmp_path, START + START), compat="original")
