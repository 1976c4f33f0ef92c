"""Commands that are killed at random as they open, move or sync a file, and go on to the same bytes."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from tests.command import stb
from tests.kills import die, killed, needs_fork

KILLS = 5
COMMANDS = {
    "run": ("run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", 6, "--out"),
    "groups": ("groups", "stb/Sandbox-v1", "--agent", "gold", "--k", 2, "--tasks", 3, "--out"),
    "judge": ("judge", "--judge", "heuristic", "--votes-cache", "votes"),
    "synthesize": ("synthesize", "--dialogues", 4, "--out"),
    "worlds new": ("worlds", "new"),
}
# What is of the clock, and what a kill left of a group.
UNLIKE = {"timings.jsonl", "SHA256SUMS", "failures.jsonl"}
CHANGING = {"os.rename", "os.remove", "os.truncate", "os.mkdir"}


def watched(words: tuple[object, ...], dies_at: int, tells: Path | None = None) -> None:
    """Run a command that is killed at some change of the disk, or tells how many it has made."""
    done = 0

    def changed() -> None:
        nonlocal done
        done += 1
        if done == dies_at:
            die()

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        opened = (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if opened or event in CHANGING:
            changed()

    real = os.fsync

    def fsync(file: int) -> None:
        changed()
        real(file)
        changed()

    sys.addaudithook(hook)
    os.fsync = fsync
    code = stb(*words).exit_code
    if tells is not None:
        tells.write_text(f"{done} {code}")


def contents(place: Path) -> dict[str, bytes]:
    files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
    kept = (file for file in files if file.name not in UNLIKE and not file.name.startswith("."))
    return {file.relative_to(place.parent).name: file.read_bytes() for file in kept}


@pytest.mark.heavy
@needs_fork
@pytest.mark.serial
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_killed_as_it_writes_goes_on_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    whole, counted, broken = (tmp_path / name / "it" for name in ("whole", "counted", "broken"))
    for place in (whole, counted, broken):
        place.parent.mkdir()
        if command == "judge":
            if place is whole:
                assert stb(*COMMANDS["run"], tmp_path / "run").exit_code == 0
            shutil.copytree(tmp_path / "run", place)
    # Here, so that what is forked from here has imported everything.
    assert stb(*COMMANDS[command], whole).exit_code == 0
    tells = tmp_path / "tells"
    assert not killed(lambda: watched((*COMMANDS[command], counted), 0, tells))
    changes, code = map(int, tells.read_text().split())
    assert (code, changes > KILLS) == (0, True)
    draw = random.Random(command)
    ended = 0
    for _ in range(KILLS):
        at = draw.randint(1, changes)
        ended += not killed(lambda at=at: watched((*COMMANDS[command], broken), at))
    assert ended < KILLS
    done = stb(*COMMANDS[command], broken)
    assert done.exit_code == 0 or "is there already; name a new file" in done.output, done.output
    assert contents(broken) == contents(whole)
