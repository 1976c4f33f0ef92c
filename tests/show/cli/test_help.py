"""What every command says about itself: an example that the command really takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest
import typer
from typer.testing import CliRunner

from stb_env.show.cli import app

ROOT = typer.main.get_command(app)
# typer brings a copy of click of its own.
USAGE_ERROR = typer.BadParameter.__bases__[0]
EXAMPLE = re.compile(r"^Example: stb-env (.*)$", re.MULTILINE)


def commands(group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


def command_at(path: tuple[str, ...]):
    command = ROOT
    for name in path:
        command = command.commands[name]
    return command


def parse(path: tuple[str, ...], words: list[str]) -> None:
    """Parse as the program does, and run nothing."""
    assert tuple(words[: len(path)]) == path
    command_at(path).make_context("stb-env", words[len(path) :])


@pytest.mark.parametrize("path", list(commands(ROOT)), ids=" ".join)
def test_every_command_has_an_example_that_parses(path: tuple[str, ...]):
    examples = EXAMPLE.findall(command_at(path).help or "")
    assert len(examples) == 1, f"`stb-env {' '.join(path)} --help` needs one line `Example: stb-env ...`"
    parse(path, shlex.split(examples[0]))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("cache stats", "Missing option '--cache'"),
        ("compare runs/gold", "Missing argument 'B'"),
        ("list --jsn", "No such option: --jsn"),
        ("run stb/X-v0 --episodes many", "Invalid value for '--episodes'"),
    ],
)
def test_an_example_that_does_not_parse_is_found(words: str, complaint: str):
    path = next(path for path in commands(ROOT) if words.split()[: len(path)] == list(path))
    with pytest.raises(USAGE_ERROR) as caught:
        parse(path, words.split())
    assert complaint in caught.value.format_message()


def test_help_shows_the_example():
    shown = " ".join(CliRunner().invoke(app, ["compare", "--help"]).output.split())
    assert "Example: stb-env compare runs/gold runs/keyword" in shown
