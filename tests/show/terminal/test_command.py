"""`stb-env play` as a person types it, in a terminal of 80 columns and 24 rows."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stb_env.saved_episodes import read_trajectories
from stb_env.show.cli.main import app

NOTES = "stb_env.testing.notes:test/Notes-v0"
needs_textual = pytest.mark.skipif(
    find_spec("textual") is None, reason="playing in the terminal needs the extra play"
)


class Terminal:
    """A process on a pseudo-terminal: types when something shows."""

    def __init__(self, *words: object) -> None:
        self._screen, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "stb_env", *map(str, words)],
            stdin=inside,
            stderr=inside,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TERM": "xterm-256color"},
        )
        os.close(inside)
        self._guard = threading.Timer(60, self.process.kill)
        self._guard.start()
        self.shown = b""

    def type(self, after: str, keys: str) -> None:
        """Wait until a text is on the screen, then press keys."""
        while after.encode() not in self.shown:
            self.shown += os.read(self._screen, 65_536)
        self.shown = b""
        os.write(self._screen, keys.encode())

    def end(self) -> tuple[int, str]:
        """Wait for the process; returns its exit code and what it printed."""
        drain = threading.Thread(target=self._drain, daemon=True)
        drain.start()
        printed, _ = self.process.communicate()
        self._guard.cancel()
        return self.process.returncode, printed

    def _drain(self) -> None:
        try:
            while os.read(self._screen, 65_536):
                pass
        except OSError:  # the other side is closed
            return


def refused(*words: str) -> str:
    done = CliRunner().invoke(app, ["play", *words])
    assert done.exit_code == 2
    return done.stderr.strip()


@needs_textual
def test_an_answer_is_typed_judged_and_saved(tmp_path: Path):
    out = tmp_path / "mine"
    terminal = Terminal("play", NOTES, "--task", "day", "--out", out, "--json")
    terminal.type("find_notes", "\x1bOQ")
    terminal.type("final_answer", "Tuesday\r")
    terminal.type("solved", "\x11")
    code, printed = terminal.end()
    assert code == 0
    (told,) = json.loads(printed)["episodes"]
    assert (told["task_id"], told["trial"], told["verdict"]["status"]) == ("day", 0, "solved")
    (saved,) = read_trajectories(out)
    assert (saved.final_answer, saved.solved) == ("Tuesday", True)
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["agent"], manifest["judge"]) == ("person", "exact")


@needs_textual
def test_an_agent_is_watched_and_its_episode_is_that_of_a_run(tmp_path: Path):
    out = tmp_path / "watched"
    terminal = Terminal("play", NOTES, "--watch", "--agent", "gold", "--task", "day", "--out", out)
    terminal.type("turn 0 of", "a")
    terminal.type("verdict", "\x11")
    assert terminal.end()[0] == 0
    run = tmp_path / "run"
    done = CliRunner().invoke(app, ["run", NOTES, "--agent", "gold", "--episodes", "1", "--out", str(run)])
    assert done.exit_code == 0
    assert read_trajectories(out) == read_trajectories(run)


def test_without_textual_it_names_the_extra_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("stb_env.show.cli.play.find_spec", lambda name: None)
    assert refused(NOTES, "--out", str(tmp_path / "mine")) == (
        "error: playing in the terminal needs textual, which is not installed here; "
        "pip install 'stb-env[play]'"
    )
    assert not (tmp_path / "mine").exists()


def test_without_a_terminal_it_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("stb_env.show.cli.play.find_spec", lambda name: object())
    assert refused(NOTES) == (
        "error: play needs a terminal on its input and its errors; use `stb-env run` in a script"
    )


def test_an_agent_without_watching_is_bad_use():
    assert refused(NOTES, "--agent", "gold") == (
        "error: --agent names who is watched; add --watch, or leave it out to play yourself"
    )
