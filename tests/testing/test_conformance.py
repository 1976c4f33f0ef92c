"""The kit finds what is broken, each defect by the check that is there for it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs.make import env_ids, make_env
from stb_env.suite import suite_of
from stb_env.testing import Report, check, validate
from stb_env.testing.red_team import known_solutions
from tests.testing import broken

pytestmark = pytest.mark.usefixtures("registered")

OWN = [env_id for env_id in env_ids() if env_id.startswith("stb/")]


@pytest.fixture
def registered(forgotten: None) -> None:
    stb_env.suite.register(broken.SUITE)


def failed(env_id: str = "t/Sum-v0", **settings: Any) -> dict[str, str]:
    env = gym.make(env_id, **settings).unwrapped
    assert isinstance(env, ToolEnv)
    return {one.name: one.detail for one in validate(env_id, env).failed}


HEAVY = ("stb/APIBankRetrieve-v1", "stb/GoogleSheets-v1", "stb/Worlds-v0", "stb/WorldsHard-v0")


@pytest.mark.parametrize(
    "env_id", [pytest.param(env_id, marks=[pytest.mark.heavy] if env_id in HEAVY else []) for env_id in OWN]
)
def test_every_environment_of_ours_passes(env_id: str, monkeypatch: pytest.MonkeyPatch):
    if env_id == "stb/WorldsHard-v0":
        # Each of its tasks takes seconds to make, and the red team answers with those of the likest.
        monkeypatch.setattr(known_solutions, "_NEIGHBOURS", 4)
    suite = suite_of(env_id)
    assert suite is not None
    report = validate(env_id, make_env(env_id, suite.standing), seeds=3)
    assert report.failed == []


def test_an_environment_that_is_whole_passes():
    assert failed() == {}


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"judge": broken.Worthless()}, {"gold"}),
        ({"judge": broken.Failing()}, {"no failures", "gold", "null agents are judged"}),
        ({"judge": broken.careless}, {"null agents are judged", "red team is judged"}),
        (
            {"judge": broken.Generous()},
            {"null agent echo", "null agent inject", "no answer in the documentation"},
        ),
        ({"judge": broken.Documented()}, {"no answer in the documentation"}),
        (
            {"world": broken.Counting()},
            {"check_env", "same seed, same bytes", "async equals sync", "forks are independent"},
        ),
        ({"world": broken.Shared(), "judge": broken.SharedExact()}, {"forks are independent"}),
        ({"world": broken.Unlike()}, {"async equals sync"}),
        ({"world": broken.Unpicklable()}, {"environment pickles"}),
        (
            {"world": broken.UnpicklableState(), "judge": broken.UnpicklableExact()},
            {"environment pickles", "snapshot pickles"},
        ),
        ({"world": broken.Forgetful()}, {"environment pickles"}),
        ({"kind": broken.Paying}, {"null agent noop", "null agent give_up"}),
        ({"judge": broken.Generous(), "count": 30}, {"null agent random"}),
        ({"tools": broken.TWINS}, {"tools"}),
        ({"tools": broken.NAMELESS}, {"tools"}),
        ({"tools": broken.SECOND_FINISH}, {"tools"}),
        ({"tools": ()}, {"tools", "gold"}),
    ],
)
def test_a_defect_is_found_by_the_check_that_is_there_for_it(settings: dict[str, Any], names: set[str]):
    assert names <= set(failed(**settings))


@pytest.mark.parametrize(
    "settings",
    [
        {"judge": broken.Worthless()},
        {"judge": broken.Documented()},
        {"world": broken.Unlike()},
        {"world": broken.Unpicklable()},
        {"world": broken.Forgetful()},
        {"tools": broken.TWINS},
    ],
)
def test_a_defect_is_found_by_one_check_alone(settings: dict[str, Any]):
    assert len(failed(**settings)) == 1


def test_details_name_tasks_and_reasons():
    assert (
        failed(judge=broken.Worthless())["gold"] == "0 of 3 reach the maximum, not 0 (0.5), 1 (0.5), 2 (0.5)"
    )
    assert failed(judge=broken.Failing())["no failures"] == "3 of 3 episodes failed, the first (0): down"
    assert "'add' and 'Add' share a cache key" in failed(tools=broken.TWINS)["tools"]
    assert (
        "a lambda or local function cannot travel"
        in failed(world=broken.Unpicklable())["environment pickles"]
    )


def test_tasks_without_gold_are_allowed_and_named():
    report = validate("t/Sum-v0", broken.make(gold=()), seeds=3)
    (gold,) = [one for one in report.checks if one.name == "gold"]
    assert (gold.passed, report.counts["without_gold"]) == (True, ["0", "1", "2"])
    assert gold.detail.endswith("3 without gold, so nothing shows that they can be solved: ['0', '1', '2']")


def test_gold_that_misses_the_maximum_is_forgiven_where_no_exact_verifier_decides():
    suite = stb_env.suite.register(
        stb_env.Suite(
            name="t_open",
            description="an open one",
            environments={"t/Open-v0": stb_env.suite.Maker("tests.testing.broken:make")},
            exact=False,
        )
    )
    assert not suite.exact
    assert failed("t/Open-v0", judge=broken.Worthless()) == {}


def test_an_environment_that_cannot_be_made_again_is_found():
    env = broken.make()
    report = validate("t/Unregistered-v0", env, seeds=3)
    assert [one.name for one in report.failed] == ["specification round trip"]


def test_an_environment_that_is_made_otherwise_each_time_is_found():
    assert "specification round trip" in failed("t/Otherwise-v0")


def test_check_passes_an_id_and_returns_the_report():
    assert check("t/Sum-v0").counts["scores"]["gold"] == 1.0
    assert check(gym.make("t/Sum-v0")).passed


def test_check_raises_with_the_names_of_what_does_not_hold():
    message = r"^t/Sum-v0 fails 1 of 19 checks:\n- gold: 0 of 3 reach the maximum, not 0 \(0\.5\)"
    with pytest.raises(AssertionError, match=message):
        check(gym.make("t/Sum-v0", judge=broken.Worthless()))


def test_check_takes_settings_of_an_id_alone():
    assert check("stb/Sandbox-v1", settings={"split": "val"}, seeds=2).passed
    with pytest.raises(
        ConfigError, match=r"^settings are for an id; an environment that is given is made al"
    ):
        check(broken.make(), settings={"split": "val"})


@pytest.mark.parametrize(("passed", "whole"), [(True, True), (False, False)])
def test_a_report_holds_only_where_every_check_does(passed: bool, whole: bool):
    report = Report("x")
    report.add("one", True, "")
    report.add("two", passed, "")
    assert report.passed is whole
