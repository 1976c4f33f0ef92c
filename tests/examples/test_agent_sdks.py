"""Agent SDKs, each in an environment of its own, play our server over MCP; `.ci/integrations` makes those."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env.runs.make import make_env
from stb_env.serve.settings import ServeSettings
from tests.conftest import ROOT
from tests.fakes.openai_server import Answer, OpenAIServer, Received, completion
from tests.integrations.broken import named
from tests.integrations.scripted import gold_turns
from tests.serve.served import serving

SANDBOX = "stb/Sandbox-v1"
SCRIPTS = {file.stem.removesuffix("_agent"): file for file in sorted((ROOT / "examples/mcp").glob("*.py"))}
FOLDER = Path(os.environ.get("STB_SDKS", "/nowhere"))
"""Where each SDK's environment is."""


def python_of(sdk: str) -> str:
    python = FOLDER / sdk / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"no environment with {sdk} in STB_SDKS; '.ci/integrations agent_sdks' makes it")
    return str(python)


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    if not FOLDER.is_dir():
        pytest.skip("STB_SDKS names no folder; '.ci/integrations agent_sdks' makes one")
    with serving(ServeSettings(ids=(SANDBOX, f"tests.integrations.broken:{named(SANDBOX)}"))) as url:
        yield url


def last_word(request: Received) -> Answer:
    """Return what ends a loop: a text, or the tool that smolagents has for it."""
    names = [tool["function"]["name"] for tool in request.body.get("tools") or ()]
    if "final_answer" not in names:
        return Answer(completion("I am done."))
    function = {"name": "final_answer", "arguments": json.dumps({"answer": "I am done."})}
    call = {"id": "last", "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return Answer(completion(message=message, finish_reason="tool_calls"))


def played(sdk: str, url: str, turns: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    """Run an SDK's script with a model that writes these turns, then a last word."""
    # Ids that no other turn has, as models give them.
    called = [
        {**turn, "tool_calls": [{**call, "id": f"c{number}"} for call in turn["tool_calls"]]}
        for number, turn in enumerate(turns)
    ]
    answers = [Answer(completion(message=turn, finish_reason="tool_calls")) for turn in called]
    with OpenAIServer().running() as model:
        model.script(*answers, *[last_word] * 30)
        keys = {"OPENAI_BASE_URL": model.url(), "OPENAI_API_KEY": "none"}
        command = [python_of(sdk), str(SCRIPTS[sdk]), url, "scripted"]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=120, env={**os.environ, **keys}
        )


def gold(env_id: str) -> tuple[str, list[dict[str, Any]]]:
    task_id = make_env(env_id, {}).tasks.at(0).id
    return task_id, gold_turns(env_id, task_id)


def verdict_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("sdk", SCRIPTS)
def test_a_model_that_knows_gets_every_point(sdk: str, served: str):
    task_id, turns = gold(SANDBOX)
    done = played(sdk, f"{served}/mcp?id={SANDBOX}&task_id={task_id}&episode=gold-{sdk}", turns)
    verdict = verdict_of(done)
    assert (verdict["reward"], verdict["valid"], done.returncode) == (1.0, True, 0), done.stderr
    assert verdict["verdict"]["status"] == "solved"


@pytest.mark.parametrize("sdk", SCRIPTS)
def test_an_answer_in_plain_text_earns_nothing_where_answers_are_typed(sdk: str, served: str):
    done = played(sdk, f"{served}/mcp?id={SANDBOX}&seed=3&episode=guess-{sdk}", [])
    # Finish refuses it, and tells the model which fields it wants; the episode is not over.
    verdict = verdict_of(done)
    assert (verdict["over"], "reward" in verdict, done.returncode) == (False, False, 0), done.stderr


@pytest.mark.parametrize("sdk", SCRIPTS)
def test_an_episode_whose_backend_failed_has_no_reward(sdk: str, served: str):
    task_id, turns = gold(SANDBOX)
    where = f"{served}/mcp?id={named(SANDBOX)}&task_id={task_id}&episode=down-{sdk}"
    verdict = verdict_of(played(sdk, where, turns))
    assert (verdict["reward"], verdict["valid"]) == (None, False)
    assert verdict["failure"]["message"] == "the backend is down"


@pytest.mark.parametrize("sdk", SCRIPTS)
def test_a_script_has_under_20_lines_of_code_and_the_page_names_it(sdk: str):
    lines = SCRIPTS[sdk].read_text(encoding="utf-8").splitlines()
    assert sum(bool(line) and '"""' not in line for line in lines) < 20
    assert f"examples/mcp/{SCRIPTS[sdk].name}" in (ROOT / "docs/agent_sdks.md").read_text(encoding="utf-8")
