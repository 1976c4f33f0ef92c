"""CONTRIBUTING.md is true: what it names exists, what it shows runs, and CI does what it says."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
from itertools import takewhile
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from stb_env.core.reference import load_module, load_object
from stb_env.show.cli import app
from tests.conftest import ROOT
from tests.processes import run

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- (?P<mark>[\w.]+) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(PAGE)]
SHOWN = {block["mark"]: block["code"] for block in BLOCKS if block["language"] == "python"}
COMMANDS = {block["mark"]: block["code"].splitlines() for block in BLOCKS if block["language"] == "sh"}

SPANS = sorted({" ".join(span.split()) for span in re.findall(r"`([^`]+)`", BLOCK.sub("", PAGE))})
WORDS = sorted({word for span in SPANS for word in span.split()})
PATHS = [
    word
    for word in WORDS
    if re.fullmatch(r"(?!\.venv|.*-v\d)\.?\w[\w./-]*(/[\w.-]*|\.(py|md|toml|txt))", word)
]
NAMES = [span for span in SPANS if re.fullmatch(r"stb_env[.\w]*(:\w+)?", span)]
IN_FILES = re.findall(r"`(\w+)`\s+(?:of|in)\s+`([\w/]+\.py)`", PAGE)
CALLS = [line for line in [*SPANS, *COMMANDS[None]] if line.startswith("stb-env ")]


def files_at(path: str) -> list[Path]:
    """What a path of the page stands for: NAME and TASK for anything, a bare name for one at any depth."""
    pattern = re.sub(r"\b(NAME|TASK)\b", "*", path.rstrip("/"))
    places = ROOT.glob(pattern) if "/" in path.rstrip("/") else (ROOT / "stb_env").rglob(pattern)
    found = [*places, *ROOT.glob(pattern)]
    return [place for place in found if place.is_dir() == path.endswith("/")]


def defined_in(file: Path) -> set[str]:
    """Names that stand at the top of a module."""
    names = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        targets = getattr(node, "targets", None) or [getattr(node, "target", node)]
        names |= {getattr(target, "name", getattr(target, "id", None)) for target in targets}
    return names


def sections_of_ci() -> list[str]:
    done = subprocess.run(["bash", ".ci/run", "?"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    return done.stderr.partition("there are: ")[2].split()


@pytest.mark.parametrize("path", [path for path in PATHS if path not in SHOWN])
def test_every_path_that_is_named_exists(path: str):
    assert files_at(path)


@pytest.mark.parametrize("name", NAMES)
def test_every_module_and_object_that_is_named_exists(name: str):
    assert load_object(name) if ":" in name else load_module(name)


@pytest.mark.parametrize(("name", "file"), IN_FILES)
def test_every_name_is_defined_in_the_file_that_is_named_with_it(name: str, file: str):
    assert name in defined_in(ROOT / file)


@pytest.mark.parametrize("line", CALLS)
def test_every_command_has_a_help_page_with_the_options_that_are_named(line: str):
    words = shlex.split(line)[1:]
    command = takewhile(lambda word: re.fullmatch(r"[a-z-]+", word) and not word.startswith("-"), words)
    shown = CliRunner().invoke(app, [*command, "--help"])
    assert shown.exit_code == 0
    assert [word for word in words if word.startswith("--") and word not in shown.output] == []


@pytest.mark.heavy
def test_the_commands_run_on_the_files_that_are_shown(tmp_path: Path):
    for name, code in SHOWN.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    for line in COMMANDS[None]:
        done = run(["sh", "-c", line], tmp_path)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def test_ci_executes_every_marked_block_of_commands():
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert [mark for mark in COMMANDS if mark and f"block {mark} CONTRIBUTING.md" not in ci] == []


def test_every_block_is_one_that_something_executes():
    assert {block["language"] for block in BLOCKS} == {"python", "sh"}
    assert None not in SHOWN
    assert PAGE.count("```") == 2 * len(BLOCKS)


def test_the_hooks_are_the_light_gates():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0][
        "hooks"
    ]
    assert [hook["entry"] for hook in hooks] == COMMANDS["gates"]


def test_hosted_ci_runs_all_sections_once_and_the_tests_on_other_pythons():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert commands == ["bash .ci/run", "bash .ci/run tests"]
    assert "tests" in sections_of_ci()
