"""Output of commands: a table or one JSON document on stdout, errors and progress on stderr."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from contextvars import ContextVar
from io import StringIO
from pathlib import Path
from typing import ParamSpec, TextIO, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.table import Table

from stb_env.console.parameters import with_options
from stb_env.core.interrupts import terminable
from stb_env.errors import InfrastructureError, RunStopped, STBError
from stb_env.models.meter import Meter, metered

P = ParamSpec("P")
R = TypeVar("R")

BAD_USE, FAILED, INTERRUPTED = 2, 1, 130

# No table of ours is wider.
_ROOM = 4_000

# Stdout, while what others print goes to stderr.
_document: ContextVar[TextIO | None] = ContextVar("_document", default=None)

console = Console(stderr=True)
"""For progress and remarks: stdout carries the result alone."""


def emit(data: Mapping[str, object], as_json: bool, table: RenderableType | None = None) -> None:
    """Print a result: as one JSON document, as its table, or without a table as lines of name and value.

    Args:
        data: The result, JSON values.
        as_json: Whether ``--json`` was given; then nothing else may go to stdout.
        table: The same for people: a table, or several in a group.
    """
    if as_json:
        typer.echo(json.dumps(data, indent=2), file=_document.get())
        return
    if table is None:
        table = lines = Table(show_header=False)
        for name, value in data.items():
            lines.add_row(name, value if isinstance(value, str) else json.dumps(value))
    out = Console()
    out.print(table)
    if _is_cut(table, out.width):
        console.print(f"… text was cut to fit {out.width} columns; --json has all of it", highlight=False)


@contextmanager
def _document_alone() -> Iterator[None]:
    token = _document.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _document.reset(token)


def _is_cut(table: RenderableType, width: int) -> bool:
    """Return whether a table has more ellipses than one with room for everything."""
    shown, whole = (_drawn_at(table, columns).count("…") for columns in (width, _ROOM))
    return shown > whole


def _drawn_at(table: RenderableType, width: int) -> str:
    paper = Console(width=width, file=StringIO(), color_system=None, legacy_windows=False)
    with paper.capture() as capture:
        paper.print(table)
    return capture.get()


@contextmanager
def stoppable(out: Path | None, saved: Callable[[Path], str]) -> Iterator[None]:
    """Say what is saved and how to go on where Ctrl-C or SIGTERM ends the block, and exit with 130.

    Args:
        out: Where everything that is finished is saved; None where nothing is.
        saved: Says what is saved there.
    """
    with terminable():
        try:
            yield
        except KeyboardInterrupt as error:
            kept = (
                "nothing was kept; --out FOLDER keeps what is finished"
                if out is None
                else f"{saved(out)}; what is finished is saved in {out}, and the same command goes on there"
            )
            typer.echo(f"stopped: {kept}", err=True)
            raise typer.Exit(INTERRUPTED) from error


def reporting(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command: its options (see `with_options`), and errors as ``error: ...`` on stderr.

    Exit 2 stands for bad use, 1 for a failed run, which includes what the operating system refuses: a full
    disk is no one's bug. With ``--json``, what others print, such as somebody's tools, goes to stderr.
    """
    command = with_options(command)

    @functools.wraps(command)
    def reported(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            # What its models cost is shown while it runs.
            with metered(Meter()), _document_alone() if kwargs.get("as_json") else nullcontext():
                return command(*args, **kwargs)
        except STBError as error:
            typer.echo(f"error: {error}", err=True)
            failed = isinstance(error, InfrastructureError | RunStopped)
            raise typer.Exit(FAILED if failed else BAD_USE) from error
        except BrokenPipeError:
            # Whoever read the output has left; typer ends quietly.
            raise
        except OSError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(FAILED) from error

    return reported
