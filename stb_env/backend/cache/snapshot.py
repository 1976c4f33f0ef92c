"""Freezing a cache into the base of a new one, of any size, going on where a killed process stopped."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Iterable
from contextlib import closing
from dataclasses import astuple
from pathlib import Path

from stb_env.backend.cache.entry import CacheEntry, timeless
from stb_env.backend.cache.key import CANONICAL, PREFIX
from stb_env.backend.cache.layers import BASE, Layers, write_manifest
from stb_env.backend.cache.report import FilterReport
from stb_env.backend.cache.resumable_pass import BATCH, Position, Progress, checked, counted
from stb_env.backend.store import FILE, Filling, FrozenStore, Row, kept_folder, sweep
from stb_env.core.files import make_folder, write_text
from stb_env.errors import ConfigError

_FILLED = "filled.json"


def freeze(
    layers: Layers, dest: Path, *, report: FilterReport | None = None, progress: Progress | None = None
) -> str:
    """Write the entries to the base of a new cache folder, which appears whole or not at all.

    Args:
        layers: What is frozen.
        dest: A new or empty folder.
        report: Decides which entries are kept; None keeps all.
        progress: Told the rows read, on which those hashed follow.

    Returns:
        The hash of what was written.

    Raises:
        ConfigError: The folder exists and is not empty, or another process is making it.
        DataError: A row is damaged or refused.
        StorageError: The disk refuses.
    """
    dest = Path(os.path.abspath(dest))
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        raise ConfigError(f"{dest} exists and is not empty; name a new folder for the frozen cache")
    make_folder(dest.parent)
    sweep(dest)
    kind = "snapshot" if report is None else f"filter {report.taxonomy}"
    with kept_folder(dest, f"{kind}\n{layers.state or uuid.uuid4()}") as part:
        whole = part / "cache"
        with closing(Filling(whole / BASE)) as filling:
            if not filling.finished:
                write_text(part / _FILLED, _fill(filling, layers, report, progress))
                filling.finish()
        *_, read, counts = json.loads((part / _FILLED).read_text())
        if report is not None:
            report.restore(counts)
        file = whole / BASE / FILE
        with closing(FrozenStore(file)) as base:
            found = digest(counted(base.rows(), progress, read))
        write_manifest(whole, {"hash": found, "entries": filling.count, "bytes": file.stat().st_size})
        whole.replace(dest)
    return found


def digest(rows: Iterable[Row]) -> str:
    """Return the SHA-256 hex digest over rows, which come in order of their keys."""
    summed = hashlib.sha256()
    for row in rows:
        add_to(summed, row)
    return summed.hexdigest()


def add_to(summed: hashlib._Hash, row: Row) -> None:
    """Add one row to a digest, which does not depend on when it was recorded."""
    summed.update(f"{row.key}\n{timeless(row.value)}\n{row.problem}\n".encode())


def _fill(filling: Filling, layers: Layers, report: FilterReport | None, progress: Progress | None) -> str:
    """Add what is not there yet, and return the mark at its end."""
    *place, counts = json.loads(filling.mark or '["", 0, 0, null]')
    position = Position(*place)
    if report is not None and counts is not None:
        report.restore(counts)
    batch: list[tuple[str, str]] = []

    def store() -> None:
        counts = None if report is None else report.to_dict()
        filling.put_many(batch, json.dumps([*astuple(position), counts]))
        batch.clear()

    for row in position.rows(layers, progress):
        entry = checked(row, layers.folder)
        if report is None:
            batch.append((row.key, row.value))
        elif report.keeps(entry):
            batch.append((_kept_key(row.key, layers, report), entry.written()))
        if not position.total % BATCH:
            store()
    store()
    return filling.mark


def _kept_key(key: str, layers: Layers, report: FilterReport) -> str:
    """Return the key of a row that a filter keeps: the canonical one where the row that had it goes."""
    canonical = key[:CANONICAL]
    if key == canonical:
        return key
    for row in layers.in_order(PREFIX, canonical):
        if report.classified(CacheEntry.read(row.value)).kept:
            return canonical if row.key == key else key
    return key
