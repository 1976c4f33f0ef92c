"""Failing tools on real queries: the cells, their folders, and the published figures beside them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2  # noqa: F401 (its first import would eat up the short time-outs)
import pytest
from typer.testing import CliRunner

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.errors import ConfigError, DataError
from stb_env.experiments.lab.experiment import Experiment, LabSettings
from stb_env.experiments.lab.failures import run
from stb_env.show.cli import app
from stb_env.suites.stabletoolbench.failing_tools import failing_tools
from stb_env.suites.stabletoolbench.leaderboard import published
from stb_env.tools import ToolId
from tests.models.end_to_end.services import diligent, serving
from tests.shared import queries

AGENTS = '''
import json

from stb_env.runs.agent import Agent


class Reporter(Agent):
    """Calls every tool once and reports what the last one said, as long as it said anything."""

    name = "reporter"

    def act(self, observation, info):
        tools = json.loads(observation["tools"])[:-1]
        turn = observation["turn"]
        if turn < len(tools):
            function = tools[turn]["function"]
            needed = function["parameters"].get("required", ())
            schemas = function["parameters"]["properties"]
            return {"name": function["name"], "arguments": {name: example(schemas[name]) for name in needed}}
        response = json.loads(observation["result"])["response"]
        value = response.get("value") if isinstance(response, dict) else response
        text = f"{observation['query'].split('?')[0][:60]}: the value is {value}." if value else "No value."
        said = {"return_type": "give_answer", "final_answer": text}
        return {"name": "Finish", "arguments": said}


class Quitter(Reporter):
    """Reports nothing."""

    name = "quitter"

    def act(self, observation, info):
        return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}


def example(schema):
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    examples = {"number": 1, "integer": 1, "boolean": True, "array": [], "object": {}}
    return schema.get("default", examples.get(kind, "x"))
'''


def api(tool: str, name: str) -> dict[str, Any]:
    return {
        "category_name": "Data",
        "tool_name": tool,
        "api_name": name,
        "template_response": {"value": "int"},
    }


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    file = tmp_path_factory.mktemp("players") / "players.py"
    file.write_text(AGENTS)
    return [f"{file}:Reporter", f"{file}:Quitter"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups, with ten tools in use in each."""
    folder = tmp_path_factory.mktemp("data") / "solvable_queries" / "test_instruction"
    folder.mkdir(parents=True)
    for number, stem in enumerate(("G1_instruction", "G3_instruction")):
        records = [
            {
                "query": f"What is value {n}?",
                "query_id": 100 * number + n,
                "api_list": [api(f"Tool {number}{n}", "Get value")],
            }
            for n in range(10)
        ]
        (folder / f"{stem}.json").write_text(json.dumps(records))
    return folder.parent


def lab(data: Path, agent: Any, **settings: Any) -> LabSettings:
    own = {name: settings.pop(name) for name in ("out", "seed", "episodes") if name in settings}
    options = {"data": str(data), "agent": agent, "judge": "heuristic", "shares": [0.2, 0.5], **settings}
    return LabSettings(**own, options=options)


@pytest.fixture(scope="module")
def result(data: Path, agents: list[str]) -> Experiment:
    return run(lab(data, agents))


def sources(details: dict[str, Any], system: str, share: float) -> dict[str, int]:
    (cell,) = [one for one in details["cells"] if (one["system"], one["share"]) == (system, share)]
    found: dict[str, int] = {}
    for summary in cell["groups"].values():
        for name, count in summary["sources"].items():
            found[name] = found.get(name, 0) + count
    return found


def test_there_is_a_row_for_each_method_share_and_system(result, agents):
    rows = result.rows
    wanted = [
        (agent, system, share)
        for agent in agents
        for share in (0.0, 0.2, 0.5)
        for system in ("without", "with")
    ]
    assert [row[:3] for row in rows] == wanted
    assert {row[2]: row[3] for row in rows} == {0.0: "none", 0.2: "4 of 20", 0.5: "10 of 20"}


