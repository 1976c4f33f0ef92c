"""Find the folders of runs below given paths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stb_env.errors import DataError, did_you_mean
from stb_env.runs.verdict_file import manifest_of

_EPISODES, _MANIFEST = "trajectories.jsonl", "manifest.json"


def find_runs(paths: Sequence[Path]) -> dict[str, Path]:
    """Return the folders of runs by a short name of each: its path, as far as it tells runs apart.

    Args:
        paths: Run folders, their ``trajectories.jsonl``, or folders with runs somewhere below, such as an
            evaluation. A run that has begun and saved nothing yet is one.

    Raises:
        DataError: One of them does not exist, or holds no run.

    Examples:
        >>> find_runs([Path("runs/nothing")])
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: runs/nothing does not exist; name a run folder, or a folder with runs in it
    """
    found: dict[Path, None] = {}
    for path in paths:
        found.update(dict.fromkeys(_runs_in(path)))
    return _named(list(found))


def _runs_in(path: Path) -> list[Path]:
    if not path.exists():
        siblings = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, siblings)
        raise DataError(
            f"{path} does not exist; name a run folder, or a folder with runs in it.{hint}".rstrip(".")
        )
    if path.is_file():
        path = path.parent
    if _is_run(path):
        return [path.resolve()]
    below = sorted({file.parent.resolve() for name in (_EPISODES, _MANIFEST) for file in path.rglob(name)})
    runs = [folder for folder in below if _is_run(folder)]
    if not runs:
        raise DataError(f"{path} holds no run; name a folder that `stb-env run --out` or `eval` has written")
    return runs


def _is_run(folder: Path) -> bool:
    # An evaluation has a manifest too: one of its runs.
    return (folder / _EPISODES).is_file() or (
        (folder / _MANIFEST).is_file() and "cells" not in manifest_of(folder)
    )


def _named(folders: Sequence[Path]) -> dict[str, Path]:
    depth = 1
    while True:
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names):
            return dict(zip(names, folders, strict=True))
        depth += 1
