"""One rate wherever answers are missing, whoever lacks them, and none where nothing was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.suites.stabletoolbench.planned import Field, field, write_plan
from tests.suites.stabletoolbench.test_planned_scores import INSTRUCTION, Played, report, stb

PROTOCOL = ("--protocol", "stabletoolbench")


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> Iterator[Field]:
    with field(monkeypatch, {"alpha": 8, "beta": 6, "gamma": 2}) as served:
        yield served


def words(done: Any) -> str:
    return " ".join(done.output.replace("│", " ").split())


def ours(place: Path, *more: object) -> dict[str, dict[str, Any]]:
    """Return our rows of the leaderboard of win rates, by their names."""
    rows = report("stabletoolbench", "leaderboard", place, "--metric", "sowr", *more)["rows"]
    return {row["name"].removesuffix(" (files)"): row for row in rows if row["ours"]}


def by_our_rules(agents: Field, folder: Path, queries: int, more: str = "") -> Path:
    """Write a plan whose judge is no model."""
    plan = write_plan(folder, agents.services, list(agents.solves), {INSTRUCTION: queries}, more=more)
    text = plan.read_text(encoding="utf-8").replace('judge = "pass"\nvotes = 3', 'judge = "heuristic"')
    plan.write_text(text, encoding="utf-8")
    return plan


# -- a reference that lacks answers --------------------------------------------------------------------


def test_eval_judge_and_leaderboard_have_one_rate_against_an_incomplete_reference(
    agents: Field, tmp_path: Path
):
    agents.refuses = {"beta": 6, "gamma": 3}
    plan = by_our_rules(agents, tmp_path / "plan", 8, 'reference = "gamma agent"')
    out = tmp_path / "out"
    found = report("eval", plan, "--out", out, "--yes")
    wins = {win["agent"]: win for win in found["wins"]}
    # Three ties of what all answered; the rest is won, save two that neither answered.
    assert {name: win["rate"]["win"] for name, win in wins.items()} == {
        "alpha agent": 5 / 8,
        "beta agent": 3 / 8,
    }
    assert [win["reference_without_answer"] for win in wins.values()] == [5, 3]
    assert [win["rate"]["undecided"] for win in wins.values()] == [0, 2]
    text = " ".join((out / "results.md").read_text(encoding="utf-8").split())
    assert "Solvable win rate against gamma agent (incomplete)" in text
    assert "gamma agent is incomplete, 5 of 8 planned have no answer, and are won." in text
    assert "| alpha agent | 62.5" in text
    assert "| beta agent (incomplete) | 37.5" in text
    rows = ours(out, "--any-judge")
    for name, win in wins.items():
        run, reference = (
            out / "live" / who.replace(" ", "-") / "I1Instruction" for who in (name, "gamma agent")
        )
        judged = report("judge", run, "--against", reference)
        assert {**judged["overall"], "interval": None} == {**win["rate"], "interval": None}
        assert rows[name]["groups"]["I1-Instruction"] == 100 * win["rate"]["win"]
    done = words(stb("judge", out / "live/alpha-agent/I1Instruction", "--against", reference))
    assert "incomplete: gamma agent" in done
    assert "5 of 8 planned have no answer, and are won" in done
    assert (rows["alpha agent"]["complete"], rows["beta agent"]["complete"]) == (True, False)
    assert not rows["alpha agent"]["reference_complete"]


def test_a_player_that_lacks_answers_loses_them_by_our_rules_too(agents: Field, tmp_path: Path):
    agents.refuses = {"beta": 3}
    plan = by_our_rules(agents, tmp_path / "plan", 8, 'reference = "gamma agent"')
    wins = report("eval", plan, "--out", tmp_path / "out", "--yes")["wins"]
    beta = next(win for win in wins if win["agent"] == "beta agent")
    assert (beta["rate"]["lose"], beta["without_answer"], beta["reference_without_answer"]) == (5 / 8, 5, 0)


@pytest.mark.heavy
def test_wins_against_a_reference_without_answers_are_told_under_the_protocol(agents: Field, tmp_path: Path):
    agents.refuses["gamma"] = 1
    played = Played(agents, tmp_path, {INSTRUCTION: 10}, more='reference = "gamma agent"')
    against = ("--against", played.run("gamma"))
    found = played.judge("beta", *against)["groups"]["G1_instruction"]
    assert (found["win"], found["reference_without_answer"], found["complete"]) == (100.0, 9, True)
    assert not found["reference_complete"]
    command = ("judge", played.run("beta"), *against, *PROTOCOL, "--out", played.results)
    done = words(stb(*command, "--models", played.models))
    assert "incomplete: gamma agent" in done
    assert "9 of 10 planned have no answer, and are won" in done
    row = ours(played.results)["beta agent"]
    assert (row["complete"], row["reference_complete"]) == (True, False)
    assert row["reference_without_answer"] == {"I1-Instruction": 9}
    told = "the reference gamma agent is incomplete, 9 of 10 planned have no answer, and are won"
    assert f"I1-Instruction: {told}" in row["departures"]
    win = next(win for win in played.report["wins"] if win["agent"] == "beta agent")
    assert (win["rate"]["win"], win["reference_without_answer"]) == (1.0, 9)


# -- nothing measured ----------------------------------------------------------------------------------


def test_an_agent_of_failures_alone_has_no_rate_and_ends_the_evaluation_with_1(agents: Field, tmp_path: Path):
    agents.refuses["alpha"] = 0
    played = Played(agents, tmp_path, {INSTRUCTION: 3}, code=1)
    means = {row["agent"]: row["mean"] for row in played.report["averages"]}
    assert means == {"alpha agent": None, "beta agent": 1.0, "gamma agent": pytest.approx(2 / 3)}
    run = next(run for run in played.report["runs"] if run["agent"] == "alpha agent")
    assert [run["rate"]["mean"], run["solved_valid"], run["solved_all"]] == [None] * 3
    done = stb(*played.words, code=1)
    assert "alpha agent · I1Instruction has no valid episode, and so no rate" in words(done)
    text = " ".join((played.out / "results.md").read_text(encoding="utf-8").split())
    assert "| alpha agent (incomplete) | - | - | - |" in text
    assert "| alpha agent · I1Instruction | 3 of 3 | 3 | 0 | - | - |" in text
    reported = report("report", played.run("alpha"))["runs"][0]
    assert [reported[name] for name in ("solved_valid", "solved_all", "mean", "interval")] == [None] * 4
    markdown = stb("report", played.run("alpha"), "--markdown", "-").stdout
    assert "| - | - | - | - | 100.0% | - | - |" in " ".join(markdown.split())
    stb("report", played.run("alpha"), "--out", tmp_path / "report.html")


@pytest.mark.heavy
def test_an_evaluation_whose_judge_is_down_has_no_rate_and_ends_with_1(agents: Field, tmp_path: Path):
    agents.down = True
    played = Played(agents, tmp_path, {INSTRUCTION: 3}, code=1)
    assert [row["mean"] for row in played.report["averages"]] == [None] * 3
    assert {(run["waiting"], run["invalid"]) for run in played.report["runs"]} == {(3, 0)}
    agents.down = False
    assert report(*played.words)["averages"][0]["mean"] == 1.0


def test_a_run_that_a_judge_has_not_judged_is_not_invalid(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 3})
    found = report("report", played.run("alpha"), "--judge", "pass:other:v1")["runs"][0]
    assert (found["invalid"], found["waiting"], found["invalid_share"]) == (0, 3, None)
    markdown = stb("report", played.run("alpha"), "--judge", "pass:other:v1", "--markdown", "-").stdout
    assert "| - | - | - | - | - | - | - |" in " ".join(markdown.split())


# -- departures ----------------------------------------------------------------------------------------


def test_judging_a_run_under_the_protocol_lists_how_it_was_played(agents: Field, tmp_path: Path):
    plan = by_our_rules(agents, tmp_path / "plan", 3)
    models, out = ("--models", plan.parent / "alpha.toml"), tmp_path / "run"
    settings = ("--mode", "live", "--judge", "heuristic", "--data", plan.parent / "data")
    report("run", INSTRUCTION, "--agent", "cot", *models, *settings, "--out", out)
    found = report("judge", out, *PROTOCOL, *models)["protocol"]["departures"]
    (row,) = (
        row
        for row in report("stabletoolbench", "leaderboard", out / "..", "--any-judge")["rows"]
        if row["ours"] and row["name"].endswith("(files)")
    )
    how = [text for text in row["departures"] if text.startswith("played without a protocol")]
    assert how
    assert [text for text in found if text.startswith("played without a protocol")] == how
    assert json.loads((out / "manifest.json").read_text(encoding="utf-8")).get("protocol") is None
