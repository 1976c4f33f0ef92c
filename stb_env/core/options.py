"""Options that mean the same in every command and in an evaluation's plan, each declared once.

A command has an option for each parameter that is annotated so, and for each field of an options class.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Literal

from typing_extensions import Doc

from stb_env.core.jsontypes import JsonObject
from stb_env.core.kinds import AtLeast

Actions = Annotated[
    Literal["calls", "code"] | None,
    Doc("What an agent writes: calls, or with code programs in Python that make them."),
]
Data = Annotated[str | None, Doc("Official data files, as they are.")]
Tools = Annotated[
    str | None,
    Doc("Folder of tool files that describe the data's tools; those beside the data where not given."),
]
Retrieve = Annotated[
    int | None,
    Doc("A query that names no tools gets so many by retrieval (--set retriever=NAME)."),
    AtLeast(1),
]
Cache = Annotated[str | None, Doc("Folder of recorded API responses.")]
Mode = Annotated[str | None, Doc("On a cache miss: replay, offline, live or record.")]
Judge = Annotated[
    str | None,
    Doc(
        "pass, final_answer, original_pass, heuristic, an evaluator folder, path.py:Name or module:Name; "
        "the environment's own where not given."
    ),
]
Simulator = Annotated[
    str | None,
    Doc(
        "In the modes live and record, who answers in an API's place: path.py:Name, module:Name, a profile "
        "of the model's, or none."
    ),
]
Models = Annotated[
    str | None,
    Doc("Models file (TOML) for the roles agent, simulator and judge, or a GGUF file for all of them."),
]
Originals = Annotated[
    str | None, Doc("Copy of the original's repository, for prompts and evaluators that are its own.")
]
ProtocolName = Annotated[
    str | None, Doc("Reproduce a paper: its settings hold; `stb-env protocols` lists all.")
]
Verdicts = Annotated[str | None, Doc("Whose verdicts count; each run's own judge by default.")]
Start = Annotated[bool, Doc("Start the program that the catalogue names (an MCP server).")]
Writes = Annotated[bool, Doc("Call tools that may change something with guessed arguments, too.")]
Seed = Annotated[int, Doc("Seed of the run.")]
Episodes = Annotated[int | None, Doc("How many tasks; all where not given."), AtLeast(1)]
Trials = Annotated[
    int | None, Doc("How often each task is played; once, or as the protocol says."), AtLeast(1)
]
Concurrency = Annotated[int, Doc("Episodes played at the same time."), AtLeast(1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentOptions:
    """Settings of an environment that have an option of their own; None for what was not given."""

    data: Data = None
    cache: Cache = None
    mode: Mode = None
    judge: Judge = None
    simulator: Simulator = None
    models: Models = None
    originals: Originals = None
    tools: Tools = None
    retrieve: Retrieve = None
    actions: Actions = None

    def given(self) -> JsonObject:
        """Return what was given, by name.

        Examples:
            >>> EnvironmentOptions(mode="replay", retrieve=5).given()
            {'mode': 'replay', 'retrieve': 5}
        """
        values = {field.name: getattr(self, field.name) for field in fields(EnvironmentOptions)}
        return {name: value for name, value in values.items() if value is not None}
