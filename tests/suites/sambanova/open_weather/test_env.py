"""The environment: every form of action, both judges, the standing checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.suites.sambanova.open_weather.env import make
from stb_env.suites.sambanova.open_weather.tasks import OpenWeatherTasks, weather_task
from stb_env.tasks import TaskSet
from stb_env.testing.conformance import validate
from stb_env.tools import FINISH, ToolCall
from tests.suites.sambanova.common.curl.mutants import mutants

URL = "https://api.openweathermap.org/data/2.5/weather"
LABEL = f"curl -X GET '{URL}?q=palo+alto&appid={{API_KEY}}&units=metric'"
CALL = ToolCall("weather_by_city", {"q": "Palo Alto", "units": "metric"})
DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": ""}}
ONE = TaskSet([weather_task("1", "test", "Weather in Palo Alto, metric.", CALL, (LABEL,))])
LABELS = [OpenWeatherTasks("train").at(index).goal["labels"][0] for index in range(60)]


def env_of(**options: Any) -> ToolEnv:
    env = make(data=ONE, **options)
    env.reset(seed=0)
    return env


def judged(*actions: Any, **options: Any) -> dict[str, Any]:
    env = env_of(**options)
    for action in actions[:-1]:
        assert not env.step(action)[2]
    info = env.step(actions[-1])[4]
    return info["verdict"] | info["verdict"]["metrics"]


RIGHT = [
    LABEL,
    LABEL.replace("'", '"'),
    LABEL + " -H 'accept: */*' -s",
    f"curl '{URL}?appid={{API_KEY}}&mode=json&lang=en&units=metric&q=Palo%20Alto'",
    f"Sure:\n```\n{LABEL}\n```",
    {"name": "weather_by_city", "arguments": {"units": "metric", "q": "palo alto,us"}},
    {"name": "weather_by_zip", "arguments": {"units": "metric", "zip": "94301"}},
    {"name": "weather_at_coordinates", "arguments": {"units": "metric", "lat": 37.4, "lon": -122.1}},
    LABEL.replace("metric", "metric&mode=xml"),
    LABEL.replace("palo+alto", "Palo+Alto,CA,US"),
    LABEL[:-1] + " '",
    f"curl -G '{URL}' -d 'q=palo+alto' -d 'appid={{API_KEY}}' -d units=metric",
    'API.weather_by_city("Palo Alto", "metric")',
    json.dumps({"name": "curl", "arguments": {"command": LABEL}}),
]


@pytest.mark.parametrize("action", RIGHT, ids=range(len(RIGHT)))
def test_the_right_request_is_solved_in_every_form(action: Any):
    for verdict in (judged(action, DONE), judged(action, program=True)):
        assert (verdict["status"], verdict["judge"]) == ("solved", "exact")
        assert (verdict["executable"], verdict["success"], verdict["f1"]) == (True, True, 1.0)


def test_a_command_and_its_finish_can_be_one_action():
    assert judged(f"{LABEL}\n{json.dumps(DONE)}")["status"] == "solved"


@pytest.mark.parametrize(
    ("action", "executable", "f1"),
    [
        (LABEL.replace("metric", "imperial"), True, 0.75),
        (LABEL.replace("&units=metric", ""), True, 0.75),
        (LABEL.replace("/weather", "/forecast"), True, 0.75),
        (LABEL.replace("metric", "metric&lang=fr"), True, 0.75),
        (LABEL.replace("palo+alto", "modesto"), True, 0.75),
        (LABEL.replace("palo+alto", "palo+alto,fr"), True, 0.75),
        (LABEL.replace("q=palo+alto", "zip=94501"), True, 0.75),
        (LABEL.replace("q=palo+alto", "lat=37.4&lon=-122.2"), True, 0.75),
        (LABEL.replace("q=palo+alto", "lat=37.4&lon=122.1"), True, 0.75),
        (LABEL.replace("palo+alto", "%7B%7D"), False, 0.0),
        (LABEL.replace("metric", "celsius"), False, 0.0),
        (LABEL.replace("q=", "city="), False, 0.0),
        (LABEL.replace("{API_KEY}", "API_KEY"), False, 0.0),
        (LABEL.replace("2.5", "3.0"), False, 0.0),
        (LABEL.replace("api.", "www."), False, 0.0),
        (LABEL.replace("GET", "POST"), False, 0.0),
        (LABEL[:-1], False, 0.0),
        (f"{LABEL} | jq .", False, 0.0),
        ("It is warm in Palo Alto.", False, 0.0),
        ("", False, 0.0),
        (None, False, 0.0),
    ],
)
def test_any_other_request_is_not_solved(action: Any, executable: bool, f1: float):
    verdict = judged(action, program=True)
    assert (verdict["status"], verdict["score"], verdict["executable"]) == ("unsolved", 0.0, executable)
    assert verdict["f1"] == pytest.approx(f1)


BARE = LABEL.replace("&units=metric", "")
PLACES = "curl 'https://api.openweathermap.org/geo/1.0/direct?q=paris&appid={API_KEY}'"


@pytest.mark.parametrize(
    ("label", "action", "success"),
    [
        (BARE, BARE, True),
        (BARE, BARE[:-1] + "&units=imperial'", True),
        (BARE, BARE[:-1] + "&units=metric&mode=xml&lang=en'", True),
        (BARE, BARE[:-1] + "&lang=de'", False),
        (BARE, BARE.replace("palo+alto", "modesto"), False),
        (BARE[:-1] + "&units=standard'", BARE, True),
        (BARE[:-1] + "&units=standard'", BARE[:-1] + "&units=metric'", False),
        (BARE[:-1] + "&mode=json'", BARE[:-1] + "&mode=xml'", False),
        (BARE[:-1] + "&lang=de'", BARE, False),
        (BARE[:-1] + "&lang=de'", BARE[:-1] + "&lang=German'", True),
        (BARE[:-1] + "&lang=German'", BARE[:-1] + "&lang=de'", True),
        (
            BARE[:-1] + "&lang=zh_cn'",
            {"name": CALL.name, "arguments": {"q": "Palo Alto", "lang": "simplified Chinese"}},
            True,
        ),
        (BARE[:-1] + "&lang=de'", BARE[:-1] + "&lang=Dutch'", False),
        (PLACES, PLACES[:-1] + "&limit=5'", True),
        (PLACES[:-1] + "&limit=3'", PLACES[:-1] + "&limit=5'", False),
        (PLACES[:-1] + "&limit=3'", PLACES, False),
    ],
)
def test_what_a_goal_leaves_open_is_not_judged_and_what_it_names_is(label: str, action: str, success: bool):
    task = weather_task("1", "test", "goal", CALL, (label,))
    env = make(data=TaskSet([task]), program=True)
    env.reset(seed=0)
    assert env.step(action)[4]["verdict"]["metrics"]["success"] == success


def test_a_mistake_that_is_mended_is_solved_but_not_executable():
    verdict = judged(LABEL.replace("metric", "celsius"), LABEL, DONE)
    assert (verdict["success"], verdict["executable"]) == (True, False)


def test_the_last_request_is_the_one_that_counts():
    assert judged(LABEL, LABEL.replace("metric", "imperial"), DONE)["status"] == "unsolved"
    assert judged(LABEL, LABEL[:-1], DONE)["status"] == "unsolved"


@pytest.mark.parametrize(
    ("action", "status", "error"),
    [
        (LABEL.replace("metric", "celsius"), 2, '\'units\' must be one of "standard", "metric", "imperial"'),
        (LABEL.replace("metric", "metric&unit=k"), 2, "unknown parameter 'unit'. Did you mean 'units'?"),
        (LABEL.replace("{API_KEY}", "KEY"), 1, "HTTP 401: Invalid API key."),
        (LABEL.replace("weather?", "whether?"), 1, "HTTP 404: There is nothing at this path."),
        (LABEL.replace("GET", "PUT"), 1, "HTTP 405: Only GET is answered."),
        (LABEL.replace("q=palo+alto&", ""), 1, "HTTP 400: Nothing to geocode"),
        (LABEL.replace("palo+alto", "%7Bcity%7D"), 1, "HTTP 404: city not found"),
        (LABEL.replace("api.open", "open"), 1, "curl: (6) could not resolve the host 'openweathermap.org'"),
        (LABEL[:-1], 1, "curl: (2) the quote before"),
        (f"{LABEL} && id", 1, "curl: (2) '&& id' is more than a plain command"),
        ({"name": "weather_in_city", "arguments": {}}, 3, "Did you mean 'weather_by_city'?"),
        (
            {"name": "weather_at_coordinates", "arguments": {"lat": 91, "lon": 0}},
            2,
            "'lat' must be at most 90, got the number 91",
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_said(action: Any, status: int, error: str):
    observation, _, terminated, _, info = env_of().step(action)
    assert (observation["status"], terminated) == (status, False)
    assert error in info["calls"][0]["error"]


def test_after_the_first_failing_call_of_a_program_only_its_finish_counts():
    bad = {"name": "weather_by_city", "arguments": {"q": "?"}}
    _, _, terminated, _, info = env_of().step([bad, {"name": CALL.name, "arguments": CALL.arguments}, DONE])
    assert ([call["name"] for call in info["calls"]], terminated) == ([bad["name"], "Finish"], True)


def test_commands_run_as_the_original_runs_them_in_its_mode():
    verdict = judged(LABEL, DONE, compat="original")
    assert (verdict["status"], verdict["judge"]) == ("solved", "original")
    crashed = judged(LABEL.replace("'", '"'), DONE, compat="original")
    assert (crashed["executable"], crashed["votes"][0]["reason"]) == (False, "code does not end with '")


def test_typed_calls_are_commands_in_the_originals_mode():
    env = env_of(compat="original")
    info = env.step({"name": CALL.name, "arguments": CALL.arguments})[4]
    assert info["calls"][0]["arguments"] == {"command": LABEL}
    assert env.step(DONE)[1] == 1.0


def test_the_originals_mode_runs_what_a_schema_would_refuse():
    observation = env_of(compat="original").step(LABEL.replace("metric", "celsius&more=1"))[0]
    assert observation["status"] == 0


@pytest.mark.parametrize(
    "field",
    ["{API_KEY:>999999999}", "{API_KEY!r:>99}", "{API_KEY.__class__}", "{0}", "{}", "{", "}", "{API_KEY[0]}"],
)
def test_no_field_reaches_beyond_the_key_in_the_originals_mode(field: str):
    observation = env_of(compat="original").step(LABEL.replace("{API_KEY}", field))[0]
    assert observation["status"] == 1
    assert len(observation["result"]) < 400


@pytest.mark.parametrize("settings_", [{}, {"compat": "original"}, {"split": "train"}, {"program": True}])
def test_the_standing_checks_hold(settings_: dict[str, Any]):
    env = gym.make("stb/OpenWeather-v1", **settings_).unwrapped
    assert isinstance(env, ToolEnv)
    report = validate("stb/OpenWeather-v1", env, seeds=10)
    assert [check for check in report.checks if not check.passed] == []
    assert report.counts["scores"] == {"gold": 1.0} | dict.fromkeys(
        ("noop", "give_up", "echo", "inject", "random"), 0.0
    )


@pytest.mark.parametrize("compat", [None, "original"])
def test_the_oracle_solves_every_test_task(compat: str | None):
    env = make(compat=compat)
    for index in range(100):
        env.reset(seed=0, options={"task_id": f"test-{index}"})
        (call,) = env.task.gold
        env.step({"name": call.name, "arguments": call.arguments})
        assert env.step(DONE)[1] == 1.0


@pytest.mark.parametrize("compat", [None, "original"])
def test_damaged_programs_are_observations(compat: str | None):
    env = env_of(compat=compat, program=True)
    start = env.snapshot()
    for text in mutants(LABELS, 500, seed=7):
        env.restore(start)
        observation, _, terminated, _, info = env.step(text)
        assert terminated
        assert info["valid"]
        json.loads(observation["result"] or "null")


@given(
    st.lists(st.sampled_from([LABEL, LABEL[:-1], "prose", LABEL.replace("palo", "palo+"), ""]), max_size=4)
)
@settings(max_examples=40)
def test_what_a_fork_does_is_nothing_to_its_origin(actions: list[str]):
    env = env_of()
    for action in actions:
        before = env.snapshot()
        ahead = env.fork().step(action)
        assert env.snapshot() is before
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
    lines = [json.dumps({"prompt": f"goal {label}", "completion": [label]}) for label in labels]
    (folder / "test.jsonl").write_text("\n".join(lines))
    return folder


def test_official_files_are_played_in_both_modes(tmp_path: Path):
    folder = official(tmp_path, *LABELS[:9])
    for compat in (None, "original"):
        env = make(data=str(folder), compat=compat, program=True)
        assert env.tasks.size == 9
        for index, label in enumerate(LABELS[:9], 1):
            env.reset(seed=0, options={"task_id": str(index)})
            assert env.task.query == f"goal {label}"
            assert env.step(label)[1] == 1.0


def test_official_labels_that_do_not_run_are_errors(tmp_path: Path):
    with pytest.raises(DataError, match=r"line 2: the label .* is no request that the service answers"):
        make(data=official(tmp_path, LABEL, LABEL[:-1]))
    with pytest.raises(DataError, match=r"line 1: the label .* is no valid request: 'units' must be one of"):
        make(data=official(tmp_path, LABEL.replace("metric", "celsius")))
    with pytest.raises(DataError, match=r"line 1: the label .* does not run: code does not end with '"):
        make(data=official(tmp_path, LABEL.replace("'", '"')), compat="original")
