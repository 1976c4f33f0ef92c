"""Somebody else's package plays in every command, a search and vector environments."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

HERE = Path(__file__).parent
SHELF = HERE / "package" / "src" / "outsider" / "shelf.py"


@pytest.mark.heavy
def test_somebody_elses_environment_plays_everywhere(tmp_path: Path):
    """It is a file here; `.ci/outsider` installs it, and plays it by entry point and as a module as well."""
    # A copy, so that it is certainly the file that is played.
    for name in ("shelf.py", "judges.py"):
        (tmp_path / name).write_text((SHELF.parent / name).read_text())
    env_id = f"{tmp_path / 'shelf.py'}:outsider/Shelf-v0"
    done = subprocess.run(
        [sys.executable, str(HERE / "play.py"), env_id, str(tmp_path), str(tmp_path / "judges.py")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{env_id} plays everywhere\n"


def test_it_takes_no_more_than_twenty_five_lines():
    text = SHELF.read_text()
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert sum(ast.get_docstring(function) is not None for function in functions) == 5
    assert len(text.splitlines()) <= 25
    assert max(map(len, text.splitlines())) <= 120