def test_exactly_the_failing_tools_calls_go_where_the_system_says(result, agents):
    details = {"cells": [one for one in result.details["cells"] if one["agent"] == agents[0]]}
    assert sources(details, "without", 0.0) == sources(details, "with", 0.0) == {"simulator": 20}
    assert sources(details, "without", 0.5) == {"fault": 10, "simulator": 10}
    assert sources(details, "with", 0.5) == {"simulator": 20}


def test_only_without_the_system_the_rate_falls_and_who_gives_up_has_none(result, agents):
    rates = {row[:3]: row[4] for row in result.rows}
    reporter, quitter = agents
    without, system = (
        [rates[reporter, one, share] for share in (0.0, 0.2, 0.5)] for one in ("without", "with")
    )
    assert 0 < without[2] < without[1] < without[0]
    assert system == [without[0]] * 3
    assert {rate for (agent, *_), rate in rates.items() if agent == quitter} == {0.0}


def test_what_was_played_is_not_played_again(data, agents, tmp_path, monkeypatch):
    settings = lab(data, agents[0], out=tmp_path / "out", episodes=2)
    first = run(settings)
    folders = {file.parent for file in (tmp_path / "out").rglob("manifest.json")}
    assert len(folders) == 2 * (1 + 2 * 2)
    lost = sorted(folders)[0] / "trajectories.jsonl"
    kept = lost.read_text(encoding="utf-8").splitlines(keepends=True)
    lost.write_text(kept[0], encoding="utf-8")
    before = {folder: (folder / "timings.jsonl").read_text() for folder in folders}
    assert run(settings).to_dict() == first.to_dict()
    changed = [folder for folder in folders if (folder / "timings.jsonl").read_text() != before[folder]]
    assert changed == [lost.parent]


def test_another_seed_is_not_mixed_in(data, agents, tmp_path):
    run(lab(data, agents[0], out=tmp_path / "out", episodes=2))
    with pytest.raises(ConfigError, match=r"seed"):
        run(lab(data, agents[0], out=tmp_path / "out", episodes=2, seed=1))


def test_every_change_is_tested_query_by_query(result, agents):
    changes, _ = result.further
    rows = [dict(zip(changes.columns, row, strict=True)) for row in changes.rows]
    reads = {(row["method"], row["from"], row["to"]): row["reads"] for row in rows}
    reporter, quitter = agents
    assert len(reads) == 2 * (2 * 2 + 2)
    assert reads[reporter, "0% without", "50% without"].startswith("falls by ")
    assert reads[quitter, "0% without", "50% without"] == "not measured: every score is 0 under both"


def test_where_all_answers_are_simulated_the_system_is_no_finding(result):
    assert any("with the system nothing can change" in note for note in result.notes)
    assert not any(" with: " in note for note in result.notes)
    reads = {row[-1] for row in result.further[0].rows if row[2].endswith("with")}
    assert reads == {"built in: all answers are simulated"}


def test_with_a_cache_the_system_is_a_finding(data, agents, tmp_path):
    entry = CacheEntry.of(ToolId("Data", "tool_00", "get_value"), {}, {"value": 7})
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        cache.put_many([(entry.key, entry)])
    settings = lab(data, agents[0], cache=str(tmp_path / "cache"), shares=[0.5], episodes=2)
    result = run(settings)
    assert not any("nothing can change" in note for note in result.notes)
    assert "built in: all answers are simulated" not in {row[-1] for row in result.further[0].rows}


def test_the_published_rates_of_the_same_search_stand_beside(result):
    assert {row[8] for row in result.rows} == {None}
    _, paper = result.further
    assert len(paper.rows) == len({rate.method for rate in failing_tools()})


