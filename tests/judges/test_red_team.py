"""What the heuristic judge gives agents that look clever, beside what it gives honest ones."""

import warnings

import pytest

from stb_env.core.request import drive
from stb_env.envs.connections import connect_judge
from stb_env.judges import heuristic
from stb_env.judges.heuristic import HeuristicJudge, UnnamedJudgeWarning
from stb_env.judges.judge import Case
from stb_env.runs.baselines.plain_answer import plain_answer
from stb_env.suites.stabletoolbench.env import make
from tests.judges import red_team
from tests.shared import queries

GROUPS = ("I1-Instruction", "I1-Category", "I1-Tool", "I2-Instruction", "I2-Category", "I3-Instruction")
EMBEDDED = [(env, task) for env in (make(group, judge="heuristic") for group in GROUPS) for task in env.tasks]
JUDGE = HeuristicJudge()
FLOOR = 0.15


def score(env, task, caller, made):
    calls, _ = red_team.play(env, task, red_team.CALLERS[caller])
    return drive(JUDGE.judge(red_team.case(task, calls, made(task, calls)))).score


def gold(env, task, spoil=str):
    calls, text = red_team.play(env, task, plain_answer)
    return drive(JUDGE.judge(red_team.case(task, calls, spoil(text)))).score


def mean(scores):
    scores = list(scores)
    return sum(scores) / len(scores)


ANSWERS = {**red_team.TUNED, **red_team.HELD_OUT}
SPOILS = {**red_team.SPOILED_TUNED, **red_team.SPOILED_HELD_OUT}


def test_gold_earns_nine_tenths_of_the_embedded_queries():
    assert mean(gold(*pair) for pair in EMBEDDED) >= 0.9


@pytest.mark.heavy
@pytest.mark.parametrize("made", ANSWERS)
def test_no_way_to_hand_over_results_earns_more_than_its_floor(made):
    scores = [score(*pair, caller, ANSWERS[made]) for pair in EMBEDDED for caller in red_team.CALLERS]
    assert mean(scores) <= FLOOR


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_good_answer_that_is_denied_doubted_doubled_or_taken_back_earns_no_more_than_its_floor(spoil):
    assert mean(gold(*pair, SPOILS[spoil]) for pair in EMBEDDED) <= FLOOR


@pytest.mark.heavy
def test_on_real_queries_gold_earns_nine_tenths_and_each_cheat_no_more_than_its_floor(shared_data):
    folder = queries(shared_data)
    found = {path.stem.lower() for path in folder.rglob("*.json")}
    groups = [group for group in GROUPS if group.replace("I", "G", 1).replace("-", "_").lower() in found]
    made = [make(group, data=folder, judge="heuristic") for group in groups]
    pairs = [(env, task) for env in made for task in list(env.tasks)[:: max(1, len(env.tasks) // 15)]]
    assert mean(gold(*pair) for pair in pairs) >= 0.9
    for answer in ANSWERS.values():
        assert mean(score(*pair, "gold's calls", answer) for pair in pairs) <= FLOOR
    for spoil in SPOILS.values():
        assert mean(gold(*pair, spoil) for pair in pairs) <= FLOOR


def test_made_up_arguments_make_no_evidence_of_what_they_return():
    env, task = EMBEDDED[0]
    calls, _ = red_team.play(env, task, red_team.CALLERS["placeholders"])
    _, text = red_team.play(env, task, plain_answer)
    verdict = drive(JUDGE.judge(red_team.case(task, calls, text)))
    assert (verdict.status, verdict.votes[0].reason.split(":")[0]) == ("unsolved", "guessed")


@pytest.fixture
def not_warned_yet():
    heuristic._warn_once.cache_clear()
    yield
    heuristic._warn_once.cache_clear()


def test_an_unnamed_heuristic_warns_at_its_first_reward_and_never_again(not_warned_yet):
    judge, case = connect_judge(), Case(EMBEDDED[0][1], "Nothing.", ())
    with pytest.warns(UnnamedJudgeWarning, match='Name it with judge="heuristic"'):
        drive(judge.judge(case))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drive(judge.judge(case))


@pytest.mark.usefixtures("not_warned_yet")
def test_a_heuristic_that_is_asked_for_by_name_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drive(connect_judge("heuristic").judge(Case(EMBEDDED[0][1], "Nothing.", ())))
