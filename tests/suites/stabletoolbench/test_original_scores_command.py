"""``stb-env judge --compat original``: the official result files, with a judge behind local HTTP."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from stb_env.runs.baselines import load_agent
from stb_env.show.cli.judge import judge as judge_command
from stb_env.show.cli.main import app as main
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion, error
from tests.judges.runs import record
from tests.suites.stabletoolbench.test_original_scores_golden import (
    PARAMETERS,
    cases_in,
    entry_of,
    plain_case,
)

GROUP = "G1_instruction"
OWN, THEIRS = f"exports/passrate/{GROUP}_run.json", f"scores/{GROUP}_run.json"
STAGES = ("check_answer_status", "parse_answer_status")

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
    monkeypatch.setenv("STB_JUDGE_MODEL", "m")
    monkeypatch.setenv("STB_JUDGE_RETRIES", "0")
    with OpenAIServer().running() as running:
        monkeypatch.setenv("STB_JUDGE_BASE_URL", running.url("judge"))
        yield running


@pytest.fixture
def evaluator(tmp_path) -> Path:
    """An evaluator folder of the official form; YAML includes JSON."""
    folder = tmp_path / "evaluator"
    folder.mkdir()
    functions = [{"name": name, "parameters": schema} for name, (_, schema) in PARAMETERS.items()]
    settings = {"model": "gone", "max_tokens": 1000, "temperature": 0.2, "timeout": 10}
    config = {"evaluator_name": "like", "completions_kwargs": settings | {"functions": functions}}
    (folder / "config.yaml").write_text(json.dumps(config))
    blocks = (
        f"<function><name>{name}</name><description>{text}</description></function>"
        for name, (text, _) in PARAMETERS.items()
    )
    (folder / "template.txt").write_text("\n".join(blocks))
    return folder


def saying(server, reply) -> Counter:
    """Let the judge answer by function and lines of the question; returns what it was asked."""
    asked: Counter = Counter()

    def script(request: Received) -> Answer:
        function = request.body["tool_choice"]["function"]["name"]
        asked[function] += 1
        said = reply(function, request.body["messages"][0]["content"].split("\n"))
        return said if isinstance(said, Answer) else Answer(completion(said))

    server.script(*[script] * 1_000, role="judge")
    return asked


def written(folder: Path, name: str, value) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return folder


def table(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines(), delimiter="\t"))


# -- pass rates ----------------------------------------------------------------------------------------


@pytest.mark.heavy
def test_golden_pass_rates_reach_the_official_files_byte_by_byte(shared_data, server, evaluator, tmp_path):
    for number, case in enumerate(cases_in(shared_data / "stabletoolbench" / "golden" / "passrate")):
        place, expected = tmp_path / str(number), case["expected"]
        if case["existing_result"]:
            written(place / "out", f"{GROUP}_m.json", case["existing_result"])
        tasks = {entry["query"]: task for task, entry in case["converted"].items()}
        runs: dict[str, int] = defaultdict(int)

        def reply(function, lines, case=case, tasks=tasks, runs=runs):
            task, stage = tasks[lines[0]], STAGES.index(function)
            runs[task] += stage == 0
            return case["judge_verdicts"][task][runs[task] - 1][stage]

        server._scripts["judge"].clear()
        asked = saying(server, reply)
        report = report_of(
            *(written(place / "m", f"{GROUP}.json", case["converted"]), "--compat", "original"),
            *("--evaluator", evaluator, "--votes", case["evaluate_times"], "--out", place / "out"),
            *("--test-ids", written(place / "ids", f"{GROUP}.json", case["test_ids"])),
            *(["--overwrite"] if case["overwrite"] else []),
        )
        found = report["groups"][GROUP]
        text = (place / "out" / f"{GROUP}_m.json").read_text(encoding="utf-8")
        assert text == json.dumps(expected["result_json"], indent=4, ensure_ascii=False), case["name"]
        assert (place / "out" / f"{GROUP}_m.csv").read_bytes().decode() == expected["result_csv"], case[
            "name"
        ]
        assert found["printed"] == expected["printed"], case["name"]
        assert found["scores"] == pytest.approx(expected["scores"]), case["name"]
        assert found["queries"] == expected["denominator"], case["name"]
        assert asked == Counter(expected["judge_calls"]), case["name"]


def answers(folder: Path, name: str, *tasks: str) -> Path:
    return written(folder / name, f"{GROUP}.json", {task: entry_of(task, name) for task in tasks})


def scored(source: Path, *more, code=0):
    """Score answers into the folder ``results`` beside them."""
    return report_of(source, "--compat", "original", "--out", source.parent / "results", *more, code=code)


def test_nothing_is_written_beside_answers_that_are_no_run(server, tmp_path):
    saying(server, lambda function, lines: "Solved")
    source = answers(tmp_path, "out", "1")
    message = "is no run to keep results in; name a folder for them with --out"
    assert message in " ".join(command(source, "--compat", "original", code=2).output.split())
    scored(source, "--votes", "1")
    assert [file.name for file in source.iterdir()] == [f"{GROUP}.json"]


def test_the_judge_is_asked_with_the_evaluators_words_sampling_and_forced_function(
    server, evaluator, tmp_path, monkeypatch
):
    monkeypatch.delenv("STB_JUDGE_MODEL")
    monkeypatch.setenv("EVAL_MODEL", "gpt-4-turbo-preview")
    saying(server, lambda function, lines: "Solved")
    scored(answers(tmp_path, "out", "1"), "--evaluator", evaluator, "--votes", "1")
    (request,) = server.requests
    body = dict(request.body)
    (tool,) = body.pop("tools")
    assert tool["function"]["parameters"]["required"] == ["answer_status", "reason"]
    assert body == {
        "model": "gpt-4-turbo-preview",
        "messages": [{"role": "user", "content": "query 1\nanswer of out to 1"}],
        "tool_choice": {"type": "function", "function": {"name": "check_answer_status"}},
        "temperature": 0.2,
        "max_tokens": 1000,
    }


def test_three_votes_are_the_default_and_the_files_say_who_judged(server, evaluator, tmp_path):
    asked = saying(server, lambda function, lines: "Solved")
    source = answers(tmp_path, "out", "1")
    scored(source, "--evaluator", evaluator)
    who = json.loads((tmp_path / "results" / "judging.json").read_text())[f"{GROUP}_out"]
    assert asked == {"check_answer_status": 3}
    assert (who["judge"], who["questions"], who["evaluate_times"]) == ("m", "like", 3)


def test_without_the_evaluators_files_our_own_prompts_stand_in_and_are_named(server, tmp_path):
    asked = saying(server, lambda function, lines: "Unsure" if function == STAGES[0] else "Solved")
    report = scored(answers(tmp_path, "out", "1"), "--votes", "1")
    assert (report["questions"], report["average"]) == ("own prompts", 100.0)
    assert asked == {"check_answer_status": 1, "parse_answer_status": 1}


def test_a_run_is_scored_as_its_converted_answers(server, evaluator, tmp_path):
    saying(server, lambda function, lines: "Solved")
    run = record(tmp_path / "run")
    report = report_of(run, "--compat", "original", "--evaluator", evaluator, "--votes", "1")
    assert (report["groups"][GROUP]["queries"], report["average"]) == (3, 100.0)
    rows = table((run / "scores" / f"{GROUP}_run.csv").read_text(encoding="utf-8"))
    assert [row[-1] for row in rows[1:]] == ["{0: 'AnswerStatus.Solved'}"] * 3


def test_a_query_whose_judge_fails_has_no_result_and_is_judged_by_the_next_command(
    server, evaluator, tmp_path
):
    saying(server, lambda function, lines: error("no", 400) if lines[0] == "query 1" else "Solved")
    source = answers(tmp_path, "out", "1", "2")
    first = scored(source, "--evaluator", evaluator, code=1)
    assert (list(first["failures"]), first["groups"][GROUP]["queries"]) == (["1"], 1)
    server._scripts["judge"].clear()
    asked = saying(server, lambda function, lines: "Unsolved")
    assert scored(source, "--evaluator", evaluator)["groups"][GROUP]["solve_rate"] == 50.0
    assert asked == {"check_answer_status": 3}


def test_answer_files_are_converted_and_scored(shared_data, server, tmp_path):
    places = {file.parent for file in (shared_data / "stabletoolbench" / "data" / "answers").rglob("*.json")}
    if not places:
        pytest.skip("the shared data hold no answer files")
    for place in sorted(places):
        saying(server, lambda function, lines: "Solved")
        results = tmp_path / place.parent.name
        report = report_of(place, "--compat", "original", "--votes", "1", "--out", results)
        assert report["groups"][place.name]["queries"] == len(list(place.glob("*.json")))
        assert report["average"] <= 100.0


def test_the_votes_of_our_own_judge_are_exported_as_the_same_files(server, tmp_path):
    run = record(tmp_path / "run")
    saying(server, lambda function, lines: "Solved")
    command(run, "--compat", "original", "--votes", "2")
    votes = itertools.cycle(["Solved", "Unsolved"])
    server._scripts["judge"].clear()
    saying(server, lambda function, lines: next(votes))
    command(run, "--votes", "2")
    done = CliRunner().invoke(main, ["export", str(run), "--format", "passrate", "--method", "run"])
    assert done.exit_code == 0, done.output
    ours, theirs = (json.loads((run / place).read_text()) for place in (OWN, THEIRS))
    assert list(ours) == list(theirs)
    for task, entry in ours.items():
        assert entry.pop("is_solved") == {"0": "AnswerStatus.Solved", "1": "AnswerStatus.Unsolved"}
        assert entry == {name: value for name, value in theirs[task].items() if name != "is_solved"}


def test_an_episode_that_needed_no_judge_has_its_verdict_in_every_exported_vote(tmp_path):
    ended = record(tmp_path / "run", agent=load_agent("give_up"))
    assert CliRunner().invoke(main, ["export", str(ended), "--format", "passrate"]).exit_code == 0
    (file,) = (ended / "exports" / "passrate").glob("*.json")
    statuses = [entry["is_solved"] for entry in json.loads(file.read_text()).values()]
    assert statuses == [{"0": "AnswerStatus.Unsolved"}] * 3


# -- preferences ---------------------------------------------------------------------------------------


def passes(folder: Path, model: str, statuses: dict[str, str]) -> None:
    (folder / model).mkdir(parents=True)
    with (folder / model / f"{GROUP}_{model}.csv").open("w", newline="") as out:
        writer = csv.writer(out, delimiter="\t")
        writer.writerow(["query_id", "is_solved"])
        writer.writerows(statuses.items())


def compared(case, server, evaluator, place, *more, code=0):
    """Run the command on a case; returns the report, the object, the table and what was asked."""
    sides = []
    for name, gone in (("ref", "ref_missing_answers"), ("out", "output_missing_answers")):
        tasks = [task for task in case["test_ids"] if task not in case[gone]]
        sides.append(answers(place, name, *tasks))
    if case["existing_result"]:
        written(place / "result", f"{GROUP}_ref_out.json", case["existing_result"])
    passes(place / "pass", "ref", case["ref_is_solved_csv"])
    passes(place / "pass", "out", case["output_is_solved_csv"])
    wanted = {task: iter(names) for task, names in case["judge_prefers_per_call"].items()}

    def reply(function, lines):
        if function == "check_task_solvable":
            return "Solvable"
        task = lines[0].removeprefix("query ")
        if function == "select_better_answer":
            return json.dumps({"index": int(f"answer of {next(wanted[task])} " in lines[2])})
        return case["status_judge"][task]["ref" if "answer of ref " in "\n".join(lines) else "out"]

    server._scripts["judge"].clear()
    asked = saying(server, reply)
    report = report_of(
        *(sides[1], "--against", sides[0], "--compat", "original", "--evaluator", evaluator),
        *("--comparisons", case["evaluate_times"], "--out", place / "result"),
        *("--test-ids", written(place / "ids", f"{GROUP}.json", dict.fromkeys(case["test_ids"], 0))),
        *(["--pass-results", place / "pass"] if case["use_pass_rate"] == "true" else []),
        *more,
        code=code,
    )
    counts = json.loads((place / "result" / f"{GROUP}_ref_out.json").read_text())
    rows = table((place / "result" / f"{GROUP}_ref_out.csv").read_text(encoding="utf-8"))
    return report, counts, rows, asked


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [0, 1])
def test_golden_preferences_reach_the_official_files(shared_data, server, evaluator, tmp_path, seed):
    for number, case in enumerate(cases_in(shared_data / "stabletoolbench" / "golden" / "preference")):
        expected = case["expected"]
        if "original_raises" in expected:
            continue
        place = tmp_path / str(number)
        report, counts, rows, asked = compared(case, server, evaluator, place, "--seed", seed)
        assert counts == expected["prefer_dict"], case["name"]
        found = report["groups"][GROUP]
        assert found["win"] == pytest.approx(100 * expected["win_rate"]), case["name"]
        assert found["tie"] == pytest.approx(100 * expected["tie_rate"]), case["name"]
        assert rows[0] == expected["csv_header"]
        labels = {row[rows[0].index("query_id")]: row[rows[0].index("preference_label")] for row in rows[1:]}
        assert labels == expected["csv_labels"], case["name"]
        assert asked == Counter(expected["judge_call_counts"]), case["name"]


def test_the_order_of_two_answers_is_random_and_follows_from_the_seed(server, evaluator, tmp_path):
    tasks = [str(number) for number in range(20)]
    case = plain_case(tasks, "Solved", "Solved", judge_prefers_per_call={task: ["out"] for task in tasks})

    def firsts(seed, place):
        server.requests.clear()
        compared(case, server, evaluator, tmp_path / place, "--seed", seed)
        texts = [request.body["messages"][0]["content"].split("\n")[1] for request in server.requests]
        return ["answer of ref " in text for text in texts]

    first = firsts(0, "first")
    assert 4 < sum(first) < 16
    assert firsts(0, "again") == first
    assert firsts(1, "other") != first


def test_a_missing_answer_loses_where_the_original_crashes(server, evaluator, tmp_path):
    case = plain_case(["1", "2"], "Unsure", "Unsure", ref_missing_answers=["1"])
    case["status_judge"] = {"2": {"ref": "Unsolved", "out": "Solved"}}
    case["use_pass_rate"] = "false"
    report, _, rows, _ = compared(case, server, evaluator, tmp_path)
    assert report["groups"][GROUP]["win"] == 100.0
    assert rows[1][2:4] == ["", ""]


# -- bad use -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the folder of a run or of answers, or tasks to vote on with --solvable"),
        (["EMPTY"], "no JSON file at"),
        (["OTHER"], "holds neither a run nor converted answers nor answer files"),
        (["OUT", "--judge", "heuristic"], "--judge does not go with --compat original; leave it out"),
        (["OUT", "--against", "OUT"], "both answers are of out"),
        (["OUT", "--against", "REF", "--pass-results", "EMPTY"], "judge that model first"),
        (["OUT", "--evaluator", "EMPTY"], "give an evaluator folder with config.yaml and template.txt"),
    ],
)
def test_bad_use_exits_2_and_says_why(server, tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    names = {
        "EMPTY": tmp_path / "empty",
        "OTHER": written(tmp_path / "other", "x.json", {"a": 1}),
        "OUT": answers(tmp_path, "out", "1"),
        "REF": answers(tmp_path, "ref", "1"),
    }
    given = [names.get(argument, argument) for argument in arguments]
    done = command(*given, "--compat", "original", "--out", tmp_path / "results", code=2)
    assert message in " ".join(done.output.split())


def test_what_belongs_to_the_original_is_refused_without_it(tmp_path):
    done = command(record(tmp_path / "run"), "--overwrite", code=2)
    assert "--overwrite does not go with our own judging; add --compat original" in done.output
