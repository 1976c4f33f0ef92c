"""The judge command's ways: again, against another run, on tasks, and against people."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.solvability import ModelSolvability
from stb_env.judges.solvability_panel import SolvabilityPanel
from stb_env.models import ModelError, ScriptedModel
from stb_env.runs.baselines import load_agent
from stb_env.runs.judging import poll_tasks
from stb_env.show.cli import app as commands
from stb_env.show.cli.judge import judge as judge_command
from stb_env.tasks import Task
from tests.fakes.openai_server import Answer, OpenAIServer, completion
from tests.fakes.tools import ONE_TOOL
from tests.judges.runs import ENV, record
from tests.saved import unsum

app = typer.Typer()
app.command()(judge_command)


def command(*arguments, code=0):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done


def report_of(*arguments, code=0):
    return json.loads(command(*arguments, "--json", code=code).stdout)


@pytest.fixture
def server(monkeypatch) -> Iterator[OpenAIServer]:
    """A judge model named m; it says what the test scripts."""
    monkeypatch.setenv("STB_JUDGE_MODEL", "m")
    monkeypatch.setenv("STB_JUDGE_RETRIES", "0")
    with OpenAIServer().running() as running:
        monkeypatch.setenv("STB_JUDGE_BASE_URL", running.url("judge"))
        yield running


@pytest.fixture
def gone(monkeypatch) -> str:
    """A judge whose port nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{one.getsockname()[1]}/v1"
    monkeypatch.setenv("STB_JUDGE_MODEL", "m")
    monkeypatch.setenv("STB_JUDGE_BASE_URL", url)
    return url


def always(server, text, times=50):
    server.script(*[Answer(completion(text))] * times, role="judge")


@pytest.fixture
def run(tmp_path):
    return record(tmp_path / "run")


@pytest.fixture
def reference(tmp_path):
    return record(tmp_path / "reference", "It rains.")


def labels(folder, *lines):
    file = folder / "labels.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def ids_of(run):
    return [json.loads(line)["task_id"] for line in (run / "trajectories.jsonl").open()]


# -- again ---------------------------------------------------------------------------------------------


def test_several_votes_are_reported_as_sopr_with_interval_and_flips(server, run):
    server.script(*[Answer(completion(text)) for text in ["Solved", "Unsolved"] * 3], role="judge")
    report = report_of(run, "--votes", "2")
    assert report["votes"] == {"scores": [1.0, 0.0], "mean": 0.5, "std": 0.5}
    assert report["sopr"]["average"] == 0.5
    assert (report["flips"]["tasks"], report["flips"]["flipped"]) == (3, 3)


def test_each_vote_is_a_sample_with_a_seed_of_its_own_and_is_asked_for_once(server, run):
    always(server, "Solved")
    report_of(run, "--votes", "3")
    sampled = [(request.body["temperature"], request.body["seed"]) for request in server.requests]
    assert sampled == [(0.2, 0), (0.2, 1), (0.2, 2)] * 3
    (run / "verdicts.jsonl").unlink()
    report_of(run, "--votes", "3")
    assert len(server.requests) == len(sampled)


def test_final_answer_correctness_is_a_judge_of_its_own(server, run):
    always(server, "Unsolved")
    report = report_of(run, "--judge", "final_answer")
    assert (report["judge"], report["solved_all"]) == ("final_answer:m:v2", 0.0)
    assert report["verdicts"].endswith("verdicts-final_answer-m-v2.jsonl")


def test_the_original_pass_rate_judges_what_gave_up_too_and_keeps_its_books(server, tmp_path):
    run = record(tmp_path / "given_up", agent=load_agent("give_up"))
    always(server, "Unsolvable")
    report = report_of(run, "--judge", "original_pass")
    assert (report["judged"], report["bookkeeping"]["pass_rate"]) == (3, 1.0)
    assert report["bookkeeping"]["tasks"] == {"solvable": 0.0, "unsolvable": 3.0, "unsure": 0.0}
    assert report_of(run, "--judge", "original_pass")["judged"] == 0
    assert "original pass rate" in command(run, "--judge", "original_pass").stdout


