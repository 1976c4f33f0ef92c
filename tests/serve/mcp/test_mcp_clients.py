"""A foreign client, the inspector of the npm registry, plays; `.ci/mcp` runs it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env.serve.settings import ServeSettings
from tests.serve.golden_play import plan_of, solve
from tests.serve.served import serving

INSPECTOR = shutil.which("mcp-inspector")
pytestmark = pytest.mark.skipif(INSPECTOR is None, reason="no mcp-inspector here; .ci/mcp installs it")

SANDBOX = "stb/Sandbox-v1"
DOCS = Path(__file__).parents[3] / "docs" / "serve_mcp.md"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(ServeSettings(ids=(SANDBOX,))) as url:
        yield url


def inspect(*arguments: str) -> Any:
    command = [str(INSPECTOR), "--cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def call(server: list[str], name: str, arguments: dict[str, Any]) -> Any:
    # What is text goes as it is, as a person types it.
    given = [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in arguments.items()
    ]
    flags = [flag for pair in given for flag in ("--tool-arg", pair)]
    return inspect(*server, "--method", "tools/call", "--tool-name", name, *flags)


def configured() -> dict[str, Any]:
    """Return the configuration that the documentation shows."""
    found = re.search(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_inspector_plays_a_solution_to_a_reward_of_one_each_call_a_connection_of_its_own(server):
    task, plan = plan_of(SANDBOX, 0)
    at = [f"{server}/mcp?id={SANDBOX}&task_id={task.id}&episode=inspected", "--transport", "http"]
    said = inspect(*at, "--method", "prompts/get", "--prompt-name", "task")["messages"][-1]["content"]["text"]
    assert said == task.query
    last: list[Any] = []

    async def carry(name: str, arguments: dict[str, Any]) -> str:
        last[:] = [call(at, name, arguments)]
        return str(last[0]["content"][0]["text"])

    asyncio.run(solve(plan, carry))
    assert last[0]["_meta"]["episode_reward"] == 1.0
    read = inspect(*at, "--method", "resources/read", "--uri", "stb-env://verdict")["contents"][0]["text"]
    assert json.loads(read)["verdict"]["status"] == "solved"


def test_the_inspector_starts_the_process_that_the_documentation_configures(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps(configured()), encoding="utf-8")
    listed = inspect("--config", str(file), "--server", "stb-env", "--method", "tools/list")
    assert [tool["name"] for tool in listed["tools"]][-1] == "Finish"


def test_the_inspector_connects_to_the_url_that_the_documentation_configures(server):
    url = configured()["mcpServers"]["stb-env-http"]["url"].replace("http://127.0.0.1:8000", server)
    listed = inspect(url, "--transport", "http", "--method", "tools/list")
    assert [tool["name"] for tool in listed["tools"]][-1] == "Finish"


def test_a_wrong_handle_is_told_to_the_person(server):
    command = [str(INSPECTOR), "--cli", f"{server}/mcp?episode=nobodys", "--transport", "http"]
    done = subprocess.run([*command, "--method", "tools/list"], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "no session 'nobodys' is open" in done.stderr + done.stdout
