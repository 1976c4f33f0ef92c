import json

import pytest

from stb_env.core.request import drive
from stb_env.errors import JudgeError
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.judge_accuracy import (
    Accuracy,
    NeededTools,
    Panel,
    ScoreComparison,
    model_panel,
    score,
)
from stb_env.experiments.lab.judge_cases import CORRUPTIONS, corrupted_case, draw_tasks, gold_case
from stb_env.experiments.lab.judges import episode_pairs, run, tool_cases
from stb_env.judges.pass_judge import PassJudge
from stb_env.models import ScriptedModel
from stb_env.tools import FINISH
from stb_env.verdict import Verdict
from tests.fakes.openai_server import Answer, OpenAIServer, completion

TASKS = draw_tasks(40, seed=0)
PAIRS = episode_pairs(TASKS, seed=0)
EPISODES = [case for pair in PAIRS for case in pair]


class AlwaysSays:
    """A judge with one opinion."""

    name = "stubborn"

    def __init__(self, status):
        self._status = status

    def judge(self, case):
        yield from ()
        return Verdict.of(self._status, judge=self.name)


class NeverAnswers:
    """A judge that is down, on every question."""

    name = "down"

    def judge(self, case):
        yield from ()
        raise JudgeError("no vote came")

    solvable = judge

    def better(self, first, second):
        return self.judge(first)


class PrefersTheFirst:
    """A comparison with a bias for the position."""

    def better(self, first, second):
        yield from ()
        return "first"


@pytest.fixture(scope="module")
def small():
    return run(LabSettings(episodes=60)).to_dict()


def test_the_exact_verifier_is_always_right_and_the_heuristic_is_not(small):
    exact, heuristic = small["rows"]
    assert [exact[name] for name in ("solvability", "solving", "comparison", "kappa")] == [1.0] * 4
    assert 0.5 < heuristic["solving"] < 1.0
    assert 0.0 < heuristic["kappa"] < 1.0


def test_a_judge_without_an_answer_to_a_question_has_none_in_its_column(small):
    heuristic = small["rows"][1]
    assert (heuristic["judge"], heuristic["solvability"]) == ("heuristic", None)
    assert run(LabSettings(episodes=2)).table().count("| heuristic | -           |") == 1


def test_confusion_counts_every_episode_once_by_kind(small):
    rows = [row for row in small["further"][0]["rows"] if row["judge"] == "heuristic"]
    assert {row["kind"] for row in rows} == {"gold", *CORRUPTIONS}
    for row in rows:
        assert row["episodes"] == row["solved"] + row["unsure"] + row["unsolved"] + row["missing"]
    gold = next(row for row in rows if row["kind"] == "gold")
    assert 2 * gold["episodes"] == sum(row["episodes"] for row in rows)


def test_the_heuristic_passes_no_refusal_and_no_order_to_pass(small):
    rows = [row for row in small["further"][0]["rows"] if row["judge"] == "heuristic"]
    assert [row["solved"] for row in rows if row["kind"] in ("refusal", "injected orders")] == [0, 0]


def test_equal_seeds_give_equal_json_and_others_other_cases(small):
    def text(seed):
        return json.dumps(run(LabSettings(seed=seed, episodes=60)).to_dict())

    assert text(0) == json.dumps(small) != text(1)


@pytest.mark.parametrize("kind", CORRUPTIONS)
def test_each_corruption_makes_some_tasks_fail_and_keeps_the_query(kind):
    cases = [(task, case) for task in TASKS if (case := corrupted_case(task, [kind], seed=0))]
    assert cases
    for task, case in cases:
        assert (case.kind, case.solved, case.case.task) == (kind, False, task)


def test_a_changed_fact_leaves_the_calls_and_most_of_the_answer_alone():
    for task in TASKS:
        case = corrupted_case(task, ["changed fact"], seed=0)
        if case is not None:
            gold = gold_case(task).case
            assert case.case.calls[:-1] == gold.calls[:-1]
            assert case.case.final_answer != gold.final_answer


def test_a_skipped_call_is_one_call_less_with_the_same_answer():
    skipped = [case for task in TASKS if (case := corrupted_case(task, ["skipped call"], seed=0))]
    for case in skipped:
        assert len([call for call in case.case.calls if call.name != FINISH]) == len(case.case.task.gold) - 1
        assert case.case.final_answer == case.case.task.record["final_answer"]


def test_a_refusal_does_not_undo_what_was_done_so_it_corrupts_no_task_without_facts():
    tasks = [task for task in TASKS if not task.goal["answer"]]
    assert tasks
    assert [corrupted_case(task, ["refusal"], seed=0) for task in tasks] == [None] * len(tasks)


