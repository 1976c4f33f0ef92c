"""Failing tools: what falls, what stays, and for whom."""

from __future__ import annotations

import pytest

from stb_env.errors import ConfigError
from stb_env.lab.experiment import LabSettings
from stb_env.lab.failures import Cell, run
from stb_env.lab.mean_score import MeanScore

SETTINGS = LabSettings(seed=1, episodes=100, options={"outages": 1, "shares": [0.2, 0.5]})


@pytest.fixture(scope="module")
def cells() -> dict[tuple[float, str], dict[str, object]]:
    rows = run(SETTINGS).to_dict()["rows"]
    return {(row["tools down"], row["virtual system"]): row for row in rows}


def apart(low: object, high: object) -> bool:
    return low[1] < high[0]  # type: ignore[index] # intervals


def test_without_the_virtual_system_both_rates_fall_with_failing_tools(cells):
    for verdict in ("exact", "open"):
        rates = [cells[share, "without"][verdict] for share in (0.0, 0.2, 0.5)]
        assert rates == sorted(rates, reverse=True)
        interval = f"{verdict} 95 %"
        assert apart(cells[0.5, "without"][interval], cells[0.0, "without"][interval])


def test_with_it_the_open_judge_sees_no_difference(cells):
    for share in (0.2, 0.5):
        assert not apart(cells[share, "with"]["open 95 %"], cells[0.0, "with"]["open 95 %"])
        assert not apart(cells[0.0, "with"]["open 95 %"], cells[share, "with"]["open 95 %"])


def test_with_it_the_exact_verifier_tells_what_simulation_costs(cells):
    assert apart(cells[0.5, "with"]["exact 95 %"], cells[0.0, "with"]["exact 95 %"])


def test_with_no_tool_down_the_system_changes_nothing(cells):
    without, system = cells[0.0, "without"], cells[0.0, "with"]
    assert {**without, "virtual system": ""} == {**system, "virtual system": ""}


def test_rates_are_neither_nought_nor_one_and_no_episode_is_lost(cells):
    assert all(0 < row["exact"] < 1 and 0 < row["open"] < 1 for row in cells.values())
    assert {(row["episodes"], row["invalid"]) for row in cells.values()} == {(100, 0)}


def test_calls_to_tools_that_are_down_go_where_the_system_says():
    calls = {
        (row["tools down"], row["system"]): row["calls"]
        for row in run(SETTINGS).to_dict()["details"]["sources"]
    }
    assert calls[0.5, False].keys() == {"real", "fault"}
    assert calls[0.5, True].keys() == {"real", "simulator"}
    assert calls[0.0, True].keys() == {"real"}


def test_equal_seeds_give_equal_results_and_others_do_not():
    def result(seed: int) -> dict[str, object]:
        options = {"outages": 1, "shares": [0.5]}
        return run(LabSettings(seed=seed, episodes=30, options=options)).to_dict()

    assert result(3) == result(3)
    assert result(3) != result(4)


def test_concurrency_changes_nothing():
    options = {"outages": 2, "shares": [0.5]}
    alone = run(LabSettings(episodes=20, options=options))
    assert run(LabSettings(episodes=20, options=options | {"concurrency": 4})).to_dict() == alone.to_dict()


def test_any_agent_can_take_the_oracles_place():
    rows = run(LabSettings(episodes=10, options={"agent": "give_up", "outages": 1, "shares": [0.5]})).rows
    assert {row[2] for row in rows} == {0.0}


def test_an_unknown_judge_is_refused():
    with pytest.raises(ConfigError, match=r"^no judge 'heuristics'"):
        run(LabSettings(episodes=2, options={"judge": "heuristics"}))


def test_the_conclusions_follow_from_the_numbers():
    notes = run(SETTINGS).notes
    assert "Without it both rates fall by more than their intervals: yes." in notes
    assert (
        "With it the open judge's rate stays, each interval overlapping that with no tool down: yes." in notes
    )


def test_the_conclusions_say_so_where_a_relation_does_not_hold():
    notes = run(LabSettings(episodes=20, options={"shares": [0.0], "outages": 1})).notes
    assert "Without it both rates fall by more than their intervals: no." in notes


def test_a_row_shows_the_rates_with_their_intervals():
    cell = Cell(0.1, True, MeanScore(0.5, 0.4, 0.6), MeanScore(0.7, 0.6, 0.8), 10, 1, {})
    assert cell.row == (0.1, "with", 0.5, (0.4, 0.6), 0.7, (0.6, 0.8), 10, 1)
