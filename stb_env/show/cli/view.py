"""``stb-env view``: browse runs in a web browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.options import Data
from stb_env.show.report.saved.line_check import check_lines, check_whole
from stb_env.show.report.view.export import MOST_STATES, export_view
from stb_env.show.report.view.run_index import RunIndex
from stb_env.show.report.view.server import ViewServer

Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run folders, or folders with runs in them.")
]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port on this machine; 0 takes one that is free.")
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")]
Export = Annotated[
    Path | None,
    typer.Option("--export", help="Write the page and its data to a folder instead, for any web server."),
]
States = Annotated[
    int,
    typer.Option("--states", min=0, help="With --export: episodes of a run whose world is shown."),
]
Env = Annotated[
    str | None,
    typer.Option(
        "--env",
        help="path.py:ID or module:ID that the runs were played in; its code is run to replay their worlds.",
    ),
]


@reporting
def view(
    runs: Runs,
    port: Port = 0,
    no_browser: NoBrowser = False,
    export: Export = None,
    states: States = MOST_STATES,
    env: Env = None,
    data: Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Browse runs in a web browser, also while they are played: episodes, search trees, worlds, differences.

    Example: stb-env view runs/gold runs/noop
    """
    run_index = RunIndex(runs, env_id=env, data=data)
    for run in run_index.runs:
        # A run that is looked at may go on, and shows damaged lines as such; an export is passed on.
        (check_lines if export is None else check_whole)(run.folder)
    if export is not None:
        told = {**export_view(run_index, export, most_states=states), "out": str(export)}
        emit(told, as_json)
        typer.echo(f"to look at it: python -m http.server --directory {export}", err=True)
        return
    with ViewServer(run_index, port) as server:
        if as_json:
            emit({"url": server.url}, as_json)
        else:
            typer.echo(f"{server.url} (Ctrl-C ends it)")
        if not no_browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("", err=True)
