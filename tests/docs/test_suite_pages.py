"""What the pages of the suites have printed is what a run prints now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.page import DOCS

SUITES = sorted((DOCS / "suites").glob("*.md"))


def loaded(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded(DOCS / "suites" / "write.py")


@pytest.mark.filterwarnings("ignore::stb_env.judges.heuristic.UnnamedJudgeWarning")
@pytest.mark.parametrize("page", SUITES, ids=lambda page: page.stem)
def test_episodes_and_tables_are_current(page: Path, script: ModuleType):
    text = page.read_text(encoding="utf-8")
    assert "<!-- written: episode" in text
    assert script.written(page) == text, "write it anew: python docs/suites/write.py"


@pytest.mark.parametrize("page", SUITES, ids=lambda page: page.stem)
def test_each_page_says_what_one_looks_for(page: Path):
    text = page.read_text(encoding="utf-8")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    for wanted in ("## An episode", "## What cheating earns", "## Known departures"):
        assert wanted in headings


def test_the_picture_is_the_search_that_its_script_plays():
    drawn = loaded(DOCS / "pictures" / "search_tree.py")
    assert drawn.PICTURE.read_text(encoding="utf-8") == drawn.picture(*drawn.played())
