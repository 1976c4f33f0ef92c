"""Real queries under ``--protocol stabletoolbench``: CoT and DFS, played, exported, judged and ranked.

``STB_PROTOCOL_QUERIES=30`` plays so many of them instead of a few.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stb_env.suites.stabletoolbench.answers import convert
from tests.fakes.openai_server import Answer, Received
from tests.models.end_to_end.conftest import Outcome
from tests.models.end_to_end.services import (
    Services,
    calling,
    finishing,
    number,
    prompt_of,
    query_of,
    serving,
)
from tests.shared import queries

COUNT = int(os.environ.get("STB_PROTOCOL_QUERIES", "8"))
GROUP, STEM = "stb/I1Instruction-v0", "G1_instruction"
METHODS = {"cot": "CoT@1", "dfs": "DFS_woFilter_w2"}


def playing(request: Received) -> Answer:
    """Make a call or two; then answer, or give up: by the query and by what was tried before."""
    body = request.body
    said, query = body["messages"], query_of(request)
    made = sum(message["role"] == "assistant" for message in said)
    if made > number(query, 2):
        if number(json.dumps(said), 3) == 0:
            return calling("Finish", {"return_type": "give_up_and_restart"})
        return finishing(f"For {query[:40]!r} it is {number(query, 1000)}.")
    tools = [tool["function"] for tool in body["tools"][:-1]]
    tool = tools[number(json.dumps(said), len(tools))]
    # The original's lists of required parameters begin with an empty text.
    names = [name for name in tool["parameters"]["required"] if name]
    return calling(tool["name"], dict.fromkeys(names, "x"), call_id=f"c{made}")


def judging(request: Received) -> Answer:
    """Vote, or choose, as it follows from the question."""
    function = request.body["tools"][0]["function"]
    asked = number(prompt_of(request), 3)
    given: dict[str, Any] = {"reason": "It is so."}
    for name, schema in function["parameters"]["properties"].items():
        if name != "reason":
            choices = schema.get("enum") or ([0, 1] if schema["type"] in ("number", "integer") else ["x"])
            given[name] = choices[asked % len(choices)]
    return calling(function["name"], given)


@dataclass(frozen=True)
class Played:
    """The services, and a run of each method."""

    services: Services
    models: Path
    folder: Path
    runs: dict[str, Path]
    reports: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def played(
    shared_data: Path, tmp_path_factory: pytest.TempPathFactory, stb: Callable[..., Outcome]
) -> Iterator[Played]:
    folder, data = tmp_path_factory.mktemp("protocol"), queries(shared_data)
    if not (data / "test_instruction" / f"{STEM}.json").is_file():
        pytest.skip(f"the shared queries have no {STEM}")
    with pytest.MonkeyPatch.context() as patch, serving() as services:
        for service in services:
            patch.setenv(service.variable, service.key)
        services.agent.always(playing)
        services.judge.always(judging)
        models = services.models(folder / "models.toml")
        runs = {name: folder / name for name in METHODS}
        words = ("run", GROUP, "--protocol", "stabletoolbench", "--data", data, "--mode", "offline")
        size = ("--models", models, "--episodes", COUNT, "--concurrency", 2, "--json")
        reports = {}
        for name, out in runs.items():
            done = stb(*words, "--agent", name, *size, "--out", out)
            assert done.exit_code == 0, done.stderr
            reports[name] = done.report
        yield Played(services, models, folder, runs, reports)


def test_every_query_is_played_and_judged_three_times(played: Played):
    for report in played.reports.values():
        assert (report["episodes"], report["invalid"]) == (report["planned"], 0)
        assert report["protocol"]["name"] == "stabletoolbench"
        assert "mode is 'offline', not 'live'" in report["protocol"]["departures"]


@pytest.mark.parametrize("name", METHODS)
def test_golden_exports_are_the_originals_files_and_convert_as_its_own(
    played: Played, name: str, stb: Callable[..., Outcome]
):
    out = played.folder / f"answers-{name}"
    assert stb("export", played.runs[name], "--out", out).exit_code == 0
    raw = {file.stem.partition("_")[0]: file for file in sorted(out.rglob(f"*_{METHODS[name]}.json"))}
    converted = json.loads(next(out.rglob(f"{STEM}.json")).read_text(encoding="utf-8"))
    assert len(raw) == played.reports[name]["planned"]
    assert {
        key: convert(json.loads(file.read_text()), METHODS[name]) for key, file in raw.items()
    } == converted
    first = json.loads(next(iter(raw.values())).read_text())
    settings = {"single_chain_max_step": 12, "answer": 1}
    settings |= {"max_query_count": 200, "tree_beam_size": 2} if name == "dfs" else {"pass_at": 1}
    assert first["forward_args"].items() >= settings.items()
    assert first["answer_generation"]["function"][-1]["function"]["name"] == "Finish"
    assert all(
        "" in tool["function"]["parameters"]["required"]
        for tool in first["answer_generation"]["function"][:-1]
    )


def test_golden_judging_writes_the_official_result_files(played: Played, stb: Callable[..., Outcome]):
    for name, run in played.runs.items():
        done = stb("judge", run, "--protocol", "stabletoolbench", "--models", played.models, "--json")
        assert done.exit_code == 0, done.stderr
        departures = done.report["protocol"]["departures"]
        assert departures[0] == "own prompts stand in for the original evaluator's"
        # In what the run departs, as on the leaderboard.
        assert "mode is 'offline', not 'live'" in departures
        # Named by the agent, whatever its folder is called.
        (scores,) = (run / "scores").glob(f"{STEM}_{name}*.json")
        kept = json.loads(scores.read_text(encoding="utf-8"))
        assert len(kept) == played.reports[name]["planned"]
        assert all(sorted(entry["is_solved"]) == ["0", "1", "2"] for entry in kept.values())
        with scores.with_suffix(".csv").open(newline="", encoding="utf-8") as file:
            assert len(list(csv.reader(file, delimiter="\t"))) == 1 + len(kept)


def test_golden_comparing_follows_the_protocol_too(played: Played, stb: Callable[..., Outcome]):
    words = ("--against", played.runs["cot"], "--protocol", "stabletoolbench", "--models", played.models)
    done = stb("judge", played.runs["dfs"], *words, "--json")
    assert done.exit_code == 0, done.stderr
    assert done.report["protocol"]["name"] == "stabletoolbench"
    (scores,) = (played.runs["dfs"] / "scores").glob("*_cot*_dfs*.json")
    kept = json.loads(scores.read_text())
    for entry in kept.values():
        rounds = [entry.pop(f"round_{number}") for number in range(3)]
        assert (sorted(name[:3] for name in entry), sum(entry.values())) == (["cot", "dfs"], len(rounds))


def test_the_leaderboard_puts_the_runs_between_the_published_rows(
    played: Played, stb: Callable[..., Outcome]
):
    done = stb("stabletoolbench", "leaderboard", *played.runs.values(), "--json")
    assert done.exit_code == 0, done.stderr
    ours = [row for row in done.report["rows"] if row["ours"]]
    # Each with the verdicts of the run, and with those of the official result files in it.
    assert len(ours) == 2 * len(METHODS)
    assert all(any("own prompts" in text for text in row["departures"]) for row in ours)
    assert len(done.report["rows"]) > len(ours)
