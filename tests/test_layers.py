"""The engine lies below the suites: it names none of them, and the import contract says so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stb_env.suite import suites

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "stb_env"
CONTRACT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
LAYERS = [re.findall(r"\w+", layer) for layer in CONTRACT["contracts"][0]["layers"]]
SUITES = LAYERS.index(["suites"])
ENGINE = [name for layer in LAYERS[SUITES + 1 :] for name in layer]

# A world is a word of the engine, too: the suite of that name is meant by its module, id and command alone.
NAMES = re.compile(
    r"own_tools|sandbox|stabletoolbench|api.?bank|sambanova|toolbench|"
    r"suites\.worlds|stb/worlds|stb-env worlds",
    re.IGNORECASE,
)


def engine_files() -> Iterator[Path]:
    above = {name for layer in LAYERS[: SUITES + 1] for name in layer}
    for entry in sorted(PACKAGE.iterdir()):
        if entry.stem not in above and entry.name != "__pycache__":
            files = entry.rglob("*") if entry.is_dir() else [entry]
            yield from (file for file in files if file.is_file() and file.suffix != ".pyc")


def mentions(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [f"{file.name}:{number}: {line}" for number, line in enumerate(lines, 1) if NAMES.search(line)]


def test_no_file_of_the_engine_names_a_suite():
    files = list(engine_files())
    assert {"__init__.py", "tool_env.py", "heuristic.py", "v1.txt"} <= {file.name for file in files}
    assert [line for file in files for line in mentions(file)] == []


@pytest.mark.parametrize("line", ["stb/Sandbox-v1", "APIBankCall", "as API-Bank does", "TOOLBENCH_KEY"])
def test_a_mention_is_found_however_it_is_written(line: str, tmp_path: Path):
    file = tmp_path / "judge.py"
    file.write_text(f"first\n{line}\n", encoding="utf-8")
    assert mentions(file) == [f"judge.py:2: {line}"]


def test_every_suite_of_the_package_is_among_the_names_that_are_looked_for():
    own = [suite.name for suite in suites() if (PACKAGE / "suites" / suite.name).is_dir()]
    assert len(own) >= 4
    assert [name for name in own if not NAMES.search(f"stb_env.suites.{name}")] == []


def test_the_contract_names_every_module_once():
    assert CONTRACT["contracts"][0]["exhaustive"] is True
    named = [name for layer in LAYERS for name in layer]
    modules = {entry.stem for entry in PACKAGE.iterdir() if _is_module(entry)}
    assert len(named) == len(set(named))
    assert modules - set(named) == set()


def test_the_contract_puts_the_engine_below_the_suites():
    for name in ("envs", "wrappers", "judges", "backend", "runs", "testing", "tasks", "tools", "suite"):
        assert name in ENGINE


def _is_module(entry: Path) -> bool:
    if entry.is_dir():
        return (entry / "__init__.py").is_file()
    return entry.suffix == ".py" and entry.stem != "__init__"
