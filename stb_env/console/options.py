"""Options that mean the same in every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonMapping, JsonObject

Data = Annotated[str | None, typer.Option("--data", help="Official data files, as they are.")]
Tools = Annotated[
    Path | None,
    typer.Option(
        "--tools",
        help="Folder of tool files that describe the data's tools; those beside the data where not given.",
    ),
]
Retrieve = Annotated[
    int | None,
    typer.Option(
        "--retrieve",
        min=1,
        help="A query that names no tools gets so many by retrieval (--set retriever=NAME).",
    ),
]
Cache = Annotated[Path | None, typer.Option("--cache", help="Folder of recorded API responses.")]
Mode = Annotated[str | None, typer.Option("--mode", help="On a cache miss: replay, offline, live or record.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the run.")]
Episodes = Annotated[
    int | None, typer.Option("--episodes", min=1, help="How many tasks; all where not given.")
]
Trials = Annotated[
    int | None,
    typer.Option("--trials", min=1, help="How often each task is played; once, or as the protocol says."),
]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Episodes played at the same time.")]
CallTimeout = Annotated[
    float | None,
    typer.Option("--call-timeout", help="Seconds for one question to a model, backend, judge or user."),
]
StepTimeout = Annotated[
    float | None, typer.Option("--step-timeout", help="Seconds for a decision with all that follows from it.")
]
EpisodeTimeout = Annotated[
    float | None,
    typer.Option(
        "--episode-timeout", help="Seconds for an episode; one that is cut off can be played again."
    ),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder to write to; a run there is resumed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Judge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="pass, final_answer, original_pass, heuristic, an evaluator folder, path.py:Name or "
        "module:Name; the environment's own where not given.",
    ),
]
Simulator = Annotated[
    str | None,
    typer.Option(
        "--simulator",
        help="In the modes live and record, who answers in an API's place: path.py:Name, module:Name, a "
        "profile of the model's, or none.",
    ),
]
Models = Annotated[
    Path | None,
    typer.Option(
        "--models",
        help="Models file (TOML) for the roles agent, simulator and judge, or a GGUF file for all of them.",
    ),
]
Local = Annotated[
    Path | None,
    typer.Option(
        "--local", help="GGUF file of the agent's model, run in this process; needs the extra local."
    ),
]
Protocol = Annotated[
    str | None,
    typer.Option("--protocol", help="Reproduce a paper: its settings hold; `stb-env protocols` lists all."),
]
Originals = Annotated[
    Path | None,
    typer.Option(
        "--originals", help="Copy of the original's repository, for prompts and evaluators that are its own."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="Any further setting of the environment, as NAME=JSON or NAME=TEXT; repeatable."
    ),
]


def read_settings(pairs: list[str] | None) -> JsonObject:
    """Read ``NAME=VALUE`` pairs; a value that is JSON counts as such, any other as text.

    Raises:
        ConfigError: A pair has no ``=``.

    Examples:
        >>> read_settings(["max_turns=5", "split=train"])
        {'max_turns': 5, 'split': 'train'}
    """
    settings: JsonObject = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ConfigError(f"--set takes NAME=VALUE, got {pair!r}")
        try:
            settings[name] = json.loads(value)
        except ValueError:
            settings[name] = value
    return settings


def env_settings(
    pairs: list[str] | None,
    *,
    data: str | None = None,
    cache: Path | None = None,
    mode: str | None = None,
    judge: str | None = None,
    simulator: str | None = None,
    models: Path | None = None,
    originals: Path | None = None,
    tools: Path | None = None,
    retrieve: int | None = None,
) -> JsonObject:
    """Collect the settings of an environment; what was not given is left to its default."""
    named = {
        "data": data,
        "cache": _text(cache),
        "mode": mode,
        "judge": judge,
        "simulator": simulator,
        "models": _text(models),
        "originals": _text(originals),
        "tools": _text(tools),
        "retrieve": retrieve,
    }
    return {name: value for name, value in named.items() if value is not None} | read_settings(pairs)


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


def _text(path: Path | None) -> str | None:
    return None if path is None else str(path)
