"""A synthesis in a folder: durable, resumable, counted."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from stb_env.errors import ConfigError, DataError, InfrastructureError
from stb_env.experiments.synthesis import Ability, ModelAuthor, Pipeline, Settings, synthesize
from stb_env.experiments.synthesis.run import read_dialogues
from stb_env.experiments.synthesis.statistics import published, summarize, table2
from stb_env.models import Meter, ModelError, ScriptedModel
from stb_env.models.meter import BudgetedModel
from stb_env.suites.api_bank.formats.training import read_training
from tests.experiments.synthesis.replies import Cast, pipeline
from tests.saved import unsum

FILES = [
    "SHA256SUMS",
    "dialogues.jsonl",
    "kept.api_bank.json",
    "kept.api_bank.recipe.toml",
    "kept.sft.jsonl",
    "kept.sft.recipe.toml",
    "manifest.json",
    "review.csv",
    "summary.json",
]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_a_folder_holds_dialogues_exports_figures_and_a_sheet(tmp_path: Path):
    result = synthesize(pipeline(), tmp_path, 3)
    assert sorted(contents(tmp_path)) == FILES
    samples = read_training(tmp_path / "kept.api_bank.json")
    assert len(samples) == sum(len(one.calls) + len(one.turns) for one in result.dialogues)
    assert len((tmp_path / "kept.sft.jsonl").read_text().splitlines()) == 3
    assert json.loads((tmp_path / "summary.json").read_text()) == result.summary


def test_stopping_and_going_on_writes_the_same_bytes_as_one_sitting(tmp_path: Path):
    synthesize(Pipeline.offline(2), tmp_path / "whole", 5)
    for count in (1, 3, 5, 5):
        synthesize(Pipeline.offline(2), tmp_path / "parts", count)
    assert contents(tmp_path / "whole") == contents(tmp_path / "parts")


def test_a_torn_last_line_is_written_again(tmp_path: Path):
    synthesize(Pipeline.offline(2), tmp_path, 3)
    whole = (tmp_path / "dialogues.jsonl").read_bytes()
    (tmp_path / "dialogues.jsonl").write_bytes(whole[:-40])
    with pytest.raises(DataError, match=r"dialogues\.jsonl was changed since it was finished"):
        synthesize(Pipeline.offline(2), tmp_path, 3)
    unsum(tmp_path)
    synthesize(Pipeline.offline(2), tmp_path, 3)
    assert (tmp_path / "dialogues.jsonl").read_bytes() == whole


def test_a_finished_folder_asks_no_model(tmp_path: Path):
    synthesize(pipeline(), tmp_path, 2)
    silent = Pipeline({name: ModelAuthor(ScriptedModel([], f"scripted-{name}")) for name in Cast().authors()})
    assert len(synthesize(silent, tmp_path, 2).dialogues) == 2


def test_another_configuration_is_refused_with_the_difference(tmp_path: Path):
    synthesize(Pipeline.offline(0), tmp_path, 1)
    with pytest.raises(
        ConfigError, match=r"another configuration \(seed: there 0, now 1\); use another --out$"
    ):
        synthesize(Pipeline.offline(1), tmp_path, 1)


def test_a_failure_loses_no_dialogue_and_its_cost_is_kept(tmp_path: Path):
    cast = Cast()
    replies = [cast.model("caller").complete, None]
    working = cast.model("caller")

    def once(request):
        if replies.pop(0) is None:
            return ModelError("no answer", kind="timeout", retryable=True)
        return working.complete(request)

    flaky = ModelAuthor(ScriptedModel(once, "scripted-caller"))
    made = Pipeline(cast.authors() | {"caller": flaky}, settings=Settings(per_domain=1))
    with pytest.raises(InfrastructureError, match="no answer"):
        synthesize(made, tmp_path, 3)
    assert len(read_dialogues(tmp_path / "dialogues.jsonl")) == 1
    (lost,) = map(json.loads, (tmp_path / "interrupted.jsonl").read_text().splitlines())
    assert (lost["index"], lost["kind"], lost["usage"]["calls"]) == (1, "timeout", 3)
    assert json.loads((tmp_path / "summary.json").read_text())["usage"]["calls"] == 5 + 3


def budgeted(meter: Meter, cast: Cast) -> Pipeline:
    models = {name: BudgetedModel(author.model, meter) for name, author in cast.authors().items()}
    return Pipeline(
        {name: ModelAuthor(model) for name, model in models.items()}, settings=Settings(per_domain=1)
    )


def test_a_budget_stops_the_run_and_counts_what_was_spent_before(tmp_path: Path):
    with pytest.raises(
        InfrastructureError, match=r"^the budget of \$0\.115 is used up \(\$0\.1200 used\); .*"
    ):
        synthesize(budgeted(meter := Meter(max_cost=0.115), Cast()), tmp_path, 5, meter=meter)
    assert len(read_dialogues(tmp_path / "dialogues.jsonl")) == 2
    with pytest.raises(InfrastructureError, match="is used up"):
        synthesize(budgeted(meter := Meter(max_cost=0.115), Cast()), tmp_path, 5, meter=meter)
    assert len(read_dialogues(tmp_path / "dialogues.jsonl")) == 2


def test_the_figures_count_what_they_say(tmp_path: Path):
    cast = Cast({"query": ["nothing"] * 3}, keep=lambda number: number % 2 == 0)
    summary = synthesize(pipeline(cast, abilities=(Ability.CALL,)), tmp_path, 6).summary
    assert (summary["kept"], summary["dropped"], summary["failed"]) == (3, 2, 1)
    assert summary["share_rejected_by_tester"] == 0.4
    assert summary["rejected_drafts"] == {"query": 3}
    assert summary["cost_per_kept_dialogue"] == pytest.approx(summary["usage"]["cost"] / 3, abs=1e-6)
    figures = summary["table2"]
    assert (figures["dialogues"], figures["turns"], figures["call"]) == (3, 3, 3)
    assert figures["single_call_turns"] + figures["multi_call_turns"] == 3


def test_what_has_no_price_has_no_cost_per_dialogue():
    dialogue = synthesize_one()
    unpriced = replace(dialogue, usage=replace(dialogue.usage, unpriced=1))
    assert summarize([unpriced])["cost_per_kept_dialogue"] is None
    assert summarize([dialogue])["cost_per_kept_dialogue"] == 0.05


def test_an_api_that_is_designed_again_counts_once():
    dialogue = synthesize_one()
    summary = summarize([dialogue, replace(dialogue, index=1, domain="other")])
    assert summary["duplicates"]["apis"] == 3
    assert summary["table2"]["apis"] == len(dialogue.apis)


def test_the_published_figures_agree_with_each_other():
    paper = published()
    assert paper["call"] + paper["retrieve"] + paper["plan"] == paper["dialogues"]
    assert round(paper["turns"] / paper["dialogues"], 1) == round(paper["turns_per_dialogue"], 1)
    assert paper.keys() == table2([]).keys()


def synthesize_one():
    from stb_env.core.request import drive

    return drive(pipeline().dialogue(0, []))


def test_labels_of_people_are_never_overwritten(tmp_path: Path):
    synthesize(Pipeline.offline(0), tmp_path, 2)
    sheet = tmp_path / "review.csv"
    with sheet.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    with sheet.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows({**row, "usable": "yes"} for row in rows)
    labelled = sheet.read_bytes()
    synthesize(Pipeline.offline(0), tmp_path, 4)
    assert sheet.read_bytes() == labelled


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}\n", r".*, line 1: not a synthetic dialogue \(KeyError\('version'\)\): '\{\}'"),
        ("nonsense\n", r".*, line 1: not a synthetic dialogue \(JSONDecodeError.*"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, text: str, message: str):
    synthesize(Pipeline.offline(0), tmp_path, 1)
    (tmp_path / "dialogues.jsonl").write_text(text)
    unsum(tmp_path)
    with pytest.raises(DataError, match=f"^{message}$"):
        synthesize(Pipeline.offline(0), tmp_path, 1)


def test_a_missing_line_is_named(tmp_path: Path):
    synthesize(Pipeline.offline(0), tmp_path, 2)
    lines = (tmp_path / "dialogues.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "dialogues.jsonl").write_text(lines[1])
    with pytest.raises(DataError, match=r", line 1: expected dialogue 0, got 1$"):
        read_dialogues(tmp_path / "dialogues.jsonl")