def test_every_other_task_lacks_one_tool_that_it_needs():
    cases = tool_cases(TASKS, seed=0)
    assert [case.solvable for case in cases] == [True, False] * (len(TASKS) // 2)
    for task, case in zip(TASKS, cases, strict=True):
        assert len(case.task.tools) == len(task.tools) - (not case.solvable)
        assert drive(NeededTools().solvable(case.task)) is case.solvable


@pytest.mark.parametrize(("status", "share"), [("solved", 0.5), ("unsolved", 0.5), ("unsure", 0.0)])
def test_a_judge_with_one_opinion_is_right_by_chance_and_never_by_doubt(status, share):
    judge = AlwaysSays(status)
    found = score(Panel("stubborn", None, judge, ScoreComparison(judge)), [], EPISODES, PAIRS)
    assert found.solving.share == share
    assert found.kappa == pytest.approx(0.0)
    assert (found.comparison.share, found.consistency) == (0.0, 1.0)


def test_a_judge_that_is_down_is_missing_and_never_wrong():
    down = NeverAnswers()
    found = score(Panel("down", down, down, down), tool_cases(TASKS, 0), EPISODES, PAIRS)
    assert found.solvability == Accuracy(0, 0, len(TASKS))
    assert found.solving == Accuracy(0, 0, len(EPISODES))
    assert found.comparison == Accuracy(0, 0, 2 * len(PAIRS))
    assert found.solving.share is None
    assert sum(counts["missing"] for counts in found.confusion.values()) == len(EPISODES)


def test_a_model_judge_is_measured_by_the_votes_that_can_be_read():
    unread = PAIRS[0][0].case.task.query

    def reply(request):
        shown = "\n".join(message["content"] for message in request.messages)
        return "no idea" if unread in shown else "Status: Unsolved"

    judge = PassJudge(ScriptedModel(reply), attempts=1)
    found = score(Panel("pass", None, judge), [], EPISODES, [])
    assert found.solving == Accuracy(right=len(PAIRS) - 1, decided=len(EPISODES) - 2, missing=2)


def looks_for_needed_tools(request):
    """Answer the question of solvability by the tools that the prompt shows, the others always alike."""
    asked = request.tools[0]["function"]["name"]
    if asked != "report_task_status":
        return "first" if asked == "report_preference" else "Unsolved"
    shown = request.messages[0]["content"]
    task = next(task for task in TASKS if task.query in shown)
    needed = [tool.name for tool in task.tools if tool.id in task.relevant]
    return "Solvable" if all(f'"name": "{name}"' in shown for name in needed) else "Unsolvable"


def test_one_model_answers_all_three_questions_and_is_shown_every_tool():
    panel = model_panel(ScriptedModel(looks_for_needed_tools, name="m"))
    found = score(panel, tool_cases(TASKS, 0), EPISODES, PAIRS)
    assert found.name == "pass:m:v3"
    assert found.solvability == Accuracy(right=len(TASKS), decided=len(TASKS), missing=0)
    assert (found.solving.share, found.comparison.share, found.consistency) == (0.5, 0.5, 0.0)


@pytest.mark.parametrize(
    ("said", "accuracy"),
    [
        ("Solvable", Accuracy(20, 40, 0)),
        ("Unsolvable", Accuracy(20, 40, 0)),
        ("Unsure", Accuracy(20, 40, 0)),
        ("no idea", Accuracy(0, 0, 40)),
    ],
)
def test_a_model_that_says_one_thing_is_right_by_chance_and_one_that_says_nothing_is_missing(said, accuracy):
    panel = model_panel(ScriptedModel(lambda _: said))
    assert score(panel, tool_cases(TASKS, 0), [], []).solvability == accuracy


def test_the_row_of_pass_has_a_solvability_from_its_model_and_asks_nothing_twice(tmp_path):
    models = tmp_path / "models.toml"

    def reply(received):
        asked = received.body["tools"][0]["function"]["name"]
        said = {"report_task_status": "Solvable", "report_preference": "first"}
        return Answer(completion(said.get(asked, "Unsolved")))

    with OpenAIServer().running() as server:
        server.script(*[reply] * 40, role="judge")
        models.write_text(f'[models.judge]\nmodel = "tiny"\nbase_url = "{server.url("judge")}"\n')
        options = {"judge": "heuristic,pass", "models": models}
        settings = LabSettings(out=tmp_path / "out", episodes=4, options=options)
        _, heuristic, judged = run(settings).to_dict()["rows"]
        asked = len(server.requests)
        run(settings)
    assert (heuristic["judge"], heuristic["solvability"]) == ("heuristic", None)
    assert (judged["judge"], judged["solvability"], judged["missing"]) == ("pass:tiny:v3", 0.5, 0)
    assert len(server.requests) == asked


def test_a_bias_for_the_position_shows_as_inconsistency():
    found = score(Panel("biased", comparison=PrefersTheFirst()), [], EPISODES, PAIRS)
    assert (found.comparison.share, found.consistency) == (0.5, 0.0)
    assert (found.solving, found.solvability, found.kappa, found.confusion) == (None, None, None, {})
