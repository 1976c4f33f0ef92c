"""Every command and snippet of the README runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- (?P<mark>\w+) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(README)]
# Setting up needs a package registry, so .ci/run executes these two blocks, in new directories.
SET_UP = {"quickstart", "tests"}


@pytest.fixture
def model_server() -> Iterator[OpenAIServer]:
    """A local server that answers as agent, simulator and judge."""
    with OpenAIServer().running() as server:
        server.script(*[model_answer] * 500)
        yield server


def model_answer(request: Received) -> Answer:
    said = {
        "my-agent": "I could not find out more than this.",
        "my-simulator": '{"error": "", "response": {"found": 3}}',
        "my-judge": "Unsolved",
    }
    return Answer(completion(said[request.body["model"]]))


@pytest.fixture
def workplace(tmp_path: Path, model_server: OpenAIServer) -> Path:
    """A folder as a reader has it: queries, recordings, models, the example folders."""
    shutil.copytree(ROOT / "agents", tmp_path / "agents")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "stb_env/suites/stabletoolbench/embedded", tmp_path / "QUERIES")
    write_recordings(tmp_path / "RECORDINGS")
    (tmp_path / "models.toml").write_text(
        "".join(block["code"] for block in BLOCKS if block["language"] == "toml").replace(
            "http://127.0.0.1:8000/v1", model_server.url()
        ),
        encoding="utf-8",
    )
    return tmp_path


def write_recordings(folder: Path) -> None:
    """Recordings in the official layout, for every call that gold makes on the shipped queries."""
    from stb_env.baselines.gold import default_arguments
    from stb_env.suites.stabletoolbench.queries import load

    for tool in load(ROOT / "stb_env/suites/stabletoolbench/embedded", "I1-Instruction").tasks.catalog:
        file = folder / tool.id.category / f"{tool.id.tool}_for_{tool.id.category}" / f"{tool.id.api}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        answer = {"error": "", "response": {"recorded": tool.name, "number": 17.25}}
        file.write_text(json.dumps({str(default_arguments(tool)): answer}), encoding="utf-8")


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    bin_folder = str(Path(sys.executable).parent)
    env = os.environ | {"PATH": bin_folder + os.pathsep + os.environ["PATH"], "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=200)


def test_the_blocks_that_set_up_are_the_ones_that_ci_executes():
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert {block["mark"] for block in BLOCKS if block["mark"]} == SET_UP
    assert all(f"block {mark}" in ci for mark in SET_UP)


@pytest.mark.parametrize("code", [b["code"] for b in BLOCKS if b["language"] == "python"])
def test_python_snippets_run(code: str, workplace: Path):
    done = run([sys.executable, "-c", code], workplace)
    assert done.returncode == 0, done.stderr


def test_shell_commands_run_in_order(workplace: Path):
    commands = [b["code"] for b in BLOCKS if b["language"] == "sh" and b["mark"] not in SET_UP]
    assert commands
    for line in "".join(commands).splitlines():
        done = run(["sh", "-c", line], workplace)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def test_every_block_is_one_that_something_executes():
    assert {block["language"] for block in BLOCKS} <= {"python", "sh", "toml"}
    assert README.count("```") == 2 * len(BLOCKS)
