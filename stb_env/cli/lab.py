"""``stb-env lab``: the stability laboratory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stb_env.console import options
from stb_env.console.output import console, emit, reporting
from stb_env.jsontypes import JsonObject
from stb_env.lab.experiment import INSTALL_PLOTS, LabSettings
from stb_env.lab.registry import EXPERIMENTS, load_experiment

Name = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(EXPERIMENTS)}.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for JSON, table and plot.")]
Count = Annotated[
    int | None, typer.Option("--episodes", min=1, help="How many tasks, APIs or pairs; a default if absent.")
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent", help="Who plays, where the experiment plays agents; failures --data takes several."
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option("--set", help="A setting of the experiment, as NAME=JSON or NAME=TEXT; repeatable."),
]


@reporting
def lab(
    name: Name,
    out: Out = None,
    seed: options.Seed = 0,
    episodes: Count = None,
    data: options.Data = None,
    agents: Agents = None,
    pairs: Pairs = None,
    as_json: options.AsJson = False,
) -> None:
    """Rerun an experiment of StableToolBench in kind, offline, with the Sandbox as the real API.

    ``failures --data QUERIES`` is Table 12 and Figure 4 on real queries; run it again with --out to resume.
    """
    given: JsonObject = {} if data is None else {"data": data}
    if agents:
        given["agent"] = agents[0] if len(agents) == 1 else agents
    experiment = load_experiment(name)(LabSettings(out, seed, episodes, given | options.read_settings(pairs)))
    remarks = experiment.write(out, name) if out is not None else []
    if as_json:
        emit(experiment.to_dict(), as_json)
    else:
        # Text as it is written to files: a terminal's width would break wide tables into pieces.
        typer.echo(experiment.table())
    if out is None and experiment.plot is not None:
        remarks = [f"--out DIR writes JSON, table and plot; the plot needs matplotlib ({INSTALL_PLOTS})"]
    for remark in remarks:
        console.print(remark, soft_wrap=True, markup=False, highlight=False)
