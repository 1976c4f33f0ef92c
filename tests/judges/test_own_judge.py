"""Judges of other people's: functions and classes, plain or async, by object, module and path."""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the environments)
from stb_env.core.request import adrive, drive
from stb_env.errors import ConfigError, JudgeError
from stb_env.judges.judge import Case
from stb_env.judges.own_judge import OwnJudge, as_judge, load_own_judge
from stb_env.judges.registry import load_judge
from stb_env.runs.make import make_env
from stb_env.tasks import Task
from stb_env.verdict import Verdict
from tests.fakes.tools import ONE_TOOL
from tests.judges import own

FILE = str(Path(own.__file__))
JUDGES = [own.plain, own.later, own.generator, own.Exact(), own.Typed()]


def case(answer: str) -> Case:
    return Case(Task("1", "What is six times seven?", ONE_TOOL), answer, ())


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: getattr(judge, "__name__", type(judge).__name__))
def test_every_form_of_judge_decides(judge: Any):
    decides = as_judge(judge)
    verdicts = [drive(decides.judge(case("42"))), asyncio.run(adrive(decides.judge(case("41"))))]
    assert [(verdict.status, verdict.score) for verdict in verdicts] == [("solved", 1.0), ("unsolved", 0.0)]
    assert {verdict.judge for verdict in verdicts} == {decides.name}


def test_a_judge_that_works_as_ours_do_stays_as_it_is():
    judge = own.Typed()
    assert as_judge(judge) is judge


@pytest.mark.parametrize("judge", JUDGES, ids=lambda judge: getattr(judge, "__name__", type(judge).__name__))
def test_the_environment_takes_every_form(judge: Any):
    env = gym.make("stb/I1Instruction-v0", judge=judge)
    env.reset(seed=0)
    action = {"name": "Finish", "arguments": {"final_answer": "42"}}
    assert env.step(action)[1] == 1.0


@pytest.mark.parametrize(
    ("said", "status", "score"),
    [
        (True, "solved", 1.0),
        (False, "unsolved", 0.0),
        (1, "solved", 1.0),
        (0.5, "unsure", 0.5),
        ((0.25, "a part"), "unsure", 0.25),
        (Verdict.of("na", judge="x"), "na", 0.0),
    ],
)
def test_what_a_judge_may_say(said: Any, status: str, score: float):
    verdict = drive(as_judge(lambda case: said).judge(case("")))
    assert (verdict.status, verdict.score) == (status, score)


@pytest.mark.parametrize("said", [None, "yes", 2, -0.1, float("nan"), (True, 3), (True, "a", "b"), []])
def test_what_is_no_verdict_is_a_failure_and_never_a_score(said: Any):
    with pytest.raises(
        JudgeError, match=r"^judge '<lambda>' returned .*; expected a Verdict, True, False, a"
    ):
        drive(as_judge(lambda case: said).judge(case("")))


def test_what_a_judge_raises_is_a_failure_that_tells_where_and_no_secret():
    with pytest.raises(JudgeError) as caught:
        drive(as_judge(own.broken).judge(case("hunter2")))
    line = Path(FILE).read_text().splitlines().index("def broken(case: Case) -> bool:") + 2
    assert (
        str(caught.value) == f"judge 'broken' raised RuntimeError (own.py, line {line}), which is a bug in it"
    )
    assert caught.value.failure()["kind"] == "internal"
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize("judge", ["plain", 3, own.Exact, None])
def test_what_is_no_judge_is_refused(judge: Any):
    with pytest.raises(
        ConfigError, match=r"^a judge is a function of a Case or has a method judge\(case\), got"
    ):
        as_judge(judge)


@pytest.mark.parametrize("place", ["tests.judges.own", FILE])
def test_a_judge_is_found_by_module_and_by_path_with_its_version(place: str):
    judge = load_judge(f"{place}:plain")
    assert judge.name == "plain"
    assert judge.fingerprint["source"].startswith("plain@")
    assert drive(judge.judge(case("42"))).status == "solved"


def test_a_class_may_be_given_settings_which_the_manifest_carries():
    judge = load_judge("tests.judges.own:Exact(right='7')")
    assert drive(judge.judge(case("7"))).status == "solved"
    assert judge.fingerprint["settings"] == {"right": "7"}
    assert judge.name == "mine"


def test_a_class_that_takes_a_model_is_given_the_models_file():
    judge = load_own_judge("tests.judges.own:Exact", "models.toml")
    assert judge.fingerprint["settings"] == {"model": "models.toml"}


def test_a_fingerprint_of_its_own_stays():
    assert load_judge("tests.judges.own:Typed").fingerprint == {"judge": "typed", "level": 3}


def test_another_file_is_another_version(tmp_path):
    versions = set()
    for number in (1, 2):
        (tmp_path / f"{number}.py").write_text(f"def judge(case):\n    return {number} == 1\n")
        versions.add(load_judge(f"{tmp_path / str(number)}.py:judge").fingerprint["source"])
    assert len(versions) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere.py:Judge", r"^nowhere.py does not exist; give the path of a Python file$"),
        ("tests.judges.own:plian", r"^tests.judges.own defines no 'plian'\. Did you mean 'plain'\?$"),
        ("tests.judges.own:Exact(left=1)", r"has no setting 'left'; it takes right, model\."),
        (
            "tests.judges.own:plain(level=1)",
            r"^only classes take settings, and tests.judges.own:plain is a func",
        ),
        (
            "tests.judges.own:Failing",
            r"^cannot make tests.judges.own:Failing: RuntimeError: no model; write sett",
        ),
        ("tests.judges.own:FILE", r"^tests.judges.own defines no 'FILE'"),
        ("pathlib:sys", r"^a judge is a function of a Case or has a method judge\(case\), got <module 'sys'"),
    ],
)
def test_a_judge_that_cannot_be_had_is_a_setting_that_is_wrong(text: str, message: str):
    with pytest.raises(ConfigError, match=message):
        load_judge(text)


def test_own_judges_have_their_own_votes():
    with pytest.raises(
        ConfigError, match=r"^tests.judges.own:plain is asked once and has its own votes; leave"
    ):
        load_judge("tests.judges.own:plain", votes=3)


@pytest.mark.parametrize(
    "env_id", ["stb/Sandbox-v1", "stb/I1Tool-v0", "stb/OpenWeather-v1", "stb/APIBankCall-v1"]
)
def test_every_environment_can_be_judged_by_your_own(env_id: str):
    assert make_env(env_id, {"judge": f"{FILE}:plain"}).rules.judge.name == "plain"


def test_an_environment_with_your_own_judge_pickles():
    env = gym.make("stb/Sandbox-v1", judge=f"{FILE}:Exact(right='1')").unwrapped
    again = pickle.loads(pickle.dumps(env))
    assert drive(again.rules.judge.judge(case("1"))).status == "solved"


def test_what_else_a_judge_says_of_itself_is_passed_on():
    class Lucky:
        floors = {"random": 0.5}  # noqa: RUF012

        def judge(self, case: Case) -> bool:
            return True

    judge: Any = OwnJudge(Lucky())
    assert (judge.floors, judge.name) == ({"random": 0.5}, "Lucky")
    with pytest.raises(AttributeError):
        _ = judge.votes
