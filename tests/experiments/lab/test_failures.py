"""Failing tools: what falls, for whom, and what may be said of it."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.failures import run
from stb_env.experiments.lab.outages import (
    Judged,
    SandboxCell,
    agreement_table,
    change_table,
    contrasts,
    outage_pairs,
)

SETTINGS = LabSettings(seed=1, episodes=60, options={"outages": 2, "shares": [0.2, 0.5]})


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    return run(SETTINGS).to_dict()


@pytest.fixture(scope="module")
def cells(result) -> dict[tuple[float, str], dict[str, Any]]:
    return {(row["tools down"], row["virtual system"]): row for row in result["rows"]}


@pytest.fixture(scope="module")
def changes(result) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows = result["further"][0]["rows"]
    return {(row["verdict"], row["from"], row["to"]): row for row in rows}


def cell(share: float, system: str, scores: list[list[tuple[float, float]]]) -> SandboxCell:
    """Return a cell with these exact and open scores of each outage."""
    judged = [
        Judged(f"task {n}", outage, exact, seen, exact == 1, "solved" if seen == 1 else "unsolved")
        for outage, pairs in enumerate(scores)
        for n, (exact, seen) in enumerate(pairs)
    ]
    down = int(10 * share)
    return SandboxCell(
        share=share, system=system, down=down, tools=10, hit=share, judged=judged, invalid=0, sources={}
    )


@pytest.mark.heavy
def test_without_the_virtual_system_both_scores_fall_with_failing_tools(cells, changes):
    for verdict in ("exact", "open"):
        rates = [cells[share, "without"][verdict] for share in (0.0, 0.2, 0.5)]
        assert rates == sorted(rates, reverse=True)
        assert changes[verdict, "0% without", "50% without"]["reads"].startswith("falls by ")


@pytest.mark.heavy
def test_with_it_the_open_judge_takes_back_what_the_exact_verifier_does_not(changes):
    assert changes["open", "50% without", "50% with"]["reads"].startswith("rises by ")
    assert changes["exact", "0% with", "50% with"]["reads"].startswith("falls by ")


@pytest.mark.heavy
def test_with_no_tool_down_the_system_changes_nothing(cells):
    without, system = cells[0.0, "without"], cells[0.0, "with"]
    assert {**without, "virtual system": ""} == {**system, "virtual system": ""}


@pytest.mark.heavy
def test_the_default_agent_solves_every_task_whose_tools_all_work(cells):
    assert cells[0.0, "without"]["exact"] == 1.0
    assert {(row["episodes"], row["invalid"]) for row in cells.values()} == {(120, 0)}


@pytest.mark.heavy
def test_exactly_the_share_of_the_needed_tools_is_down_and_stands_in_the_table(cells):
    for (share, _), row in cells.items():
        down, tools = map(int, row["of needed"].split(" of "))
        assert down == int(share * tools + 0.5)
        assert (row["tasks hit"] > 0) == (share > 0)


@pytest.mark.heavy
def test_a_task_that_needs_no_tool_that_is_down_is_judged_as_before(changes):
    for row in changes.values():
        if row["from"].startswith("0%") and row["verdict"] == "exact":
            assert row["won"] == 0


@pytest.mark.heavy
def test_calls_to_tools_that_are_down_go_where_the_system_says(result):
    calls = {(row["tools down"], row["system"]): row["calls"] for row in result["details"]["sources"]}
    assert calls[0.5, False].keys() == {"real", "fault"}
    assert calls[0.5, True].keys() == {"real", "simulator"}
    assert calls[0.0, True].keys() == {"real"}


@pytest.mark.heavy
def test_every_condition_is_set_against_none_down_and_against_the_other_system(changes):
    ends = {(before, after) for _, before, after in changes}
    assert ends == {
        ("0% without", "20% without"),
        ("0% without", "50% without"),
        ("0% with", "20% with"),
        ("0% with", "50% with"),
        ("20% without", "20% with"),
        ("50% without", "50% with"),
    }


@pytest.mark.heavy
def test_the_sentences_are_those_of_the_tests(result, changes):
    said = changes["exact", "0% without", "50% without"]["reads"]
    assert f"Without the system, no tool down to 50%, exact score: {said}." in result["notes"]


def test_every_episode_stands_in_the_confusion_of_its_condition(result):
    for row in result["further"][1]["rows"]:
        assert sum(count for name, count in row.items() if name.startswith(("true:", "false:"))) == 120


def test_the_open_judges_errors_are_counted_on_either_side_of_the_truth():
    scores = [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 0.0)]
    (row,) = agreement_table([cell(0.5, "with", [scores])]).rows
    assert row[2] == pytest.approx(0.2)
    assert row[4:] == (1, 0, 1, 2, 0, 1, 0.4)


def test_what_the_open_judge_adds_to_the_truth_is_measured_task_by_task():
    assert cell(0.5, "with", [[(0.0, 1.0), (1.0, 0.5)]]).gaps == {"task 0": 1.0, "task 1": -0.5}


def test_the_spread_over_outages_stands_beside_the_interval_over_tasks():
    none, down = [[(1.0, 1.0)] * 4] * 2, [[(0.0, 1.0)] * 4, [(1.0, 1.0)] * 4]
    cells = [cell(0.0, system, none) for system in ("without", "with")]
    cells += [cell(0.5, system, down) for system in ("without", "with")]
    row = change_table(contrasts(outage_pairs(cells), ["exact"]), 0.02).rows[0]
    assert row[:4] == ("exact", "0% without", "50% without", -0.5)
    assert row[5] == (-1.0, 0.0)


@pytest.mark.heavy
def test_equal_seeds_give_equal_results_and_others_do_not():
    def result(seed: int) -> dict[str, object]:
        options = {"outages": 1, "shares": [0.5]}
        return run(LabSettings(seed=seed, episodes=20, options=options)).to_dict()

    assert result(3) == result(3)
    assert result(3) != result(4)


@pytest.mark.heavy
def test_concurrency_changes_nothing():
    options = {"outages": 2, "shares": [0.5]}
    alone = run(LabSettings(episodes=12, options=options))
    assert run(LabSettings(episodes=12, options=options | {"concurrency": 4})).to_dict() == alone.to_dict()


def test_any_agent_can_take_the_readers_place():
    settings = {"agent": "give_up", "outages": 1, "shares": [0.5]}
    rows = run(LabSettings(episodes=10, options=settings)).to_dict()["rows"]
    assert {row["exact"] for row in rows} == {0.0}


def test_an_agent_that_only_fails_leaves_no_rate_and_no_change(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("def act(observation, info):\n    raise KeyError('x')\n")
    options = {"agent": f"{file}:act", "outages": 1, "shares": [0.5]}
    result = run(LabSettings(episodes=2, options=options)).to_dict()
    assert {(row["exact"], row["episodes"], row["invalid"]) for row in result["rows"]} == {(None, 0, 2)}
    assert {row["reads"] for row in result["further"][0]["rows"]} == {
        "not measured: no task has a score under both"
    }


def test_with_no_share_there_is_nothing_to_compare():
    result = run(LabSettings(episodes=2, options={"shares": [0.0], "outages": 1}))
    assert result.further[0].rows == ()
