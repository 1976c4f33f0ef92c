"""Options of the command line that no plan has, and what is made of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError

Runs = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder to write to; a run there is resumed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Local = Annotated[
    Path | None,
    typer.Option(
        "--local", help="GGUF file of the agent's model, run in this process; needs the extra local."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="Any further setting of the environment, as NAME=JSON or NAME=TEXT; repeatable."
    ),
]


_BARE = re.compile(r"^(-?)\.(?=\d+$)")
_NUMBERS = re.compile(r"\(?((?:-?[\d.]+ ?, ?)+-?[\d.]+)\)?")


def read_settings(pairs: list[str] | None) -> JsonObject:
    """Read ``NAME=VALUE`` pairs; a value that is JSON counts as such, any other as text.

    Numbers with commas between them are a list, and true and false are also read with capitals.

    Raises:
        ConfigError: A pair has no ``=``.

    Examples:
        >>> read_settings(["max_turns=5", "split=train", "faults=.1"])
        {'max_turns': 5, 'split': 'train', 'faults': 0.1}
        >>> read_settings(["level=1,2", "services=(2, 4)", "policies=True"])
        {'level': [1, 2], 'services': [2, 4], 'policies': True}
    """
    settings: JsonObject = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ConfigError(f"--set takes NAME=VALUE, got {pair!r}")
        # JSON has no number without a digit before its point, no bare list and no capitals; people do.
        written = _BARE.sub(r"\g<1>0.", value)
        if numbers := _NUMBERS.fullmatch(value):
            written = f"[{numbers[1]}]"
        elif value.lower() in ("true", "false"):
            written = value.lower()
        try:
            settings[name] = json.loads(written)
        except ValueError:
            settings[name] = value
    return settings


def protocol_rows(protocol: JsonMapping | None) -> list[tuple[str, str]]:
    """Return the rows of a table that say which protocol made its numbers, and every departure from it.

    Examples:
        >>> protocol_rows({"name": "mine", "version": 1, "departures": ["votes is 1, not 3"]})
        [('protocol', 'mine, version 1'), ('departures', 'votes is 1, not 3')]
    """
    if protocol is None:
        return []
    named = ("protocol", f"{protocol['name']}, version {protocol['version']}")
    departures = protocol["departures"] or ["none"]
    return [named, *(("" if index else "departures", text) for index, text in enumerate(departures))]
