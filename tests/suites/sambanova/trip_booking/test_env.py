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
from stb_env.suites.sambanova.trip_booking.env import make
from stb_env.suites.sambanova.trip_booking.tasks import TripTasks, trip_task
from stb_env.tasks import Task
from stb_env.testing.conformance import validate
from tests.suites.sambanova.common.form import play as form
from tests.suites.sambanova.common.form.play import DONE

ENV = "stb/TripBooking-v1"
START = 'API.select_booking_type("both")\n'
WAY = (
    'API.select_transportation("train")\norigin = Loc("Omaha")\nAPI.set_origin(origin)\n'
    'API.set_destination(Loc("Denver"))\n'
)
STAY = (
    'API.set_hotel_location(Loc("Denver"))\nAPI.set_checkin_date(Date(5, 10, 2024))\n'
    "API.set_checkout_date(Date(5, 15, 2024))\n"
)
LABEL = START + WAY + STAY + 'API.set_num_adults(2)\nAPI.select_room_type("Double")\nAPI.search()'
TICKETS = START.replace("both", "trip tickets") + WAY
PROGRAMS = [TripTasks("train").at(index).goal["labels"][0] for index in range(5)]


def task_of(*labels: str) -> Task:
    return trip_task("1", "test", "goal", (), labels or (LABEL,))


def env_of(**options: Any) -> gym.Env[Any, Any]:
    return form.env_of(ENV, task_of(), **options)


def judged(*actions: Any, **options: Any) -> dict[str, Any]:
    return form.judged(ENV, task_of(), *actions, **options)


@pytest.mark.parametrize("compat", [None, "original"])
def test_a_label_is_solved_as_a_program_and_as_calls(compat: str | None):
    calls = [
        {"name": "set_checkin_date", "arguments": {"value": {"month": 5, "day": 10, "year": 2024}}},
        {"name": "search", "arguments": {}},
    ]
    for verdict in (
        judged(LABEL, DONE, compat=compat),
        judged(LABEL, program=True, compat=compat),
        judged(LABEL + '\nFinish("give_answer", "")', compat=compat),
        judged(LABEL.replace("API.search()", ""), *calls, DONE, compat=compat),
    ):
        assert (verdict["status"], verdict["executable"], verdict["f1"]) == ("solved", True, 1.0)
        assert verdict["judge"] == ("original" if compat else "exact")


REST = "API.set_num_adults(2)\nAPI.select_room_type('Double')\nAPI.search()"
SPELLED = (
    START + WAY + "place, days = Loc('Denver'), [Date(5, day, 2024) for day in (10, 15)]\n"
    "API.set_hotel_location(place)\nAPI.set_checkin_date(days[0])\nAPI.set_checkout_date(days[1])\n" + REST,
    START + WAY + "API.set_hotel_location(Loc(location='Den' + 'ver'))\n"
    "for call, text in [(API.set_checkin_date, '5/10/2024'), (API.set_checkout_date, '5/15/2024')]:\n"
    "    call(Date(*map(int, text.split('/'))))\n" + REST,
    START + WAY + "def day(number, month=5):\n    return Date(month=month, day=number, year=2024)\n"
    "API.set_hotel_location(Loc(f\"{'denver'.title()}\"))\nAPI.set_checkin_date(day(10))\n"
    "API.set_checkout_date(day(15))\nprint('ready')\n" + REST,
)
CHEATS = (("Denver", "Omaha"), ("10", "11"), ("adults(2)", "adults(3)"), ("Double", "Luxury"))


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize("program", SPELLED)
def test_any_python_that_makes_the_same_calls_is_solved(program: str, compat: str | None):
    assert judged(program, program=True, compat=compat)["success"]


@pytest.mark.parametrize("compat", [None, "original"])
@pytest.mark.parametrize(
    "program", [text.replace(old, new) for text in SPELLED for old, new in CHEATS if old in text]
)
def test_the_same_python_with_another_wish_is_not_solved(program: str, compat: str | None):
    assert not judged(program, program=True, compat=compat)["success"]


