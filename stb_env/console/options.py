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


def read_settings(pairs: list[str] | None) -> JsonObject:
    """Read ``NAME=VALUE`` pairs; a value that is JSON counts as such, any other as text.

    Raises:
        ConfigError: A pair has no ``=``.

    Examples:
        >>> read_settings(["max_turns=5", "split=train", "faults=.1"])
        {'max_turns': 5, 'split': 'train', 'faults': 0.1}
    """
    settings: JsonObject = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ConfigError(f"--set takes NAME=VALUE, got {pair!r}")
        try:
            # JSON has no number without a digit before its point, and people write them.
            settings[name] = json.loads(_BARE.sub(r"\g<1>0.", value))
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
