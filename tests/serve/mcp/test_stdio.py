"""``stb-env serve --stdio``: a client starts the process and owns its one episode."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from stb_env.show.cli import app

pytestmark = pytest.mark.usefixtures("forgotten")

NOTES = "stb_env.testing.notes:test/Notes-v0"


@pytest.mark.skipif("STB_REAL_SERVERS" not in os.environ, reason="run by .ci/serve: STB_REAL_SERVERS")
def test_a_process_plays_one_episode_and_writes_nothing_but_the_protocol_to_stdout():
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    answer = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Tuesday"}}
    asked = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": answer},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked)
    command = [sys.executable, "-m", "stb_env", "serve", "--stdio", NOTES, "--task", "day"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    with process, process.stdin, process.stdout:
        process.stdin.write(lines)
        process.stdin.flush()
        told = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.stdout.read() == ""
    assert "On which day do I see the dentist?" in told[0]["result"]["instructions"]
    assert told[1]["result"]["_meta"]["verdict"]["status"] == "solved"
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "error: --stdio plays one episode of one environment; give one id, got 0\n"),
        ([NOTES, "--task", "dya"], "error: no task 'dya' among the 3 of notes. Did you mean 'day'?\n"),
    ],
)
def test_what_cannot_be_played_is_said_on_stderr(arguments, told):
    done = CliRunner().invoke(app, ["serve", "--stdio", *arguments])
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", told)
