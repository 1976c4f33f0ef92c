"""Table tasks from SambaNova's own files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.suites.sambanova.tabletop.goals import GOALS
from stb_env.suites.sambanova.tabletop.targets import Positions
from stb_env.suites.sambanova.tabletop.tasks import NAME, tabletop_task
from stb_env.tasks import TaskSet


def official_tasks(path: str | Path) -> TaskSet:
    """Read the test items of an official folder.

    Args:
        path: Folder with ``test.jsonl``, or that file.

    Raises:
        DataError: The file is missing or broken.
    """
    path = Path(path)
    file = path / "test.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise DataError(f"no test file at {file}; give the folder that holds test.jsonl, or that file")
    tasks = []
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        kind, setup, configs = _item(line, place)
        slots = {name: str(value) for name, value in configs["instruction_vars_dict"].items()}
        missing = [slot for slot in GOALS[kind].slots if slot not in slots]
        if missing:
            raise DataError(f"{place}: {kind} needs {missing[0]!r} in 'instruction_vars_dict'")
        positions = _positions(configs, place)
        for slot in ("block", "object1", "bowl"):
            if slot in slots and slots[slot] not in positions:
                raise DataError(f"{place}: {slots[slot]!r} is not on the table")
        task_id = f"{kind}-{setup}"
        tasks.append(
            tabletop_task(task_id, "test", str(configs["instruction"]), kind, slots, positions, setup)
        )
    if not tasks:
        raise DataError(f"{file} has no lines")
    return TaskSet(tasks, NAME)


def _item(line: str, place: str) -> tuple[str, int, JsonMapping]:
    try:
        record = jsontext.loads(line)
    except ValueError as error:
        raise DataError(f"{place} is no JSON: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("configs"), dict):
        raise DataError(f"{place} needs 'tester_id', 'configs_id' and 'configs', got {line[:120]}")
    kind, configs = str(record.get("tester_id")), record["configs"]
    if kind not in GOALS:
        raise DataError(f"{place}: 'tester_id' must be one of {', '.join(GOALS)}, got {kind!r}")
    for name in ("block_list", "bowl_list", "position_dict", "instruction", "instruction_vars_dict"):
        if name not in configs:
            raise DataError(f"{place}: 'configs' lacks {name!r}")
    return kind, int(record.get("configs_id", 0)), configs


def _positions(configs: JsonMapping, place: str) -> Positions:
    positions: dict[str, tuple[float, float, float]] = {}
    for names, key in (("block_list", "block_pos"), ("bowl_list", "bowl_pos")):
        points: Sequence[Any] = configs["position_dict"].get(key, [])
        if len(points) != len(configs[names]):
            raise DataError(f"{place}: {len(configs[names])} names in {names!r}, {len(points)} in {key!r}")
        for name, point in zip(configs[names], points, strict=True):
            try:
                x, y, z = (float(part) for part in point)
            except (TypeError, ValueError) as error:
                raise DataError(f"{place}: {json.dumps(point)[:60]} is no position") from error
            positions[name] = (x, y, z)
    return positions