@pytest.mark.parametrize(
    ("program", "original", "default"),
    [
        (LABEL.replace("API.search()", ""), (True, False), (False, False)),
        (LABEL + "\nAPI.search()", (True, True), (True, True)),
        (
            LABEL.replace("API.set_num_adults(2)\n", "") + "\nAPI.set_num_adults(2)",
            (True, True),
            (False,) * 2,
        ),
        (LABEL.replace("adults(2)", 'adults("2")'), (True, False), (True, True)),
        (LABEL.replace("adults(2)", "adults(3 - 1)"), (True, True), (True, True)),
        (LABEL.replace("Date(5, 10,", 'Date("5", "10",'), (True, True), (True, True)),
        (LABEL.replace("Date(5, 10,", "Date(5.0, 10,"), (True, False), (True, True)),
        (LABEL.replace("Date(5, 10,", 'Date("05", "10",'), (True, False), (False, False)),
        (LABEL.replace("Date(5, 10,", "Date(2, 30,"), (True, False), (False, False)),
        (LABEL.replace("Date(5, 10,", "Date(5, 15,"), (True, False), (False, False)),
        (LABEL.replace('"Double"', '"double"'), (True, False), (False, False)),
        (LABEL.replace('"Double"', '"Luxury"'), (True, False), (True, False)),
        (LABEL.replace("search()", "set_num_children(0)\nAPI.search()"), (True, False), (True, True)),
        (LABEL.replace("search()", "set_num_children(1)\nAPI.search()"), (True, False), (True, False)),
        (LABEL.replace("search()", "set_num_rooms(1)\nAPI.search()"), (True, True), (True, True)),
        (WAY + LABEL, (False, False), (False, False)),
        (WAY, (True, False), (False, False)),
        (LABEL.replace("API.", ""), (False, False), (True, True)),
        (f"```python\n{LABEL}\n```", (False, False), (True, True)),
        (WAY.replace("API", "# API") + START + "API.clear()\n" + LABEL, (True, True), (True, True)),
        ("", (True, False), (False, False)),
        ("I would book a trip.", (False, False), (False, False)),
    ],
)
def test_the_default_differs_from_the_original_where_that_is_documented(
    program: str, original: tuple[bool, bool], default: tuple[bool, bool]
):
    for compat, expected in (("original", original), (None, default)):
        verdict = judged(program, program=True, compat=compat)
        assert (verdict["executable"], verdict["success"]) == expected


def test_a_mistake_can_be_mended_in_steps_but_not_in_one_program():
    wrong, rest = "API.search()", LABEL.removeprefix(START)
    mended = judged(START, wrong, rest, DONE)
    assert (mended["success"], mended["executable"]) == (True, False)
    assert not judged(f"{START}{wrong}\n{rest}", program=True)["success"]
    assert not judged(START, wrong, rest, DONE, compat="original")["success"]


def test_a_call_that_fails_after_the_search_costs_the_task():
    wrong = "API.set_num_adults(None)"
    program, steps = judged(f"{LABEL}\n{wrong}", program=True), judged(LABEL, wrong, DONE)
    assert (program["success"], program["executable"]) == (False, False)
    assert program["votes"][0]["reason"] == "a call failed"
    assert (steps["success"], steps["executable"]) == (False, False)
    assert steps["votes"][0]["reason"].startswith("a call failed at the end: ")


def test_a_program_stops_at_its_first_failing_call():
    for call in ("API.set_adults(2)", "API.set_origin('Omaha')", "API.set_origin(Loc())", "API.search()"):
        made = env_of().step(f"{START}{call}\nAPI.set_num_adults(2)")[4]["calls"]
        assert [bool(call["error"]) for call in made] == [False, True]


@pytest.mark.parametrize(
    ("actions", "status", "error"),
    [
        (["API.set_num_adults(2)"], 1, "call select_booking_type first, and once; clear() starts over"),
        ([START, START], 1, "call select_booking_type first, and once; clear() starts over"),
        (
            ['API.select_booking_type("Hotels")'],
            2,
            '\'booking_type\' must be one of "hotels", "trip tickets", "both"',
        ),
        (["API.search()"], 1, "call select_booking_type first"),
        ([START, "API.search()"], 1, "call select_transportation before a search for both"),
        ([START, WAY, "API.search()"], 1, "call set_hotel_location before a search for both"),
        ([TICKETS, "API.search()"], 1, "call set_departure_date before a search for trip tickets"),
        ([START, "API.set_origin(origin)"], 2, "missing required parameter 'value.location' (string)"),
        ([START, 'API.set_origin("Omaha")'], 2, "'value' must be an object, got the text 'Omaha'"),
        (
            [START, "API.set_origin(Date(1, 2, 2024))"],
            2,
            "missing required parameter 'value.location' (string)",
        ),
        (
            [START, "API.set_return_date(Date(2, 30, 2024))"],
            1,
            "return date 2-30-2024 is no day of the calendar",
        ),
        (
            [START, "API.set_return_date(Date(2024, 3, 14))"],
            2,
            "'value.month' must be at most 12, got the number 2024",
        ),
        (
            [START + WAY + STAY, "API.set_checkout_date(Date(5, 9, 2024))", "API.search()"],
            1,
            "return_date 5-9-2024 comes too early after departure_date 5-10-2024",
        ),
        ([START, 'API.select_room_type("Penthouse")'], 2, '\'value\' must be one of "King Bed", "Queen Bed"'),
        (
            [START, "API.set_num_adult(2)"],
            3,
            "no tool is named 'set_num_adult'. Did you mean 'set_num_adults'?",
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
    with pytest.raises(DataError, match=r"line 1: the label .* does not run: call select_booking_type first"):
        make(data=official(tmp_path, START + START), compat="original")
