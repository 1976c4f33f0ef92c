"""Hit rates on real queries: one agent left out, and no matter who is named first."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.experiments.lab.cache import run
from stb_env.experiments.lab.experiment import LabSettings
from stb_env.experiments.lab.query_cache import AgentCalls, Asked, growing, left_out
from stb_env.show.cli import app
from tests.shared import found as files

CALLS = st.lists(
    st.builds(Asked, st.sampled_from("12"), st.sampled_from("xyz"), st.just(False), st.booleans()),
    min_size=1,
    max_size=5,
)


@pytest.fixture(scope="module")
def data(shared_data: Path) -> str:
    """The smallest of the real query files: reading is most of the work."""
    known = files(shared_data, "stabletoolbench/solvable_queries/test_instruction/*.json")
    return str(min(known, key=lambda file: file.stat().st_size))


def simulated(order: tuple[AgentCalls, ...], measured: AgentCalls) -> float:
    """Return an agent's hit rate in a cache that grows as the agents play in this order."""
    cache: set[str] = set()
    hits = 0
    for agent in order:
        for one in agent.asked:
            hits += agent is measured and one.key in cache
            cache |= {one.key} if one.kept else set()
    return hits / len(measured.asked)


@given(st.lists(CALLS, min_size=1, max_size=4))
def test_the_mean_over_all_orders_is_that_of_playing_them_all(calls: list[list[Asked]]):
    agents = [AgentCalls(str(n), asked) for n, asked in enumerate(calls)]
    measured, *others = agents
    rates = [simulated(order, measured) for order in permutations(agents)]
    found = growing(measured, others)
    assert found is not None
    assert found[0] == pytest.approx(fmean(rates), abs=1e-6)
    assert found[1:] == (pytest.approx(min(rates), abs=1e-6), pytest.approx(max(rates), abs=1e-6))


def test_an_answer_that_the_filter_drops_is_a_hit_for_nobody():
    asking = AgentCalls("a", [Asked("1", "x", known=False, kept=True)])
    broken = AgentCalls("b", [Asked("1", "x", known=False, kept=False)])
    assert left_out(asking, [broken], {"1"}) == 0
    assert left_out(asking, [AgentCalls("c", asking.asked)], {"1"}) == 1


def test_what_the_given_cache_knows_is_a_hit_without_anyone_else():
    agent = AgentCalls("a", [Asked("1", "x", known=True, kept=True), Asked("1", "y", known=False, kept=True)])
    assert left_out(agent, [], set()) == 0.5


def test_an_agent_without_calls_has_no_rate():
    silent = AgentCalls("a", [])
    assert (left_out(silent, [], {"1"}), growing(silent, [])) == (None, None)


def test_rates_on_real_queries_rise_and_follow_no_order(data: str):
    def rates(*agents: str) -> dict[str, dict[str, float]]:
        options = {"data": data, "agent": list(agents)}
        result = run(LabSettings(seed=3, episodes=12, options=options)).to_dict()
        tables = [result, *result["further"]]
        return {
            agent: {name: value for table in tables for row in table["rows"] if row["agent"] == agent
                    for name, value in row.items() if name != "agent"}
            for agent in agents
        }  # fmt: skip

    found = rates("keyword", "random", "keyword(calls=2)")
    assert rates("keyword(calls=2)", "keyword", "random") == found
    for one in found.values():
        assert one["calls"] > 0
        assert 0 <= one["start"] <= one["mid"] <= one["final"] <= 1
        assert one["as the first"] <= one["mean over all orders"] <= one["as the last"]
    assert found["keyword(calls=2)"]["final"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agent": "keyword"}, r"^each agent is measured by what the others asked, .* got 'keyword'; write "),
        (
            {"agent": ["random", "random"]},
            r"^an agent would be measured by itself: random, random; give each",
        ),
        ({"mode": "record"}, r"^mode must be 'offline' or 'live', got 'record'"),
        ({"agents": ["a"]}, r"^no setting 'agents'; expected .* Did you mean 'agent'\?"),
    ],
)
def test_what_cannot_be_measured_is_refused(options: dict[str, object], message: str, data: str):
    with pytest.raises(ConfigError, match=message):
        run(LabSettings(episodes=1, options={"data": data, **options}))


def test_the_command_takes_data_and_several_agents(data: str):
    words = ["lab", "cache", "--data", data, "--episodes", "2"]
    done = CliRunner().invoke(app, [*words, "--agent", "keyword", "--agent", "random"])
    assert done.exit_code == 0
    assert "one agent left out" in done.stdout
