"""Words that must not blur: two benchmarks are called ToolBench, so the bare word says neither."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# What may stand: whose it is, the homes and folders of their code, and ToolLLM's wire strings for a key.
WHOSE = re.compile(
    r"(SambaNova|ToolLLM)'s ToolBench|OpenBMB/ToolBench|"
    r"\"toolbench_((rapidapi_)?key|url)\"|folder = \"toolbench\""
)
BARE = re.compile(r"(?<!stable)toolbench", re.IGNORECASE)


def bare(line: str) -> bool:
    return BARE.search(WHOSE.sub("", line)) is not None


def test_no_file_says_toolbench_without_whose_it_is():
    files = [file for name in ("stb_env", "agents", "examples") for file in (ROOT / name).rglob("*.*")]
    texts = {file: file.read_text(encoding="utf-8") for file in files if file.suffix != ".pyc"}
    assert len(texts) > 100
    assert [(file.name, line) for file in texts for line in texts[file].splitlines() if bare(line)] == []


@pytest.mark.parametrize(
    "line", ['compat="toolbench"', "the ToolBench tasks", "TOOLBENCH", "class ToolBenchServer"]
)
def test_a_bare_word_is_found(line: str):
    assert bare(line)


@pytest.mark.parametrize(
    "line", ["SambaNova's ToolBench", "stb_env.suites.stabletoolbench", "StableToolBench"]
)
def test_whose_it_is_may_be_said(line: str):
    assert not bare(line)
