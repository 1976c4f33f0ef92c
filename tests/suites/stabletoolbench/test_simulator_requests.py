"""Requests to the simulator's model: the tool's description, and recorded examples in the files' order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2  # noqa: F401 (its first import would eat up the short time-outs)
import pytest

from tests.command import reported
from tests.models.end_to_end.services import Services, prompt_of, serving, simulating
from tests.suites.stabletoolbench.tool_folder import MINIMAL, record, write_queries, write_tools

CALLER = """
from stb_env.runs.agent import Agent


class Caller(Agent):
    name = "caller"

    def act(self, observation, info):
        if observation["turn"]:
            return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        return {"name": info["tools"][0]["function"]["name"], "arguments": {"filmid": 99}}
"""


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with serving() as running:
        for service in running:
            monkeypatch.setenv(service.variable, service.key)
        running.simulator.always(simulating)
        yield running


def write_cache(folder: Path, ids: list[int]) -> Path:
    answers = {str({"filmId": n}): {"error": "", "response": {"film": n}} for n in ids}
    file = folder / "Movies" / "film_fan_for_Movies" / "cast_of_film.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(answers))
    return folder


def simulator_prompt(root: Path, services: Services, cache: Path) -> str:
    """Play one query whose first call no recording covers, and return what the simulator read."""
    agent = root / "caller.py"
    agent.write_text(CALLER)
    models = services.models(root / "models.toml")
    words = ["run", "stb/I1Instruction-v0", "--data", write_queries(root, record(MINIMAL))]
    words += ["--tools", write_tools(root / "mine"), "--mode", "live", "--cache", cache, "--models", models]
    reported(*words, "--agent", f"{agent}:Caller", "--judge", "heuristic")
    (request,) = services.simulator.requests
    return prompt_of(request)


@pytest.mark.parametrize("copied", ["import", "snapshot", "filter", "merge"])
def test_the_simulator_reads_examples_in_the_files_order(tmp_path, services, copied):
    ids = [5, 3, 9, 1, 7, 2, 8]
    cache = tmp_path / "cache"
    reported("cache", "import", write_cache(tmp_path / "files", ids), "--cache", cache)
    if copied == "merge":
        reported("cache", "merge", cache, "--cache", tmp_path / "copy")
    elif copied != "import":
        reported("cache", copied, "--cache", cache, "--out", tmp_path / "copy")
    read = simulator_prompt(tmp_path, services, cache if copied == "import" else tmp_path / "copy")
    places = [read.index(json.dumps({"film": n})) for n in ids[:5]]
    assert places == sorted(places)
    assert not any(json.dumps({"film": n}) in read for n in ids[5:])


def test_the_simulator_reads_what_the_tool_is_for(tmp_path, services):
    read = simulator_prompt(tmp_path, services, write_imported(tmp_path))
    assert "Knows every film.\\nAnd its cast." in read


def write_imported(root: Path) -> Path:
    reported("cache", "import", write_cache(root / "files", [1]), "--cache", root / "cache")
    return root / "cache"
