"""A folder as a reader of the documentation has it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from stb_env.runs.baselines.gold import default_arguments
from stb_env.serve.settings import ServeSettings
from stb_env.suites.stabletoolbench.queries import load
from tests.conftest import ROOT
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion
from tests.serve.served import serving

QUERIES = ROOT / "stb_env/suites/stabletoolbench/embedded"
MODELS = ("agent", "simulator", "judge")


def model_answer(request: Received) -> Answer:
    said = {
        "my-agent": "I could not find out more than this.",
        "my-simulator": '{"error": "", "response": {"found": 3}}',
        "my-judge": "Unsolved",
    }
    return Answer(completion(said[request.body["model"]]))


@pytest.fixture(scope="package")
def model_server() -> Iterator[OpenAIServer]:
    """A local server that answers as agent, simulator and judge."""
    with OpenAIServer().running() as server:
        server.script(*[model_answer] * 2000)
        yield server


@pytest.fixture(scope="package")
def belongings(tmp_path_factory: pytest.TempPathFactory, model_server: OpenAIServer) -> Path:
    """Queries, recordings, models and the example folders; a page gets a copy."""
    folder = tmp_path_factory.mktemp("belongings")
    unwanted = shutil.ignore_patterns("__pycache__")
    for name in ("agents", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
    shutil.copytree(QUERIES, folder / "QUERIES", ignore=unwanted)
    write_recordings(folder / "tool_response_cache")
    roles = [f'[models.{role}]\nbase_url = "{model_server.url()}"\nmodel = "my-{role}"\n' for role in MODELS]
    (folder / "models.toml").write_text("\n".join(roles), encoding="utf-8")
    return folder


@pytest.fixture(scope="package")
def server() -> Iterator[str]:
    """Address of a server with every environment, where the pages have that of `stb-env serve`."""
    with serving(ServeSettings()) as url:
        yield url.removeprefix("http://")


@pytest.fixture
def workplace(tmp_path: Path, belongings: Path) -> Path:
    return Path(shutil.copytree(belongings, tmp_path / "workplace"))


def write_recordings(folder: Path) -> None:
    """Recordings in the official layout, for every call that gold makes on the shipped queries."""
    for tool in load(QUERIES, "I1-Instruction").tasks.catalog:
        file = folder / tool.id.category / f"{tool.id.tool}_for_{tool.id.category}" / f"{tool.id.api}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        answer = {"error": "", "response": {"recorded": tool.name, "number": 17.25}}
        file.write_text(json.dumps({str(default_arguments(tool)): answer}), encoding="utf-8")
