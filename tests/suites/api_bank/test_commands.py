"""The commands about API-Bank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.show.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def loaded(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """Predictions that are the expected texts of our own samples."""
    folder = tmp_path_factory.mktemp("samples")
    written = loaded("api-bank", "samples", "--out", folder)["written"]
    records = [record for file in written for record in json.loads(Path(file).read_text(encoding="utf-8"))]
    lines = []
    for record in records:
        kept = {name: record[name] for name in ("file", "id", "sample_id", "api_id") if name in record}
        lines.append(kept | {"pred": record.get("expected_output", record.get("output"))})
    return folder, lines


def predictions(folder, lines):
    file = folder / "predictions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.heavy
def test_expected_texts_are_right_predictions(sampled):
    figures = loaded("api-bank", "evaluate", predictions(*sampled))
    assert {level: row["accuracy"] for level, row in figures["levels"].items()} == {
        "1": 1.0,
        "2": 1.0,
        "3": 1.0,
    }
    assert figures["total"]["accuracy"] == 1.0
    assert sum(figures["errors"].values()) == 0


@pytest.mark.heavy
def test_the_released_way_is_stricter(sampled):
    figures = loaded("api-bank", "evaluate", predictions(*sampled), "--compat", "original")
    assert figures["total"]["accuracy"] < 1.0


def test_a_level_without_predictions_is_left_out(sampled):
    folder, lines = sampled
    calls = [line for line in lines if "sample_id" in line and "api_id" in line]
    figures = loaded("api-bank", "evaluate", predictions(folder, calls))
    assert list(figures["levels"]) == ["3"]
    assert figures["levels"]["3"]["missing"] == figures["levels"]["3"]["replies"]


@pytest.mark.heavy
def test_the_tables_name_levels_and_types(sampled):
    shown = run("api-bank", "evaluate", predictions(*sampled)).stdout
    for words in ("Retrieve+Call", "ROUGE-L", "Failed API Retrieval", "total"):
        assert words in shown


@pytest.mark.heavy
@pytest.mark.parametrize(("agent", "accuracy", "error"), [("gold", 1.0, None), ("echo", 0.0, "No API Call")])
def test_a_run_is_evaluated_call_by_call(tmp_path, agent, accuracy, error):
    folder = tmp_path / "run"
    assert run("run", "stb/APIBankRetrieve-v1", "--agent", agent, "--out", folder).exit_code == 0
    figures = loaded("api-bank", "evaluate", folder)
    row = figures["levels"]["2"]
    assert row["accuracy"] == accuracy
    assert figures["invalid_episodes"] == 0
    if error:
        assert figures["errors"][error] == row["calls"]


def test_the_wrong_calls_of_a_run_have_types(tmp_path):
    folder = tmp_path / "run"
    assert run("run", "stb/APIBankPlan-v1", "--agent", "random", "--out", folder).exit_code == 0
    figures = loaded("api-bank", "evaluate", folder)
    row = figures["levels"]["3"]
    assert sum(figures["errors"].values()) == row["calls"] - row["right_calls"]


def test_a_run_of_something_else_is_refused(tmp_path):
    folder = tmp_path / "run"
    run("run", "stb/Sandbox-v1", "--agent", "noop", "--episodes", "1", "--out", folder)
    result = run("api-bank", "evaluate", folder)
    assert result.exit_code == 2
    assert "is no run of API-Bank, but of stb/Sandbox-v1" in result.stderr


def test_predictions_for_other_dialogues_are_refused(tmp_path):
    file = predictions(tmp_path, [{"file": "unknown.jsonl", "id": 0, "pred": ""}])
    result = run("api-bank", "evaluate", file)
    assert result.exit_code == 2
    assert "no prediction is for a sample of these dialogues" in result.stderr


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ["Call", "Retrieve", "Plan"])
def test_validation_replays_every_recorded_call(ability):
    report = loaded("validate", f"stb/APIBank{ability}-v1")
    assert report["passed"]
    assert report["gold_calls"]["tried"] == report["gold_calls"]["reproduced"] > 0
    assert {row["setting"] for row in report["replays"]} >= {"original, isolated", "isolated", "stateful"}
    for row in report["replays"]:
        assert row["explained"] == row["tried"] - row["reproduced"]
    assert report["scores"]["gold"] == 1.0


def test_dialogues_without_a_call_are_listed_and_are_no_tasks_of_a_validation(tmp_path):
    folder = tmp_path / "level-1-given-desc"
    folder.mkdir()
    day = {"input": None, "output": "2023-03-31", "exception": None}
    asked = [
        {"role": "User", "text": "Which day is it?"},
        {"role": "API", "api_name": "GetToday", "param_dict": {}, "result": day},
        {"role": "AI", "text": "Friday."},
    ]
    for name, items in (
        ("asked-level-1-1", asked),
        ("silent-level-1-1", asked[::2]),
        ("empty-level-1-1", []),
    ):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, items)))
    (tmp_path / "init_database").mkdir()
    (tmp_path / "init_database" / "Account.json").write_text("{}")
    counted = loaded("data", "check", tmp_path)
    assert counted["without_calls"] == ["empty-level-1-1", "silent-level-1-1"]
    assert (counted["domains"], counted["APIs"]) == (8, 73)
    report = json.loads(run("validate", "stb/APIBankCall-v1", "--data", tmp_path, "--json").stdout)
    held = {check["name"]: check["passed"] for check in report["checks"]}
    assert "na" not in report
    assert (held["no failures"], held["gold"]) == (True, True)
