"""``stb-env stabletoolbench leaderboard``: our rows between the published ones, and nothing unmarked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.judges.final_answer import FinalAnswerJudge
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.preference import PreferenceJudge
from stb_env.models import ScriptedModel
from stb_env.runs.baselines import load_agent
from stb_env.runs.judging import prefer
from stb_env.saved_episodes import read_trajectories
from stb_env.suites.stabletoolbench.commands import app
from stb_env.suites.stabletoolbench.leaderboard import check_published, find_table, group_sizes
from stb_env.suites.stabletoolbench.queries import GROUPS
from tests.judges.runs import record
from tests.saved import unbind
from tests.suites.stabletoolbench.test_original_scores_golden import cases_in


def command(*arguments, code=0):
    done = CliRunner().invoke(app, ["leaderboard", *(str(argument) for argument in arguments)])
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def report_of(*arguments):
    done = CliRunner().invoke(app, ["leaderboard", *(str(argument) for argument in arguments), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def ours_in(report):
    return [row for row in report["rows"] if row["ours"]]


def entry(*statuses):
    return {"query": "q", "is_solved": {str(run): f"AnswerStatus.{one}" for run, one in enumerate(statuses)}}


def result_file(folder: Path, group: str, name: str, results) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{GROUPS[group]}_{name}.json").write_text(json.dumps(results))


@pytest.fixture
def files(tmp_path) -> Path:
    """Result files of a model on all six groups, 60 % solved in each of three runs."""
    for group, size in group_sizes().items():
        solved = round(size * 0.6)
        results = {str(n): entry(*["Solved" if n < solved else "Unsolved"] * 3) for n in range(size)}
        result_file(tmp_path / "files", group, "mine", results)
    return tmp_path / "files"


# -- published rows ------------------------------------------------------------------------------------


def test_without_runs_the_papers_rows_stand_from_best_to_worst():
    report = report_of()
    assert (report["table"], report["metric"]) == ("paper, Table 3", "SoPR")
    averages = [row["average"] for row in report["rows"]]
    assert averages == sorted((row.average for row in find_table("SoPR")), reverse=True)


def test_every_known_inconsistency_is_in_the_notes_those_of_the_table_first():
    report = report_of("--table", "june-2024", "--metric", "sowr")
    places = [problem["where"] for problem in report["inconsistencies"]]
    assert sorted(places) == sorted(problem.where for problem in check_published())
    assert places[0].startswith("project page, June 2024, SoWR")
    text = command()
    assert f"{len(places)} published figures contradict others:" in text
    assert all(place in text for place in places)


@pytest.mark.parametrize(
    ("arguments", "table"),
    [
        (["--table", "paper"], "paper, Table 3"),
        (["--table", "gpt-4o"], "project page, MirrorAPI-Cache, SoPR"),
        (["--table", "gpt-4-turbo-2024-04-09", "--metric", "sowr"], "project page, June 2024, SoWR"),
        (["--metric", "fac"], "project page, MirrorAPI-Cache, FAC"),
    ],
)
def test_a_table_is_chosen_by_its_metric_and_its_name_or_evaluator(arguments, table):
    assert report_of(*arguments)["table"] == table


# -- official result files -----------------------------------------------------------------------------


def test_result_files_stand_where_their_average_belongs_and_say_what_they_do_not_tell(files):
    report = report_of(files)
    names = [row["name"] for row in report["rows"]]
    place = names.index("mine (files)")
    assert report["rows"][place - 1]["average"] > report["rows"][place]["average"]
    assert report["rows"][place]["average"] > report["rows"][place + 1]["average"]
    (row,) = ours_in(report)
    assert row["departures"] == [
        "the files do not say who judged",
        "as the original computes it",
        "how it was played the files do not say",
    ]
    assert "* mine (files) 60.1" in command(files)


@pytest.mark.heavy
def test_golden_result_files_have_the_rates_that_the_original_printed(shared_data, tmp_path):
    for number, case in enumerate(cases_in(shared_data / "stabletoolbench" / "golden" / "passrate")):
        folder, expected = tmp_path / str(number), case["expected"]
        result_file(folder, "I1-Category", "m", expected["result_json"])
        (row,) = ours_in(report_of(folder))
        assert row["groups"]["I1-Category"] == pytest.approx(expected["solve_rate"]), case["name"]
        assert row["stds"]["I1-Category"] == pytest.approx(expected["std"]), case["name"]


def test_who_judged_result_files_is_read_from_beside_them(files):
    who = {"judge": "gpt-4-turbo-preview", "questions": "own prompts"}
    provenance = {f"{stem}_mine": who for stem in GROUPS.values()}
    (files / "judging.json").write_text(json.dumps(provenance))
    (row,) = ours_in(report_of(files))
    assert row["departures"][0] == "the judge has our own prompts, not the official evaluator's"
    assert not [departure for departure in row["departures"] if "judged by" in departure]


def test_preferences_count_the_queries_that_the_second_model_won(tmp_path):
    rounds = {"round_0": "complete", "round_1": "complete", "round_2": "complete"}
    won, lost, tied = ({"ref": a, "out": b} | rounds for a, b in ((0, 3), (2, 1), (1, 1)))
    result_file(tmp_path, "I3-Instruction", "ref_out", {"1": won, "2": lost, "3": tied, "4": won})
    (row,) = ours_in(report_of(tmp_path, "--metric", "sowr"))
    assert (row["name"], row["groups"]) == ("ref_out (files)", {"I3-Instruction": 50.0})


# -- runs ----------------------------------------------------------------------------------------------


def test_a_run_says_every_departure_from_how_published_rows_were_made(tmp_path):
    (row,) = ours_in(report_of(record(tmp_path / "run")))
    assert (row["name"], row["groups"]) == ("run", {"I1-Instruction": 100.0})
    assert row["departures"] == [
        "the judge has our own prompts, not the official evaluator's",
        "judged by m, not gpt-4-turbo-preview",
        "times each was judged: 1, not 3",
        "no average of six groups: I1-Category, I1-Tool, I2-Instruction, I2-Category, I3-Instruction missing",
        "I1-Instruction: 3 of 163 queries",
        "played without a protocol: its depth, prompts and observations are not the paper's",
    ]


def test_the_departures_of_a_protocol_stand_in_for_having_none(tmp_path):
    run = record(tmp_path / "run")
    unbind(run)
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["protocol"] = {"name": "p", "version": 1, "departures": ["max_depth is 5, not 12"]}
    (run / "manifest.json").write_text(json.dumps(manifest))
    (row,) = ours_in(report_of(run))
    assert row["departures"][-1] == "max_depth is 5, not 12"


def test_runs_of_one_player_on_several_groups_are_one_row(tmp_path):
    for group in ("I1-Instruction", "I2-Category"):
        run = record(tmp_path / group)
        unbind(run)
        manifest = json.loads((run / "manifest.json").read_text())
        manifest |= {"agent": "cot", "agent_settings": {"model": "tiny"}}
        (run / "manifest.json").write_text(json.dumps(manifest))
        moved = [replace(episode, group=group) for episode in read_trajectories(run)]
        (run / "trajectories.jsonl").write_text("".join(f"{episode.to_json()}\n" for episode in moved))
    (row,) = ours_in(report_of(tmp_path))
    assert (row["name"], set(row["groups"])) == ("cot tiny", {"I1-Instruction", "I2-Category"})
    assert "cot tiny has I1-Instruction twice" in command(tmp_path, tmp_path, code=2)


def test_a_comparison_with_a_reference_is_a_row_of_the_win_rates(tmp_path):
    run, reference = record(tmp_path / "run"), record(tmp_path / "ref", "It rains.")
    model = ScriptedModel(lambda request: '{"better": "first"}', name="m")
    prefer(run, reference, PreferenceJudge(model), "pass:m:v3", comparisons=1)
    (row,) = ours_in(report_of(run, "--metric", "sowr"))
    assert row["groups"] == {"I1-Instruction": 0.0}
    assert "against ref" in row["departures"]
    assert "each pair was asked in both orders, not once in a random one" in row["departures"]


def test_final_answer_correctness_has_its_own_table(tmp_path):
    judge = FinalAnswerJudge(ScriptedModel(lambda request: "Solved", name="m"))
    run = record(tmp_path / "run", judge=judge)
    (row,) = ours_in(report_of(run, "--metric", "fac"))
    assert row["groups"] == {"I1-Instruction": 100.0}
    assert "run was judged by final_answer:m:v2" in command(run, code=2)


# -- judges that do not compare ------------------------------------------------------------------------


@pytest.fixture
def heuristic(tmp_path) -> Path:
    return record(tmp_path / "offline", agent=load_agent("gold"), judge=HeuristicJudge())


def test_a_heuristics_numbers_are_refused_beside_the_papers(heuristic):
    assert "offline was judged by heuristic, whose numbers compare with no published ones" in command(
        heuristic, code=2
    )


def test_a_heuristics_row_is_marked_wherever_it_is_asked_for(heuristic):
    (row,) = ours_in(report_of(heuristic, "--any-judge"))
    assert row["departures"][0] == "judged by heuristic, whose numbers do not compare with the paper's"
    assert "* offline (heuristic) 100.0" in command(heuristic, "--any-judge")


# -- bad use -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metric", "sopper"], "no metric 'sopper'; expected one of sopr, sowr, fac. Did you mean 'sopr'?"),
        (["--table", "2031"], "no published table of SoPR is called '2031'; there is paper, Table 3"),
        (["EMPTY"], "has no SoPR of any of the six groups; judge it with `stb-env judge` first"),
        (["TORN"], "is no JSON file that can be read"),
        (["OTHER"], "no status 'AnswerStatus.Great' of an answer"),
    ],
)
def test_bad_use_exits_2_and_says_why(tmp_path, arguments, message):
    for name in ("empty", "torn", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "torn" / "G1_tool_m.json").write_text('{"1": ')
    result_file(tmp_path / "other", "I1-Tool", "m", {"1": entry("Great")})
    given = [tmp_path / one.lower() if one.isupper() else one for one in arguments]
    assert message in command(*given, code=2)
