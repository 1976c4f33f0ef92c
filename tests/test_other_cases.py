"""The golden tests hold on any cases of the layout: here on half of them, under other ids and names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.shared import folder

ROOT = Path(__file__).parents[1]
MODULES = ("tests/suites", "tests/runs/metrics", "tests/judges", "tests/retrieval", "tests/backend")
LISTS = {"cases", "flows", "episodes", "token_set_ratio", "normalize_color"}


def golden_files() -> list[str]:
    """Return the test files that have a golden test, so that no others are collected."""
    files = [file for folder in MODULES for file in sorted((ROOT / folder).rglob("test_*.py"))]
    return [
        str(file) for file in files if "golden" in file.name or "golden" in file.read_text(encoding="utf-8")
    ]


def half(items: list[Any], which: int) -> list[Any]:
    """Return the items of one half, told by what they hold; other ids and tags in place of theirs."""
    chosen = [item for item in items if sha256(json.dumps(item).encode()).digest()[0] % 2 == which]
    for number, item in enumerate(chosen):
        if isinstance(item, dict):
            item.update({name: f"{name} {number}" for name in ("id", "tag", "name") if name in item})
    return chosen


def halved(value: Any, which: int) -> Any:
    if not isinstance(value, dict):
        return half(value, which) if isinstance(value, list) else value
    return {name: half(part, which) if name in LISTS else part for name, part in value.items()}


def rewrite(file: Path, change: Callable[[Any], Any]) -> None:
    value = change(json.loads(file.read_text(encoding="utf-8")))
    file.with_name(f"{file.stem}_other.json").write_text(json.dumps(value), encoding="utf-8")
    file.unlink()


@pytest.fixture(params=[0, 1])
def other_cases(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder of the same layout with half of the cases, the verdicts under other names."""
    folder(shared_data, "toolbench_tasks")
    root = tmp_path_factory.mktemp("other") / "data"
    skipped = shutil.ignore_patterns("solvable_queries", "mirrorapi_bench", "toolbench", "answers", "convert")
    # Files are copied without their permissions, which may forbid to write.
    shutil.copytree(shared_data, root, ignore=skipped, copy_function=shutil.copyfile)
    for place in [root, *(place for place in root.rglob("*") if place.is_dir())]:
        place.chmod(0o755)
    golden = [file for part in ("passrate", "preference", "server") for file in root.rglob(f"{part}/*.json")]
    for file in [*(root / "toolbench_tasks").glob("*.json"), *golden]:
        rewrite(file, lambda value: halved(value, request.param))
    for number, file in enumerate(sorted(root.rglob("level-*/*.jsonl"))):
        if number % 2 == request.param:
            file.unlink()
        else:
            file.rename(file.with_name(f"other-{number}.jsonl"))
    return root


@pytest.mark.cases
def test_golden_tests_hold_on_other_cases_of_the_layout(other_cases: Path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-k",
        "golden",
        "-o",
        "addopts=",
    ]
    done = subprocess.run(
        [*command, *golden_files()],
        cwd=ROOT,
        env={**os.environ, "STB_SHARED_DATA": str(other_cases)},
        capture_output=True,
        text=True,
        # Only what hangs is to end here: a busy machine takes ten times what a quiet one does.
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4_000:]
    assert " passed" in done.stdout
