"""One scorer behind ``eval --protocol``, ``judge --protocol``, the leaderboard and ``report``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app
from tests.suites.stabletoolbench.planned import Field, field, write_plan

INSTRUCTION, CATEGORY = "stb/I1Instruction-v0", "stb/I2Category-v0"


def stb(*words: object, code: int = 0) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


def report(*words: object, code: int = 0) -> dict[str, Any]:
    return json.loads(stb(*words, "--json", code=code).stdout)


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> Iterator[Field]:
    with field(monkeypatch, {"alpha": 8, "beta": 6, "gamma": 2}) as served:
        yield served


class Played:
    """An evaluation under the protocol."""

    def __init__(
        self, agents: Field, folder: Path, counts: dict[str, int], code: int = 0, **plan: Any
    ) -> None:
        self.out, self.results = folder / "evaluation", folder / "scores"
        self.models = folder / "plan" / "alpha.toml"
        self.plan = write_plan(folder / "plan", agents.services, list(agents.solves), counts, **plan)
        self.words = ("eval", self.plan, "--protocol", "stabletoolbench", "--out", self.out, "--yes")
        self.report = report(*self.words, code=code)

    def run(self, agent: str, group: str = "I1Instruction") -> Path:
        return self.out / "live" / f"{agent}-agent" / group

    def judge(self, agent: str, *more: object, group: str = "I1Instruction", code: int = 0) -> dict[str, Any]:
        words = ("judge", self.run(agent, group), "--protocol", "stabletoolbench", "--out", self.results)
        return report(*words, "--models", self.models, *more, code=code)


def averages(found: dict[str, Any]) -> dict[str, float]:
    return {row["agent"]: round(100 * row["mean"], 1) for row in found["averages"]}


# -- each player its own rows --------------------------------------------------------------------------


@pytest.mark.heavy
def test_each_of_three_agents_is_judged_by_its_own_answers(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 10})
    rates = [played.judge(name)["average"] for name in ("alpha", "beta", "gamma")]
    assert rates == [80.0, 60.0, 20.0]
    assert sorted(file.stem for file in played.results.glob("*.csv")) == [
        f"G1_instruction_{name}-agent" for name in ("alpha", "beta", "gamma")
    ]
    # Known rows are taken from the files, again each player's own.
    asked = len(agents.asked)
    assert [played.judge(name)["average"] for name in ("alpha", "beta", "gamma")] == rates
    assert len(agents.asked) == asked


@pytest.mark.heavy
def test_runs_of_one_agent_and_model_share_no_rows(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 4})
    models = ("--models", played.models)
    words = ("run", INSTRUCTION, "--agent", "cot", "--protocol", "stabletoolbench", *models)
    words = (*words, "--data", tmp_path / "plan" / "data", "--out")
    runs = [tmp_path / name / "I1" for name in ("one", "two")]
    stb(*words, runs[0])
    agents.solves["alpha"] = 1
    stb(*words, runs[1], "--seed", "1")
    judged = [
        report(
            "judge", run, "--protocol", "stabletoolbench", "--out", played.results, "--models", played.models
        )
        for run in (*runs, *runs)
    ]
    assert [one["average"] for one in judged] == [100.0, 25.0, 100.0, 25.0]
    assert len({one["model"] for one in judged}) == 1
    assert "alpha" in judged[0]["model"]
    assert len(list(played.results.glob("*.csv"))) == 2


@pytest.mark.heavy
def test_a_row_of_another_answer_is_judged_again(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 5})
    played.judge("gamma")
    file = played.results / "G1_instruction_gamma-agent.json"
    # The cheat: rows of another agent, or of nobody, under this agent's name.
    rows = json.loads(file.read_text(encoding="utf-8"))
    for row in rows.values():
        row["is_solved"] = dict.fromkeys(row["is_solved"], "AnswerStatus.Solved")
    rows["999"] = next(iter(rows.values()))
    (played.results / "judging.json").unlink()
    file.write_text(json.dumps(rows), encoding="utf-8")
    again = played.judge("gamma")
    assert (again["average"], again["groups"]["G1_instruction"]["planned"]) == (40.0, 5)
    assert "999" not in json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.heavy
@pytest.mark.parametrize("against", [None, "beta"])
def test_a_row_that_was_edited_is_an_error_on_the_leaderboard_and_judged_anew(
    agents: Field, tmp_path: Path, against: str | None
):
    played = Played(agents, tmp_path, {INSTRUCTION: 5})
    more = () if against is None else ("--against", played.run(against))
    first = played.judge("gamma", *more)
    (file,) = played.results.glob("*gamma-agent.json")
    saved = file.read_text(encoding="utf-8")
    edited = saved.replace("AnswerStatus.Unsolved", "AnswerStatus.Solved").replace(
        '"beta-agent": 3', '"beta-agent": 0'
    )
    assert edited != saved
    file.write_text(edited, encoding="utf-8")
    board = (
        "stabletoolbench",
        "leaderboard",
        played.results,
        "--metric",
        "sopr" if against is None else "sowr",
    )
    refused = stb(*board, code=2)
    assert f"{file}, query " in refused.stderr
    assert "the row was changed since it was written" in refused.stderr
    assert played.judge("gamma", *more) == first
    assert file.read_text(encoding="utf-8") == saved
    stb(*board)


# -- all planned queries -------------------------------------------------------------------------------


def test_an_agent_whose_endpoint_refuses_overtakes_no_one(agents: Field, tmp_path: Path):
    agents.solves = {"alpha": 11, "beta": 14}
    agents.refuses["alpha"] = 14
    played = Played(agents, tmp_path, {INSTRUCTION: 20})
    assert averages(played.report) == {"alpha agent": 55.0, "beta agent": 70.0}
    row = next(one for one in played.report["averages"] if one["agent"] == "alpha agent")
    assert row["unscored"] == 6
    text = (played.out / "results.md").read_text(encoding="utf-8")
    assert "alpha agent (incomplete)" in text
    assert "Invalid episodes, which score 0: 6." in text
    assert "beta agent (incomplete)" not in text


@pytest.mark.heavy
def test_judging_under_the_protocol_counts_what_has_no_answer(agents: Field, tmp_path: Path):
    agents.solves = {"alpha": 11, "beta": 14}
    agents.refuses["alpha"] = 14
    played = Played(agents, tmp_path, {INSTRUCTION: 20})
    found = played.judge("alpha")["groups"]["G1_instruction"]
    assert (found["solve_rate"], found["planned"], found["scored"]) == (pytest.approx(55.0), 20, 14)
    assert (found["without_result"], found["complete"]) == (6, False)
    assert fmean(found["scores"]) == pytest.approx(found["solve_rate"])
    done = stb(
        *("judge", played.run("alpha"), "--protocol", "stabletoolbench", "--out", played.results),
        *("--models", played.models),
    )
    assert "6 of 20 planned have no result" in " ".join(done.stdout.split())
    # As the original's program computes it, defects included.
    words = ("judge", played.run("alpha"), "--compat", "original", "--models", played.models)
    original = report(*words, "--out", tmp_path / "original")["groups"]["G1_instruction"]
    assert (original["queries"], original["printed"]) == (14, "Solve rate: 78.6% Std: 0.0%")


@pytest.mark.heavy
def test_a_judge_that_is_down_gives_no_rate_and_is_asked_again(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 3})
    agents.down = True
    found = played.judge("beta", code=1)
    assert (found["average"], found["failed"]) == (None, 3)
    words = ("judge", played.run("beta"), "--protocol", "stabletoolbench", "--out", played.results)
    done = stb(*words, "--models", played.models, code=1)
    assert "no rate: none of 3 queries has a result" in " ".join(done.stdout.split())
    agents.down = False
    assert played.judge("beta")["average"] == 100.0


@pytest.mark.parametrize("search", ["dfs", "uct"])
def test_a_verdict_on_a_search_that_failed_is_asked_again_and_nothing_is_played_again(
    agents: Field, tmp_path: Path, search: str
):
    plan = write_plan(tmp_path / "plan", agents.services, ["alpha"], {INSTRUCTION: 3})
    words = ("run", INSTRUCTION, "--agent", search, "--models", plan.parent / "alpha.toml", "--judge", "pass")
    words = (*words, "--mode", "live", "--data", plan.parent / "data", "--out", tmp_path / "run")
    agents.down = True
    assert report(*words, code=1)["invalid"] == 3
    before = agents.services.count()
    agents.down = False
    assert report(*words)["solved"] == 3
    after = agents.services.count()
    assert {role: after[role] - before[role] for role in after} == {"agent": 0, "simulator": 0, "judge": 3}


@pytest.mark.heavy
def test_all_four_commands_agree_on_trials_groups_and_invalid_episodes(agents: Field, tmp_path: Path):
    agents.refuses["gamma"] = 7
    counts = {INSTRUCTION: 10, CATEGORY: 5}
    played = Played(agents, tmp_path, counts, trials=3)
    by_hand = {
        "alpha": {"I1Instruction": 80.0, "I2Category": 100.0},
        "beta": {"I1Instruction": 60.0, "I2Category": 100.0},
        "gamma": {"I1Instruction": 20.0, "I2Category": 40.0},
    }
    assert averages(played.report) == {
        f"{name} agent": sum(one.values()) / 2 for name, one in by_hand.items()
    }
    for name, rates in by_hand.items():
        for group, rate in rates.items():
            found = played.judge(name, group=group)
            assert found["average"] == pytest.approx(rate)
            (one,) = found["groups"].values()
            assert (one["trials"], len(one["trial_rates"])) == (3, 3)
    for place in (played.results, played.out):
        rows = report("stabletoolbench", "leaderboard", place)["rows"]
        ours = {row["name"].removesuffix(" (files)"): row for row in rows if row["ours"]}
        for name, rates in by_hand.items():
            shown = {group.replace("-", ""): rate for group, rate in ours[f"{name} agent"]["groups"].items()}
            assert shown == pytest.approx(rates)
        assert ours["gamma agent"]["unscored"]["I1-Instruction"] == 9
    reported = report("report", played.out)["runs"]
    assert {(one["agent"], one["env"], round(100 * one["rate"]["mean"], 1)) for one in reported} == {
        (f"{name} agent", f"stb/{group}-v0", rate)
        for name, rates in by_hand.items()
        for group, rate in rates.items()
    }


# -- comparisons ---------------------------------------------------------------------------------------


@pytest.mark.heavy
def test_an_evaluation_compares_as_the_protocol_does_and_lists_its_departures(agents: Field, tmp_path: Path):
    agents.refuses["gamma"] = 7
    played = Played(agents, tmp_path, {INSTRUCTION: 10}, trials=3, more='reference = "beta agent"')
    wins = {win["agent"]: win for win in played.report["wins"]}
    assert [wins["alpha agent"]["rate"][name] for name in ("win", "tie", "lose")] == [1.0, 0.0, 0.0]
    for name in ("alpha", "gamma"):
        alone = played.judge(name, "--against", played.run("beta"))["groups"]["G1_instruction"]
        rate = wins[f"{name} agent"]["rate"]
        assert {one: 100 * rate[one] for one in ("win", "tie", "lose")} == pytest.approx(
            {one: alone[one] for one in ("win", "tie", "lose")}
        )
        assert alone["planned"] == rate["queries"] == 30
    remarks = wins["alpha agent"]["remarks"]
    assert "Departs from the paper: own prompts stand in for the original evaluator's." in remarks
    assert not [remark for remark in remarks if "comparisons" in remark]
    text = (played.out / "results.md").read_text(encoding="utf-8")
    assert "Compared by preference:judge-model:own prompts." in text


@pytest.mark.heavy
def test_each_pair_is_asked_once_and_in_a_random_order(agents: Field, tmp_path: Path):
    agents.solves = {"alpha": 20, "beta": 20}
    Played(agents, tmp_path, {INSTRUCTION: 20}, more='reference = "beta agent"')
    asked = [
        request.body["messages"][-1]["content"]
        for request in agents.services.judge.requests
        if request.body["tool_choice"]["function"]["name"] == "select_better_answer"
    ]
    firsts = [text.index("[alpha answers") < text.index("[beta answers") for text in asked]
    assert len(asked) == 60
    assert 10 < sum(firsts) < 50


def test_an_evaluation_that_is_done_asks_for_nothing_more(agents: Field, tmp_path: Path):
    agents.solves = {"alpha": 3, "beta": 2}
    played = Played(agents, tmp_path, {INSTRUCTION: 3}, more='reference = "beta agent"')
    asked = len(agents.services.judge.requests)
    words = ("eval", played.plan, "--protocol", "stabletoolbench", "--out", played.out)
    assert report(*words, "--estimate")["estimate"]["calls"] == 0
    assert report(*words)["wins"] == played.report["wins"]
    assert len(agents.services.judge.requests) == asked


@pytest.mark.heavy
def test_comparisons_that_failed_make_no_rate_and_are_asked_again(agents: Field, tmp_path: Path):
    # Of answers that are both solved, only a comparison says which is better.
    agents.solves, agents.compares = {"alpha": 3, "beta": 3}, False
    played = Played(agents, tmp_path, {INSTRUCTION: 3}, code=1, more='reference = "beta agent"')
    text = " ".join((played.out / "results.md").read_text(encoding="utf-8").split())
    assert "| alpha agent | - | - | - | - | - |" in text
    assert "3 comparisons have no result; the same command asks for them again" in stb(
        *played.words, code=1
    ).stderr.replace("\n", " ")
    agents.compares = True
    (win,) = report(*played.words)["wins"]
    assert (win["rate"]["queries"], win["rate"]["undecided"]) == (3, 0)


def test_a_plan_with_other_comparisons_says_so(agents: Field, tmp_path: Path):
    agents.solves = {"alpha": 3, "beta": 2}
    played = Played(agents, tmp_path, {INSTRUCTION: 3}, more='reference = "beta agent"\ncomparisons = 1')
    (win,) = played.report["wins"]
    assert "Departs from the paper: comparisons is 1, not 3." in win["remarks"]


# -- the simulator -------------------------------------------------------------------------------------


def test_the_protocol_sets_the_temperature_of_the_simulator_and_lists_another_model(
    agents: Field, tmp_path: Path
):
    played = Played(agents, tmp_path, {INSTRUCTION: 2})
    manifest = json.loads((played.run("alpha") / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["settings"]["simulator"] == {"temperature": 1.0}
    assert manifest["backend"]["simulator"]["temperature"] == 1.0
    departures = manifest["protocol"]["departures"]
    assert "model of the simulator is 'simulator-model', not 'gpt-4-1106-preview'" in departures
    assert not [one for one in departures if one.startswith("temperature of the simulator")]


def test_a_temperature_of_ones_own_is_kept_and_listed(
    agents: Field, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STB_SIMULATOR_TEMPERATURE", "0.3")
    played = Played(agents, tmp_path, {INSTRUCTION: 2})
    manifest = json.loads((played.run("alpha") / "manifest.json").read_text(encoding="utf-8"))
    assert "temperature of the simulator is 0.3, not 1.0" in manifest["protocol"]["departures"]


@pytest.mark.heavy
def test_a_comparison_of_which_answers_are_missing_is_incomplete(agents: Field, tmp_path: Path):
    agents.refuses["alpha"] = 3
    played = Played(agents, tmp_path, {INSTRUCTION: 10}, more='reference = "beta agent"')
    words = ("judge", played.run("alpha"), "--against", played.run("beta"), "--protocol", "stabletoolbench")
    words = (*words, "--out", played.results, "--models", played.models)
    found = report(*words)["groups"]["G1_instruction"]
    assert (found["planned"], found["without_answer"], found["complete"]) == (10, 7, False)
    assert "7 of 10 planned have no answer, and are lost" in " ".join(stb(*words).stdout.split())
    assert report(*words[:1], played.run("gamma"), *words[2:])["groups"]["G1_instruction"]["complete"]
    rows = report("stabletoolbench", "leaderboard", played.results, "--metric", "sowr")["rows"]
    told = {row["name"]: (row["complete"], row["unscored"]) for row in rows if row["ours"]}
    assert told == {
        "alpha agent (files)": (False, {"I1-Instruction": 7}),
        "gamma agent (files)": (True, {"I1-Instruction": 0}),
    }


def test_episodes_of_another_agent_enter_no_table(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 3})
    best, worst = (played.run(agent) / "trajectories.jsonl" for agent in ("alpha", "gamma"))
    worst.write_bytes(best.read_bytes())
    for words in (
        played.words,
        ("stabletoolbench", "leaderboard", played.out),
        ("report", played.out, "--out", tmp_path / "report.html"),
        ("judge", played.run("gamma"), "--protocol", "stabletoolbench", "--models", played.models),
    ):
        done = stb(*words, code=2)
        assert f"error: {worst}, line 1: the episode belongs to another run" in done.output


def test_folders_of_an_evaluation_that_changed_places_are_refused(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 3})
    alpha, beta = (played.run(agent).parent for agent in ("alpha", "beta"))
    alpha.rename(tmp_path / "aside")
    beta.rename(alpha)
    (tmp_path / "aside").rename(beta)
    for words in (
        ("stabletoolbench", "leaderboard", played.out),
        ("report", played.out, "--out", tmp_path / "report.html"),
        ("judge", played.run("alpha"), "--protocol", "stabletoolbench", "--models", played.models),
    ):
        done = stb(*words, code=2)
        assert "holds another run than the one that its evaluation planned there" in done.output
    shutil.copytree(played.run("alpha"), tmp_path / "alone")
    words = ("judge", tmp_path / "alone", "--protocol", "stabletoolbench", "--models", played.models)
    assert report(*words, "--out", tmp_path / "scores")["model"].endswith("beta")


# -- tables --------------------------------------------------------------------------------------------


@pytest.mark.heavy
def test_what_lacks_a_group_has_no_rank_and_names_agents(agents: Field, tmp_path: Path):
    played = Played(
        agents, tmp_path, {INSTRUCTION: 3, CATEGORY: 2}, trials=3, more='reference = "beta agent"'
    )
    found = report("stabletoolbench", "leaderboard", played.out)
    ours = [row["ours"] for row in found["rows"]]
    # Below every ranked row, whatever the mean of two groups is.
    assert ours == sorted(ours)
    row = next(row for row in found["rows"] if row["ours"])
    assert (row["average"], row["ranked"], row["queries"]["I1-Instruction"]) == (None, False, 3)
    assert "I1-Instruction: 3 of 163 queries" in row["departures"]
    assert "I1-Instruction: each query played 3 times, not once" in row["departures"]
    won = report("stabletoolbench", "leaderboard", played.out, "--metric", "sowr")["rows"]
    assert "against beta agent" in next(row for row in won if row["ours"])["departures"]


def test_trials_are_told_apart_from_groups(agents: Field, tmp_path: Path):
    played = Played(agents, tmp_path, {INSTRUCTION: 3}, trials=3)
    done = stb(
        *("judge", played.run("alpha"), "--protocol", "stabletoolbench", "--out", played.results),
        *("--models", played.models),
    )
    text = " ".join(done.stdout.split())
    assert "of 3 queries, 3 trials" in text
    assert "average of" not in text
