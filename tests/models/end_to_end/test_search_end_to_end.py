"""Real queries, two searching agents, a judge: over HTTP, through the command line, to the paper's tables.

``STB_END_TO_END_QUERIES=200`` plays so many instead of a few.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2  # noqa: F401 (its first import is slow and would eat up time-outs)
import pytest

from stb_env.saved_episodes import read_trajectories
from tests.fakes.openai_server import Answer, Received
from tests.models.end_to_end.conftest import Outcome
from tests.models.end_to_end.services import Services, calling, diligent, number, prompt_of, serving, varied
from tests.processes import kill_at_line
from tests.shared import queries

ROOT = Path(__file__).parents[3]
QUERIES = int(os.environ.get("STB_END_TO_END_QUERIES", "40"))
AGENTS = {
    "cot": f"{ROOT}/agents/cot.py:CoTAgent(n=1)",
    "dfs": f"{ROOT}/agents/dfs.py:DFSAgent(max_queries=20)",
}


def wandering(request: Received) -> Answer:
    """Make three calls and answer, or give up on the way: by the sampler's seed and all that was said."""
    said = request.body["messages"]
    made = sum(message["role"] == "assistant" for message in said)
    if made == 2 and number(json.dumps([said, request.body["seed"]]), 3) == 0:
        return calling("Finish", {"return_type": "give_up_and_restart"})
    return diligent(3)(request)


def judging(request: Received) -> Answer:
    """Vote, or prefer, as it follows from the question."""
    function = request.body["tools"][0]["function"]["name"]
    if function == "report_status":
        return varied(request)
    better = ("first", "second", "tie")[number(prompt_of(request), 3)]
    return calling(function, {"better": better, "reason": "It says more."})


@dataclass(frozen=True)
class Bench:
    """Where everything is: the services, their models file, the queries and the runs."""

    services: Services
    models: Path
    data: Path
    folder: Path

    def words(self, name: str, group: str, out: str, episodes: int) -> list[str]:
        where = ("--data", self.data, "--models", self.models, "--mode", "offline")
        size = ("--episodes", episodes, "--out", self.folder / out, "--json")
        return [str(word) for word in ("run", group, "--agent", AGENTS[name], *where, *size)]


@pytest.fixture(scope="module")
def bench(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch, serving() as services:
        for service in services:
            patch.setenv(service.variable, service.key)
        for service, answer in ((services.agent, wandering), (services.judge, judging)):
            for _ in range(max(1, QUERIES // 50)):
                service.always(answer)
        data = queries(shared_data)
        yield Bench(services, services.models(folder / "models.toml", agent={"seed": 1}), data, folder)


@pytest.fixture(scope="module")
def groups(bench: Bench) -> dict[str, int]:
    """How many queries of which group: as many as there are, until it is enough."""
    chosen: dict[str, int] = {}
    for file in sorted((bench.data / "test_instruction").glob("G*.json")):
        level, _, kind = file.stem.partition("_")
        count = min(QUERIES - sum(chosen.values()), len(json.loads(file.read_text(encoding="utf-8"))))
        if count:
            chosen[f"stb/I{level[1:]}{kind.capitalize()}-v0"] = count
    return chosen


@pytest.fixture(scope="module")
def runs(bench: Bench, groups: dict[str, int], stb: Callable[..., Outcome]) -> dict[str, list[Path]]:
    """The folders of each agent's runs, one a group."""
    played: dict[str, list[Path]] = {name: [] for name in AGENTS}
    for name, folders in played.items():
        for place, (group, count) in enumerate(groups.items()):
            done = stb(*bench.words(name, group, f"{name}{place}", count))
            assert (done.exit_code, done.report["episodes"], done.report["invalid"]) == (0, count, 0)
            folders.append(bench.folder / f"{name}{place}")
    return played


@pytest.fixture(scope="module")
def judged(bench: Bench, runs: dict[str, list[Path]], stb: Callable[..., Outcome]) -> dict[str, list[Any]]:
    return {name: [judge(bench, stb, run) for run in folders] for name, folders in runs.items()}


def judge(bench: Bench, stb: Callable[..., Outcome], run: Path, *words: object) -> dict[str, Any]:
    done = stb("judge", run, "--models", bench.models, "--json", *words)
    assert done.exit_code == 0, done.stderr
    return {name: value for name, value in done.report.items() if name != "usage"}


def numbers(report: dict[str, Any]) -> dict[str, Any]:
    """What a report says of the answers; not what was done now, nor where it is kept."""
    return {name: report[name] for name in report.keys() - {"judged", "compared", "verdicts", "usage"}}


@pytest.mark.heavy
def test_depth_first_search_goes_back_where_a_chain_gives_up(runs):
    def given_up(name: str) -> int:
        return sum(not episode.final_answer for run in runs[name] for episode in read_trajectories(run))

    assert given_up("cot") > given_up("dfs")
    trees = [episode.tree for run in runs["dfs"] for episode in read_trajectories(run)]
    assert {tree["method"] for tree in trees} == {"DFS_woFilter_w2"}
    assert any(node["outcome"] == "give_up" for tree in trees for node in tree["nodes"])


def test_every_query_gets_a_solvable_pass_rate(judged, groups):
    for reports in judged.values():
        assert sum(report["episodes"] for report in reports) == sum(groups.values())
        for report in reports:
            assert 0 < report["sopr"]["overall"]["mean"] < 1
            assert report["invalid"] == 0


def test_each_query_of_one_run_is_compared_with_the_other(judged, bench, runs, stb):
    for run, reference in zip(runs["dfs"], runs["cot"], strict=True):
        report = judge(bench, stb, run, "--against", reference)
        asked = bench.services.count()
        again = judge(bench, stb, run, "--against", reference)
        assert numbers(again) == numbers(report)
        assert bench.services.count() == asked


def test_judging_again_asks_no_model_and_changes_no_number(judged, bench, runs, stb):
    asked = bench.services.count()
    for name, folders in runs.items():
        again = [judge(bench, stb, run) for run in folders]
        assert [numbers(report) for report in again] == [numbers(report) for report in judged[name]]
    assert bench.services.count() == asked


@pytest.mark.heavy
@pytest.mark.parametrize("name", AGENTS)
def test_a_run_that_was_killed_and_resumed_has_the_same_numbers(name, judged, bench, groups, runs, stb):
    group, count = next(iter(groups.items()))
    words = bench.words(name, group, f"{name}-killed", count)
    lines = bench.folder / f"{name}-killed" / "trajectories.jsonl"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-m", "stb_env", *words], cwd=ROOT, **quiet)
    kill_at_line(process, lines, 3)
    assert 3 <= lines.read_bytes().count(b"\n") < count
    resumed = stb(*words)
    assert resumed.exit_code == 0
    assert lines.read_bytes() == (runs[name][0] / "trajectories.jsonl").read_bytes()
    assert numbers(judge(bench, stb, lines.parent)) == numbers(judged[name][0])
