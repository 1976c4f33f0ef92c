"""What commands print: it fits the terminal, says where it was cut, and has colours where they are wanted."""

from __future__ import annotations

import json
import os
import pty
import sys
from pathlib import Path

import pytest
from rich.table import Table

from stb_env.console.output import emit
from tests.command import stb

NAME = "a-name-without-a-space-" * 6
COLOUR = b"\x1b[3"


LOUD = """
import stb_env


def loud(state: dict) -> str:
    'Be loud.'
    print("LOUD")
    return "x" * 1_000_000


SUITE = stb_env.environment(
    "t/Loud-v0",
    tools=[loud],
    state=dict,
    tasks=[stb_env.task("Be loud.", gold="loud()", check=lambda answer, state: False)],
)
"""


def table(*cells: str) -> Table:
    drawn = Table("name", "remark")
    drawn.add_row(*cells)
    return drawn


def test_a_table_fits_80_columns_and_says_that_it_was_cut(capsys: pytest.CaptureFixture[str], monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    emit({}, False, table(NAME, "short"))
    shown = capsys.readouterr()
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "…" in shown.out
    assert "… text was cut to fit 80 columns; --json has all of it" in " ".join(shown.err.split())


@pytest.mark.parametrize(
    "cells", [("short", "words that wrap " * 20), ("…", "an ellipsis of the data's own")]
)
def test_nothing_is_said_where_nothing_was_cut(capsys: pytest.CaptureFixture[str], monkeypatch, cells):
    monkeypatch.setenv("COLUMNS", "80")
    emit({}, False, table(*cells))
    assert capsys.readouterr().err == ""


def test_json_is_never_cut(capsys: pytest.CaptureFixture[str]):
    emit({"name": NAME}, True, table(NAME, ""))
    shown = capsys.readouterr()
    assert NAME in shown.out
    assert shown.err == ""


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, **variables: str) -> bytes:
    """What a table looks like where the output is a terminal."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"TERM": "xterm-256color", "COLUMNS": "80"} | variables).items():
        monkeypatch.setenv(name, value)
    drawn = Table("name", style="red")
    drawn.add_row("gold", style="green")
    mine, theirs = pty.openpty()
    with os.fdopen(mine, "rb", buffering=0) as screen, os.fdopen(theirs, "w") as output:
        with monkeypatch.context() as context:
            context.setattr(sys, "stdout", output)
            emit({}, False, drawn)
        output.flush()
        shown = screen.read(65_536)
    assert b"gold" in shown
    return shown


def test_a_terminal_with_colours_gets_them(monkeypatch: pytest.MonkeyPatch):
    assert COLOUR in on_a_terminal(monkeypatch)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_gets_none(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]):
    assert COLOUR not in on_a_terminal(monkeypatch, **variables)


def test_what_is_no_terminal_gets_no_colours(capsys: pytest.CaptureFixture[str]):
    drawn = Table("name")
    drawn.add_row("gold", style="green")
    emit({}, False, drawn)
    assert "\x1b" not in capsys.readouterr().out


def test_what_a_tool_prints_goes_to_stderr_where_a_document_is_wanted(tmp_path: Path):
    (tmp_path / "loud.py").write_text(LOUD, encoding="utf-8")
    done = stb("run", tmp_path / "loud.py", "--json")
    assert "LOUD" in done.stderr
    # Finish refuses an answer as long as this one, and gold has no other.
    assert json.loads(done.stdout)["unsolved"] == 1
