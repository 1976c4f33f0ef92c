"""Without a key nothing is asked of a model, and a run says once who judges instead."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

REMARK = "no key for a judge model (OPENAI_API_KEY is not set): the heuristic judges instead"


@pytest.mark.heavy
def test_a_keyless_run_says_in_one_line_that_the_heuristic_judges(tmp_path):
    command = [sys.executable, "-m", "stb_env", "run", "stb/I1Instruction-v0", "--agent", "gold", "--json"]
    # A process of its own, because the remark is made once a process.
    done = subprocess.run(
        [*command, "--concurrency", "3", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=dict(os.environ),
    )
    assert done.stderr == f"{REMARK}\n"
    assert json.loads(done.stdout)["judges"] == ["heuristic"]
    assert json.loads((tmp_path / "manifest.json").read_text())["judge"] == "heuristic"


def test_a_run_that_names_its_judge_makes_no_remark(stb, caplog):
    done = stb("run", "stb/I1Instruction-v0", "--agent", "gold", "--set", "judge=heuristic", "--json")
    assert (done.exit_code, done.stderr, caplog.text) == (0, "", "")


def test_a_chat_agent_without_a_key_is_bad_use_and_says_what_to_set(stb):
    done = stb("run", "stb/I1Instruction-v0", "--agent", "chat", "--set", "judge=heuristic", "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the chat agent has no model: set OPENAI_API_KEY")