STATUS = {"properties": {"answer_status": {"type": "string"}}}
TASK = {"properties": {"task_status": {"type": "string"}}}
PREFERENCE = {"properties": {"index": {"type": "number"}}}
WORDS = {
    "check_answer_status": ("Is it? {query} {answer}", STATUS),
    "parse_answer_status": ("Look: {query} {answer}", STATUS),
    "check_task_solvable": ("Can it? {task}", TASK),
    "select_better_answer": ("Which? {query} {answer_0} {answer_1}", PREFERENCE),
}


@pytest.fixture
def evaluator(tmp_path):
    """An evaluator folder with words of its own."""
    functions = [{"name": name, "parameters": schema} for name, (_, schema) in WORDS.items()]
    config = {"evaluator_name": "like", "completions_kwargs": {"temperature": 0.3, "functions": functions}}
    (tmp_path / "like").mkdir()
    (tmp_path / "like" / "config.yaml").write_text(json.dumps(config))
    blocks = [
        f"<function><name>{name}</name><description>{text}</description></function>"
        for name, (text, _) in WORDS.items()
    ]
    (tmp_path / "like" / "template.txt").write_text("".join(blocks))
    return tmp_path / "like"


def test_an_evaluator_words_the_pass_judge_and_sets_its_temperature(server, run, evaluator):
    always(server, "Solved")
    assert report_of(run, "--evaluator", evaluator)["judge"] == "pass:m:like"
    request = server.requests[0].body
    assert request["messages"][0]["content"].startswith("Is it? ")
    assert request["temperature"] == 0.3


def test_an_evaluator_words_both_questions_of_the_original_pass_rate(server, run, evaluator):
    always(server, "Unsolved", times=1)
    always(server, "Unsolvable", times=1)
    report = report_of(run, "--judge", "original_pass", "--evaluator", evaluator, code=1)
    assert report["judge"] == "original_pass:m:like"
    asked = [request.body["messages"][0]["content"].split("?")[0] for request in server.requests]
    assert asked[:2] == ["Is it", "Can it"]


def test_an_evaluator_words_the_comparison_after_its_own_verdicts(server, run, reference, evaluator):
    always(server, "Solved", times=6)
    report_of(run, "--evaluator", evaluator)
    report_of(reference, "--evaluator", evaluator)
    always(server, '{"index": 0}')
    report = report_of(run, "--against", reference, "--evaluator", evaluator, "--order", "random")
    assert (report["judge"], report["verdicts"]) == ("preference:m:like", "pass:m:like")
    assert server.requests[-1].body["messages"][0]["content"].startswith("Which? ")


def test_the_seed_of_a_random_order_is_an_option_and_in_the_settings(server, run, reference):
    always(server, '{"better": "tie"}')
    report = report_of(run, "--against", reference, "--order", "random", "--seed", "5")
    assert report["settings"]["seed"] == 5


# -- against -------------------------------------------------------------------------------------------


def test_a_run_is_compared_with_another_and_resumed_without_a_call(server, run, reference):
    always(server, '{"better": "first"}')
    report = report_of(run, "--against", reference, "--comparisons", "2")
    assert (report["overall"]["tie"], report["overall"]["ties_half"]) == (1.0, 0.5)
    assert (report["compared"], len(server.requests)) == (6, 12)
    assert report_of(run, "--against", reference, "--comparisons", "2")["compared"] == 0
    assert len(server.requests) == 12
    assert json.loads((run / "summary-preference-m-v2-against-reference.json").read_text())["tasks"] == 3


def test_the_order_of_the_paper_asks_once_a_comparison(server, run, reference):
    always(server, '{"better": "tie"}')
    report = report_of(run, "--against", reference, "--order", "random", "--comparisons", "1")
    assert (report["settings"]["order"], len(server.requests)) == ("random", 3)


def test_the_rule_for_a_lone_unsure_is_an_option(server, run, tmp_path):
    lone = record(tmp_path / "lone", "It rains.", "Unsure")
    poor = record(tmp_path / "poor", "It rains a lot.", "Unsolved")
    assert report_of(lone, "--against", poor)["overall"]["win"] == 1.0
    always(server, '{"better": "tie"}')
    assert report_of(lone, "--against", poor, "--unsure", "compare")["overall"]["tie"] == 1.0


