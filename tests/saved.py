"""Saved runs as tests change and compare them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stb_env.core.checksums import SUMS
from stb_env.saved_episodes import read_trajectories


def unbound(folder: Path) -> list[str]:
    """Return the lines of a run's episodes without its identity, in which equal runs may differ."""
    return [replace(episode, run="").to_json() for episode in read_trajectories(folder)]


def unbind(folder: Path) -> None:
    """Write a run's episodes without its identity, as older versions did, so that its manifest may change."""
    text = "".join(f"{line}\n" for line in unbound(folder))
    (folder / "trajectories.jsonl").write_text(text, encoding="utf-8")
    unsum(folder)


def unsum(folder: Path) -> None:
    """Delete the checksums of a run's files, so that they may change: it is as if it had not ended."""
    (folder / SUMS).unlink(missing_ok=True)
