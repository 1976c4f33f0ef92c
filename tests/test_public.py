"""What is public: few names, each documented, cheap until used, and all that agents and examples need."""

from __future__ import annotations

import ast
import doctest
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

import stb_env
from tests.conftest import ROOT

NAMES = sorted(stb_env.__all__)
DOCUMENTED = [name for name in NAMES if name != "__version__"]
FOLDERS = ("agents", "examples")
NOTES = "stb_env.testing.notes"
"""The environment of examples: the smallest one that is whole."""
ROLLOUT = "stb_env.runs"
"""What trains needs the parts of a rollout too: they have a home of their own, where all names are public."""
TRL = "stb_env.integrations.trl"
"""As are those of the adapter that an example of its framework is about."""
FILES = sorted(file for folder in FOLDERS for file in (ROOT / folder).glob("**/*.py"))


def hidden(source: str) -> Iterator[str]:
    """Imports from this package that name anything but a public name of its top level."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("stb_env."))
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module is not None:
            if node.module.startswith("stb_env."):
                yield node.module
            elif node.module == "stb_env":
                yield from (alias.name for alias in node.names if alias.name not in NAMES)


def examples(name: str) -> doctest.DocTest:
    public = getattr(stb_env, name)
    # Without what stands beside it in its module, as a reader has it.
    return doctest.DocTestParser().get_doctest(public.__doc__ or "", {name: public}, name, None, 0)


def test_there_are_at_most_forty_names():
    assert len(NAMES) <= 40


def test_dir_lists_them_and_nothing_else():
    assert dir(stb_env) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name: str):
    assert getattr(stb_env, name) is not None


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"^module 'stb_env' has no attribute 'Agnet'$"):
        _ = stb_env.Agnet


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_name_has_an_example_that_runs(name: str):
    test = examples(name)
    assert test.examples
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_need_public_names_alone(name: str):
    assert {found for line in examples(name).examples for found in hidden(line.source)} <= {NOTES}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_agents_and_examples_need_public_names_alone(file: Path):
    assert set(hidden(file.read_text(encoding="utf-8"))) <= {ROLLOUT, TRL}


def test_an_import_of_something_else_is_noticed():
    source = "import stb_env.models\nfrom stb_env.tools import Tool\nfrom stb_env import Tool, jsontext"
    assert sorted(hidden(source)) == ["jsontext", "stb_env.models", "stb_env.tools"]


def test_the_folder_of_agents_is_importable_as_a_part_of_the_package():
    found = importlib.util.find_spec("stb_env.agents.dfs")
    assert found is not None
    assert Path(str(found.origin)).samefile(ROOT / "agents/dfs.py")
