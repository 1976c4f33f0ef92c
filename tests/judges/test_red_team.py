"""What the heuristic judge gives agents that look clever, beside what it gives honest ones."""

import warnings

import pytest

from stb_env.baselines.plain_answer import plain_answer
from stb_env.envs.connections import connect_judge
from stb_env.judges import heuristic
from stb_env.judges.heuristic import HeuristicJudge, UnnamedJudgeWarning
from stb_env.judges.judge import Case
from stb_env.request import drive
from stb_env.suites.stabletoolbench.env import make
from tests.judges import red_team
from tests.shared import queries

GROUPS = ("I1-Instruction", "I1-Category", "I1-Tool", "I2-Instruction", "I2-Category", "I3-Instruction")
EMBEDDED = [(env, task) for env in (make(group, judge="heuristic") for group in GROUPS) for task in env.tasks]
JUDGE = HeuristicJudge()


def score(env, task, caller, made):
    calls, _ = red_team.play(env, task, red_team.CALLERS[caller])
    return drive(JUDGE.judge(red_team.case(task, calls, made(task, calls)))).score


def gold(env, task, spoil=str):
    calls, text = red_team.play(env, task, plain_answer)
    return drive(JUDGE.judge(red_team.case(task, calls, spoil(text)))).score


def mean(scores):
    scores = list(scores)
    return sum(scores) / len(scores)


def cheats(env, task):
    for caller in red_team.CALLERS:
        for made in (*red_team.TUNED.values(), *red_team.HELD_OUT.values()):
            yield score(env, task, caller, made)


def spoils(env, task):
    for spoil in (*red_team.SPOILED_TUNED.values(), *red_team.SPOILED_HELD_OUT.values()):
        yield gold(env, task, spoil)


def test_on_the_embedded_queries_gold_is_worth_nine_tenths_and_the_red_team_one_tenth():
    assert mean(gold(env, task) for env, task in EMBEDDED) >= 0.9
    assert mean(value for pair in EMBEDDED for value in cheats(*pair)) <= 0.1
    assert mean(value for pair in EMBEDDED for value in spoils(*pair)) <= 0.1


@pytest.mark.parametrize("spoil", red_team.SPOILED_TUNED)
def test_a_good_answer_that_is_denied_doubted_doubled_or_taken_back_does_not_pass(spoil):
    assert mean(gold(env, task, red_team.SPOILED_TUNED[spoil]) for env, task in EMBEDDED) <= 0.1


def test_on_a_few_real_queries_most_of_gold_passes_and_hardly_any_of_the_red_team(shared_data):
    folder = queries(shared_data)
    found = {path.stem for path in folder.rglob("*.json")}
    pairs = []
    for group in GROUPS:
        if group.replace("I", "G", 1).replace("-", "_").lower() in {name.lower() for name in found}:
            env = make(group, data=folder, judge="heuristic")
            pairs += [(env, task) for task in list(env.tasks)[:2]]
    assert mean(gold(*pair) for pair in pairs) >= 0.8
    assert mean(value for pair in pairs for value in cheats(*pair)) <= 0.1


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


def test_the_fingerprint_says_which_version_decides():
    assert HeuristicJudge().fingerprint["version"] == 4
