"""The command line, run in this process."""

from __future__ import annotations

import json
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from stb_env.show.cli.main import app


def stb(*words: object) -> Result:
    """Run ``stb-env`` with these words; an exception that does not end the command is raised."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def reported(*words: object) -> Any:
    """Run it with ``--json`` and return what it prints."""
    done = stb(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def error_of(done: Result) -> str:
    """Return the one line that a failed command says."""
    # The progress bar leaves an empty line where it stood, and a slow start says what it does.
    (line,) = [line for line in done.stderr.splitlines() if line and not line.endswith(" ...")]
    assert line.startswith("error: ")
    return line.removeprefix("error: ")