def test_without_a_key_runs_of_the_heuristic_are_compared_by_its_verdicts(tmp_path):
    run = record(tmp_path / "run", agent=load_agent("gold"), judge=HeuristicJudge())
    poor = record(tmp_path / "poor", agent=load_agent("give_up"), judge=HeuristicJudge())
    report = report_of(run, "--against", poor)
    assert (report["judge"], report["overall"]["lose"]) == ("verdicts:heuristic", 0.0)
    assert report["overall"]["win"] > 0.5


def test_a_comparison_that_does_not_come_exits_1_and_is_no_loss(server, run, reference):
    server.script(*[Answer({"error": {"message": "down"}}, 503)] * 20, role="judge")
    report = report_of(run, "--against", reference, "--comparisons", "1", code=1)
    assert (report["failed"], report["undecided"]) == (3, 3)
    assert (report["overall"]["queries"], report["overall"]["undecided"], report["overall"]["lose"]) == (
        3,
        3,
        0.0,
    )


# -- tasks ---------------------------------------------------------------------------------------------


@pytest.fixture
def panel(tmp_path, server):
    """Three models files whose judges say yes, no and yes."""
    files = []
    for name, word in (("a", "Solvable"), ("b", "Unsolvable"), ("c", "Solvable")):
        file = tmp_path / f"{name}.toml"
        file.write_text(f'[models.judge]\nmodel = "{name}"\nbase_url = "{server.url(name)}"\n')
        server.script(*[Answer(completion(word))] * 20, role=name)
        files += ["--models", file]
    return files


@pytest.fixture
def own_models(monkeypatch, panel):
    """Let the files name the models."""
    for name in ("STB_JUDGE_MODEL", "STB_JUDGE_BASE_URL"):
        monkeypatch.delenv(name)
    return panel


def test_several_models_vote_on_tasks_and_a_second_call_asks_no_one(server, own_models, tmp_path):
    arguments = ["--solvable", ENV, *own_models, "--out", tmp_path / "votes"]
    report = report_of(*arguments)
    assert (report["needed"], report["solvable"], report["undecided"]) == (2, report["tasks"], 0)
    assert len(report["solvable_ids"]) == report["tasks"]
    asked = len(server.requests)
    again = report_of(*arguments)
    assert (again["asked"], len(server.requests)) == (0, asked)
    assert report_of(*arguments, "--needed", "3")["unsolvable"] == report["tasks"]
    assert len(server.requests) == asked


def test_query_files_are_voted_on_as_they_are(own_models, tmp_path):
    api = {"category_name": "C", "tool_name": "T", "api_name": "A", "api_description": "d"}
    api |= {"required_parameters": [], "optional_parameters": [], "method": "GET"}
    query = {"query_id": 7, "query": "Weather?", "api_list": [api], "relevant APIs": [["T", "A"]]}
    file = tmp_path / "queries.json"
    file.write_text(json.dumps([query]))
    report = report_of("--solvable", file, *own_models, "--out", tmp_path / "votes")
    assert report["solvable_ids"] == ["7"]


def test_a_vote_on_tasks_that_is_stopped_or_misses_votes_goes_on_where_it_was(tmp_path):
    tasks = [Task(str(number), f"Query {number}?", ONE_TOOL) for number in range(3)]
    down = ModelError("HTTP 503", kind="transport")

    def made(*replies):
        models = [ScriptedModel(list(said), name=f"m{place}") for place, said in enumerate(replies)]
        return SolvabilityPanel([ModelSolvability(model) for model in models], 2), models

    first, _ = made(["Solvable", "Unsolvable", "Solvable"], ["Solvable", down, down])
    assert poll_tasks(tasks, first, tmp_path).summary["undecided"] == 1
    unsum(tmp_path)
    (tmp_path / "solvability.jsonl").open("a").write('{"version": 1, "ta')
    second, models = made(["Solvable"], ["Unsolvable"])
    found = poll_tasks(tasks, second, tmp_path)
    assert (found.asked, [one.solvable for one in found.tasks]) == (1, [True, False, False])
    assert [len(model.requests) for model in models] == [1, 1]


# -- people --------------------------------------------------------------------------------------------


