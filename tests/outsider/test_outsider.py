"""Somebody else's package plays in every command, a search and vector environments, however it is named."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = HERE / "package" / "src"
SHELF = SOURCE / "outsider" / "shelf.py"


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """An environment of variables in which the package is installed, as far as Python can see."""
    metadata = tmp_path / "site" / "outsider-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outsider\nVersion: 0.1.0\n")
    (metadata / "entry_points.txt").write_text("[stb_env.suites]\noutsider = outsider.shelf:SUITE\n")
    root = HERE.parents[1]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (metadata.parent, SOURCE, root)))}


@pytest.mark.parametrize("form", ["entry point", "module", "path"])
def test_somebody_elses_environment_plays_everywhere(form: str, installed: dict[str, str], tmp_path: Path):
    env_id = "outsider/Shelf-v0"
    judges = "outsider.judges"
    if form == "module":
        env_id = f"outsider.shelf:{env_id}"
    elif form == "path":
        # A copy, so that it is certainly the file that is played.
        (tmp_path / "shelf.py").write_text(SHELF.read_text())
        (tmp_path / "judges.py").write_text((SHELF.parent / "judges.py").read_text())
        env_id, judges = f"{tmp_path / 'shelf.py'}:{env_id}", str(tmp_path / "judges.py")
        installed["PYTHONPATH"] = str(HERE.parents[1])
    done = subprocess.run(
        [sys.executable, str(HERE / "play.py"), env_id, str(tmp_path), judges],
        capture_output=True,
        text=True,
        env=installed,
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
