"""``stb-env api-bank benchmark``: a model behind local HTTP at every sample, resumable, beside the paper."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.errors import InfrastructureError
from stb_env.models import ScriptedModel
from stb_env.show.cli.main import app
from stb_env.suites.api_bank.benchmark.responder import of_model
from stb_env.suites.api_bank.benchmark.run import MAX_FAILURES, BenchmarkRun
from stb_env.suites.api_bank.corpus import levels_of
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.formats.rendering import expected_text, messages
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion, error
from tests.saved import unsum
from tests.shared import folder

FEW = 2


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer().running() as running:
        yield running


@pytest.fixture(scope="module")
def official(tmp_path_factory) -> Path:
    """A few dialogues of each level in the official form, written from our own."""
    root = tmp_path_factory.mktemp("official")
    (root / "init_database").mkdir()
    (root / "init_database" / "Account.json").write_text("{}")
    day = {"input": None, "output": "2023-03-31", "exception": None}
    entry = {"name": "GetToday", "description": "Which day is it?", "input_parameters": {}}
    found = {"input": {"keywords": "today"}, "output": {**entry, "output_parameters": {}}, "exception": None}
    search = {"api_name": "ToolSearcher", "param_dict": {"keywords": "today"}, "result": found}
    today = {"role": "API", "api_name": "GetToday", "param_dict": {}, "result": day}
    asked = {"role": "User", "text": "Which day is it?"}
    said = {"role": "AI", "text": "It is Friday."}
    for place, items in (
        ("level-1-given-desc", [asked, today, said]),
        ("level-2-toolsearcher", [asked, {"role": "API", **search}, today, said]),
    ):
        (root / place).mkdir()
        for number in range(FEW):
            file = root / place / f"GetToday-{place[:7]}-{number}.jsonl"
            file.write_text("\n".join(map(json.dumps, items)))
    salary = {"api_name": "GetOccupationSalary", "input": {"occupation": "Doctor"}}
    salary["output"] = {**salary, "output": {"salary": 200000}, "exception": None}
    plan = {"requirement": "What does a doctor earn?", "response": "A doctor earns 200000.", "apis": [salary]}
    (root / "level-3.json").write_text(json.dumps([plan] * FEW))
    return root


def stb(*words: object):
    return CliRunner().invoke(app, ["api-bank", "benchmark", *map(str, words)])


def report(*words: object, code: int = 0) -> dict:
    done = stb(*words, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def models_file(place: Path, server: OpenAIServer) -> Path:
    file = place / "models.toml"
    file.write_text(f'[models.agent]\nmodel = "tiny"\nbase_url = "{server.url()}"\nretries = 0\n')
    return file


def recorded(data: Path | None) -> dict[str, str]:
    """Return the recorded text of every sample by what its model reads."""
    evaluator = Evaluator(levels_of(None if data is None else str(data)))
    return {
        json.dumps(messages(sample, evaluator.descriptions[sample.level])): expected_text(sample)
        for sample in evaluator.samples
    }


def playing(server: OpenAIServer, texts: dict[str, str], times: int) -> None:
    def answer(request: Received) -> Answer:
        return Answer(completion(texts[json.dumps(request.body["messages"])]))

    server.script(*[answer] * times)


def test_a_model_that_says_what_was_recorded_is_right_throughout(server, official, tmp_path):
    texts = recorded(official)
    playing(server, texts, 100)
    figures = report("--models", models_file(tmp_path, server), "--data", official, "--concurrency", 3)
    assert {level: row["accuracy"] for level, row in figures["levels"].items()} == {"1": 1, "2": 1, "3": 1}
    assert all(row["rouge"] > 0.999 for row in figures["levels"].values())
    assert (figures["model"], figures["failures"], sum(figures["errors"].values())) == ("tiny", {}, 0)
    assert figures["usage"]["calls"] == len(server.requests)


@pytest.mark.parametrize("text", ["", "I cannot do that.", "[GetTomorrow()]", "[] ()", "[ToolSearcher()]"])
def test_a_model_that_says_the_same_to_all_is_never_right(server, official, tmp_path, text):
    server.script(*[Answer(completion(text))] * 100)
    figures = report("--models", models_file(tmp_path, server), "--data", official)
    assert figures["total"]["accuracy"] == 0.0
    assert sum(figures["errors"].values()) == sum(row["calls"] for row in figures["levels"].values())


@pytest.fixture(scope="module")
def own_gold() -> dict:
    """The figures of the recorded texts of our own dialogues."""
    return report("--agent", "gold")


@pytest.mark.heavy
def test_what_was_recorded_in_our_own_dialogues_is_right_throughout(own_gold):
    figures = own_gold
    assert {level: row["accuracy"] for level, row in figures["levels"].items()} == {"1": 1, "2": 1, "3": 1}
    assert all(row["rouge"] > 0.999 for row in figures["levels"].values())


@pytest.mark.heavy
def test_the_protocol_reads_and_judges_as_the_released_evaluator(own_gold):
    asked, strict = report("--agent", "gold", "--protocol", "api-bank"), own_gold
    assert (asked["compat"], strict["compat"]) == ("original", None)
    assert asked["total"]["accuracy"] < strict["total"]["accuracy"]
    assert (asked["protocol"]["followed"], strict["protocol"]["followed"]) == (True, False)
    assert "compat is None, not 'original'" in strict["protocol"]["departures"]
    assert asked["protocol"]["departures"][0] == "the dialogues are our own, not the official ones"


@pytest.mark.heavy
def test_official_dialogues_reach_the_recorded_results(shared_data):
    data = folder(shared_data, "api_bank")
    ours = report("--agent", "gold", "--data", data)
    theirs = report("--agent", "gold", "--data", data, "--compat", "original")
    assert all(row["accuracy"] == 1.0 for row in ours["levels"].values())
    for row in theirs["levels"].values():
        # Specification 7.1: fed with the recorded text, the original itself is right on 70 to 96 % of calls.
        assert 0.7 < row["right_calls"] / row["calls"] < 1.0


def test_a_killed_benchmark_goes_on_to_the_same_bytes(server, official, tmp_path):
    words = ("--models", models_file(tmp_path, server), "--data", official, "--out")
    playing(server, recorded(official), 1_000)
    report(*words, tmp_path / "whole")
    asked = len(server.requests)
    whole = (tmp_path / "whole" / "answers.jsonl").read_bytes()
    torn = tmp_path / "torn"
    report(*words, torn, "--level", 1)
    lines = whole.splitlines(keepends=True)
    unsum(torn)
    (torn / "answers.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:20])
    before = len(server.requests)
    figures = report(*words, torn)
    assert len(server.requests) - before == asked - 3
    assert (torn / "answers.jsonl").read_bytes() == whole
    kept = [tmp_path / name / "predictions.jsonl" for name in ("whole", "torn")]
    assert kept[0].read_bytes() == kept[1].read_bytes()
    assert figures["usage"]["calls"] == asked
    before = len(server.requests)
    report(*words, torn)
    assert len(server.requests) == before


def test_its_predictions_evaluate_to_the_same_figures(official, tmp_path):
    figures = report("--agent", "gold", "--data", official, "--out", tmp_path / "out")
    file = tmp_path / "out" / "predictions.jsonl"
    words = ["api-bank", "evaluate", str(file), "--data", str(official), "--json"]
    again = json.loads(CliRunner().invoke(app, words).stdout)
    assert again["levels"] == figures["levels"]


def test_a_failure_leaves_a_sample_unanswered_until_it_is_asked_again(server, official, tmp_path):
    words = ("--models", models_file(tmp_path, server), "--data", official, "--out", tmp_path / "out")
    server.script(error("overloaded", 503))
    playing(server, recorded(official), 100)
    figures = report(*words)
    assert figures["failures"] == {"transport": 1}
    assert sum(row["missing"] for row in figures["levels"].values()) == 1
    assert figures["levels"]["1"]["right_calls"] == figures["levels"]["1"]["calls"] - 1
    before = len(server.requests)
    figures = report(*words)
    assert (len(server.requests) - before, figures["failures"]) == (1, {})
    assert figures["total"]["accuracy"] == 1.0


def test_a_failure_that_stays_is_not_bought_twice(server, official, tmp_path):
    words = ("--models", models_file(tmp_path, server), "--data", official, "--out", tmp_path / "out")
    server.script(error("too long", 400, code="context_length_exceeded"))
    playing(server, recorded(official), 100)
    assert report(*words)["failures"] == {"context": 1}
    before = len(server.requests)
    assert report(*words)["failures"] == {"context": 1}
    assert len(server.requests) == before


def test_a_dead_endpoint_ends_the_benchmark_after_a_few_samples(tmp_path):
    evaluator = Evaluator(levels_of(None))

    def down(_):
        return InfrastructureError("no route", kind="transport", stage="agent", retryable=True)

    model = ScriptedModel(down)
    run = BenchmarkRun(evaluator, of_model(model), tmp_path, "chat")
    with pytest.raises(
        InfrastructureError, match=f"^{MAX_FAILURES} samples in a row got no answer: no route;"
    ):
        run.answer_all()
    assert len(model.requests) == MAX_FAILURES


def test_the_answers_of_another_model_are_not_continued(server, official, tmp_path):
    words = ("--data", official, "--out", tmp_path / "out")
    report("--agent", "gold", *words)
    done = stb("--models", models_file(tmp_path, server), *words)
    assert done.exit_code == 2
    assert "holds the answers of another model" in done.stderr
    done = stb("--agent", "gold", "--rendering", "text", *words)
    assert "or to another form of questions" in done.stderr


def test_the_tables_stand_beside_the_papers_in_80_columns(official, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = stb("--agent", "gold", "--data", official).stdout
    for words in ("63.66 0.3691", "67.86", "Lynx-7B", "own prompts stand in", "api-bank, version 1"):
        assert words in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_the_year_stands_in_the_prompt_of_levels_1_and_2_alone(official):
    evaluator = Evaluator(levels_of(str(official)))
    told = {
        (sample.level, "2023" in messages(sample, {})[0]["content"].split("API descriptions:")[0])
        for sample in evaluator.samples
    }
    assert told == {(1, True), (2, True), (3, False)}


def test_what_is_described_follows_the_level(official):
    evaluator = Evaluator(levels_of(str(official)))
    for sample in evaluator.samples:
        lead = messages(sample, evaluator.descriptions[sample.level])[0]["content"]
        described = [json.loads(line) for line in lead.splitlines() if line.startswith("{")]
        names = {entry.get("name") or entry["apiCode"] for entry in described}
        alone = sample.level == 3 or (sample.level == 2 and sample.wants_call)
        assert names == ({"ToolSearcher"} if alone else set(sample.apis))


def test_text_is_one_message_that_ends_in_what_is_wanted(official):
    evaluator = Evaluator(levels_of(str(official)))
    for sample in evaluator.samples:
        (message,) = messages(sample, evaluator.descriptions[sample.level], "text")
        cue = "Generate API Request: " if sample.wants_call else "Generate AI Response: "
        assert message["content"].endswith(f"\n{cue}")


def test_a_function_of_your_own_can_answer(tmp_path, official):
    file = tmp_path / "mine.py"
    file.write_text("def respond(messages):\n    return '[GetToday()]'\n")
    figures = report("--agent", f"{file}:respond", "--data", official, "--level", 1)
    assert figures["levels"]["1"]["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--agent", "golden"), "--agent must be chat, gold, path.py:name or module:name, got 'golden'"),
        (("--agent", "gold", "--rendering", "speech"), "--rendering must be chat or text, got 'speech'"),
        (("--agent", "gold", "--protocol", "sambanova"), "the benchmark follows the protocol api-bank"),
        (("--agent", "gold", "--compat", "mine"), "compat must be None or 'original', got 'mine'"),
        ((), "agent has no model: set OPENAI_API_KEY"),
    ],
)
def test_bad_use_is_refused(monkeypatch, words, message):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = stb(*words)
    assert done.exit_code == 2
    assert message in done.stderr