def test_accuracy_on_solving_goes_by_the_verdicts(server, run):
    always(server, "Solved")
    ids = ids_of(run)
    file = labels(
        run,
        {"question": "solving", "task_id": ids[0], "labels": ["solved", "solved", "unsolved"]},
        {"question": "solving", "task_id": ids[1], "labels": ["unsolved"]},
        {"question": "solving", "task_id": "none", "labels": ["unsolved"]},
    )
    (accuracy,) = report_of(run, "--human", file)["human"]
    assert (accuracy["accuracy"], accuracy["decided"], accuracy["missing"]) == (0.5, 2, 1)
    assert "right on solving" in command(run, "--human", file).stdout


def test_accuracy_on_comparisons_goes_by_the_most_frequent_result(server, run, reference):
    always(server, '{"better": "tie"}')
    ids = ids_of(run)
    file = labels(run, {"question": "comparison", "task_id": ids[0], "labels": ["tie", "tie", "win"]})
    (accuracy,) = report_of(run, "--against", reference, "--human", file)["human"]
    assert (accuracy["question"], accuracy["accuracy"]) == ("comparison", 1.0)


def test_accuracy_on_solvability_is_told_for_each_model_and_for_all_together(own_models, run, tmp_path):
    file = labels(run, {"question": "solvability", "task_id": ids_of(run)[0], "labels": ["solvable"]})
    report = report_of("--solvable", ENV, *own_models, "--out", tmp_path / "votes", "--human", file)
    assert {row["judge"]: row["accuracy"] for row in report["human"]} == {
        "panel": 1.0,
        "solvability:a:v2": 1.0,
        "solvability:b:v2": 0.0,
        "solvability:c:v2": 1.0,
    }


# -- bad use -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the folder of a run, or tasks to vote on with --solvable"),
        (["RUN", "--against", "nowhere"], "nowhere holds no run"),
        (["RUN", "--against", "REF", "--only-failed"], "--only-failed does not go with --against"),
        (["RUN", "--needed", "2"], "--needed does not go with DIR"),
        (["RUN", "--models", "a.toml", "--models", "b.toml"], "a run is judged by one model, got 2 --models"),
        (["RUN", "--solvable", ENV], "DIR does not go with --solvable"),
        (["--solvable", ENV], "name one with --out DIR"),
        (["--solvable", "stb/I1Instructin-v0", "--out", "OUT"], "Did you mean 'stb/I1Instruction-v0'?"),
        (["RUN", "--against", "OTHER"], "judged by pass:m:v3 and"),
        (
            ["RUN", "--judge", "heuristic", "--evaluator", "REF"],
            "an evaluator words the judges pass and original_pass, not heuristic",
        ),
        (["RUN", "--human", "nothing.jsonl"], "cannot read the labelled file nothing.jsonl"),
    ],
)
def test_bad_use_exits_2_and_says_why(server, run, reference, tmp_path, arguments, message):
    other = record(tmp_path / "other", agent=load_agent("gold"), judge=HeuristicJudge())
    names = {"RUN": run, "REF": reference, "OUT": tmp_path / "out", "OTHER": other}
    done = command(*[names.get(argument, argument) for argument in arguments], code=2)
    assert message in " ".join(done.output.split())


@pytest.mark.parametrize("way", ["again", "against", "solvable", "original"])
def test_a_judge_that_is_gone_is_one_line_before_the_work(gone, run, reference, tmp_path, way):
    asked = {
        "again": [run],
        "against": [run, "--against", reference],
        "solvable": ["--solvable", ENV, "--out", tmp_path / "votes"],
        "original": [run, "--compat", "original"],
    }[way]
    before = sorted(tmp_path.rglob("*"))
    done = command(*asked, code=1)
    assert done.stdout == ""
    line = rf"error: judge model 'm' at {gone} cannot be reached: the connection failed: [^\n]*\n"
    assert re.fullmatch(line, done.stderr)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_heuristic_does_not_stand_in_for_an_exact_verifier_unasked(tmp_path: Path):
    out = str(tmp_path / "run")
    words = ["run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", "2", "--out", out]
    CliRunner().invoke(commands, words)
    refused = CliRunner().invoke(commands, ["judge", out])
    assert refused.exit_code == 2
    assert "whose exact verifier has judged it" in " ".join(refused.output.split())
    assert CliRunner().invoke(commands, ["judge", out, "--judge", "heuristic"]).exit_code == 0