def test_the_published_rates_without_a_failure_are_those_of_the_main_table():
    main = {
        row.method: (row.average, row.average_std) for row in published() if row.table == "paper, Table 3"
    }
    for rate in failing_tools():
        if not rate.share:
            mean, std = main[rate.method]
            assert (100 * rate.mean, 100 * rate.std) == (pytest.approx(mean), pytest.approx(std))


def test_groups_can_be_chosen(data, agents):
    details = run(lab(data, agents[0], groups="I3-Instruction", episodes=1)).details
    assert details["groups"] == ["I3-Instruction"]


def test_one_command_plays_it_and_writes_table_and_runs(data, agents, tmp_path):
    words = ["lab", "failures", "--data", data, "--out", tmp_path / "out", "--episodes", 1, "--json"]
    words += [word for agent in agents for word in ("--agent", agent)]
    result = CliRunner().invoke(app, [*map(str, words), "--set", "judge=heuristic", "--set", "shares=[0.5]"])
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["rows"]) == 8
    assert (tmp_path / "out" / "failures.md").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agent": []}, r"^agent is an agent or a list of them, got \[\]; write --agent cot --agent dfs$"),
        ({"agent": ["give_up", "give_up"]}, r"^two agents would share a folder: give_up, give_up; give each"),
        (
            {"groups": "I3-Instructions"},
            r"^groups must be some of .*, got 'I3-Instructions'\. Did you mean 'I3-Instruction'\?$",
        ),
        ({"jugde": "pass"}, r"has no setting 'jugde'; .* Did you mean 'judge'\?$"),
    ],
)
def test_a_wrong_setting_is_refused(data, changes, message):
    with pytest.raises(ConfigError, match=message):
        run(lab(data, **{"agent": "give_up", **changes}))


def test_data_without_a_group_is_refused(tmp_path):
    (tmp_path / "own.json").write_text("[]")
    with pytest.raises(
        DataError, match=r"^no group's queries in .*; expected files such as G1_instruction\.json$"
    ):
        run(lab(tmp_path, "give_up"))


def test_real_queries_are_played_in_short_form(shared_data, agents):
    settings = lab(queries(shared_data), agents[0], episodes=2, shares=[0.5], tools="none")
    table = run(settings)
    for cell in table.details["cells"]:
        for summary in cell["groups"].values():
            assert (summary["episodes"], summary["invalid"]) == (2, 0)
            if cell["share"]:
                outage = summary["outage"]
                assert outage["down"] == int(0.5 * outage["tools"] + 0.5) > 0
    assert "fault" in sources(dict(table.details), "without", 0.5)
    assert "fault" not in sources(dict(table.details), "with", 0.5)


def test_models_play_real_queries_in_chains_and_searches(shared_data, tmp_path, monkeypatch):
    with serving() as services:
        for service in services:
            monkeypatch.setenv(service.variable, service.key)
        services.agent.always(diligent(1))
        models = services.models(tmp_path / "models.toml")
        given = ["shares=[0.5]", "tools=none", "groups=I1-Instruction", f"models={models}"]
        words = ["lab", "failures", "--data", queries(shared_data), "--agent", "cot"]
        words += [
            "--agent",
            "dfs(width=2)",
            "--judge",
            "heuristic",
            "--episodes",
            1,
            "--out",
            tmp_path / "out",
        ]
        words += [word for one in given for word in ("--set", one)]
        result = CliRunner().invoke(app, [*map(str, words), "--json"])
        assert result.exit_code == 0, result.output
        asked = len(services.agent.requests)
        assert CliRunner().invoke(app, [*map(str, words), "--json"]).stdout == result.stdout
        assert len(services.agent.requests) == asked > 0
    rows = json.loads(result.stdout)["rows"]
    assert {row["invalid"] for row in rows} == {0}
    paper = {(row["method"], row["share"]): row["paper"] for row in rows if row["virtual system"] == "with"}
    assert paper["cot", 0.5] == [0.49, 0.624]
    assert paper["dfs(width=2)", 0.0] == [0.681, 0.732]
