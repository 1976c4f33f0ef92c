"""Saved runs as tests change them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stb_env.trajectory import read_trajectories


def unbind(folder: Path) -> None:
    """Write a run's episodes without its identity, as older versions did, so that its manifest may change."""
    lines = [replace(episode, run="").to_json() for episode in read_trajectories(folder)]
    (folder / "trajectories.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
