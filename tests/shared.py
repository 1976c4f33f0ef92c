"""Walks the layout of the shared data: a file is found by what it holds, and a kind that is absent skips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def found(root: Path, pattern: str) -> list[Path]:
    """Return the files of a pattern, in order; the test skips where there is none."""
    files = sorted(file for file in root.glob(pattern) if file.is_file())
    if not files:
        pytest.skip(f"no {pattern} in {root}")
    return files


def folder(root: Path, *names: str) -> Path:
    """Return a folder of the layout; the test skips where it is absent or holds no file."""
    place = root.joinpath(*names)
    found(root, f"{'/'.join(names)}/**/*")
    return place


def queries(root: Path) -> Path:
    """Return the folder of StableToolBench's queries; the test skips where it holds none."""
    found(root, "stabletoolbench/solvable_queries/test_instruction/*.json")
    return folder(root, "stabletoolbench", "solvable_queries")


def objects(root: Path, pattern: str, *fields: str) -> list[dict[str, Any]]:
    """Return the JSON objects of all files that have these fields; the test skips where none has."""
    values = (json.loads(file.read_text(encoding="utf-8")) for file in found(root, pattern))
    kept = [value for value in values if isinstance(value, dict) and set(fields) <= value.keys()]
    if not kept:
        pytest.skip(f"no {pattern} in {root} has {', '.join(fields)}")
    return kept


def golden_cases(root: Path, pattern: str, *fields: str) -> list[dict[str, Any]]:
    """Return the cases of all golden files whose cases have these fields; the test skips where none has."""
    files = objects(root, f"stabletoolbench/golden/{pattern}", "cases")
    cases = [case for file in files for case in file["cases"] if set(fields) <= set(case)]
    if not cases:
        pytest.skip(f"no case of {pattern} has {', '.join(fields)}")
    return cases


def task_files(root: Path, task: str, *fields: str) -> list[dict[str, Any]]:
    """Return the files of verdicts on one of SambaNova's tasks; the test skips where there is none."""
    files = objects(root, "toolbench_tasks/*.json", "meta", *fields)
    kept = [file for file in files if file["meta"]["task"] == task]
    if not kept:
        pytest.skip(f"no file of {task} with {', '.join(fields)} in {root}")
    return kept


def task_cases(root: Path, task: str, part: str = "cases", *fields: str) -> list[dict[str, Any]]:
    """Return the cases of one of SambaNova's tasks, of all its files; the test skips where there is none."""
    cases = [case for file in task_files(root, task, part, *fields) for case in file[part]]
    if not cases:
        pytest.skip(f"no case of {task} in {root}")
    return cases
