"""``stb-env lab``: the stability laboratory."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from stb_env import __version__
from stb_env.console import options
from stb_env.console.output import console, emit, reporting
from stb_env.core.files import write_json
from stb_env.core.options import Data, Judge, Models, Seed
from stb_env.errors import ConfigError
from stb_env.evaluation.manifest import PATHS
from stb_env.experiments.lab.experiment import INSTALL_PLOTS, Experiment, LabSettings
from stb_env.experiments.lab.registry import EXPERIMENTS, load_experiment

Name = Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(EXPERIMENTS)}.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for JSON, table and plot.")]
Count = Annotated[
    int | None, typer.Option("--episodes", min=1, help="How many tasks, APIs or pairs; a default if absent.")
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        help="Who plays, where agents play: reader, stumbling_oracle(error_rate=0.3) or as `stb-env run` "
        "takes it; failures --data takes several.",
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
    seed: Seed = 0,
    episodes: Count = None,
    data: Data = None,
    agents: Agents = None,
    judge: Judge = None,
    models: Models = None,
    pairs: Pairs = None,
    as_json: options.AsJson = False,
) -> None:
    """Rerun an experiment of StableToolBench in kind, offline, with the Sandbox as the real API.

    ``failures --data QUERIES`` is Table 12 and Figure 4 on real queries; run it again with --out to resume.

    Example: stb-env lab failures --episodes 12 --out runs/lab
    """
    if out is not None and out.exists() and not out.is_dir():
        # Found at the end, it would have cost the whole experiment.
        raise ConfigError(f"{out} is a file; --out takes a folder, which is made where there is none")
    agent = agents[0] if agents and len(agents) == 1 else agents or None
    named = {"data": data, "agent": agent, "judge": judge, "models": models}
    given = {option: value for option, value in named.items() if value is not None}
    given |= options.read_settings(pairs)
    settings = LabSettings(out, seed, episodes, given)
    experiment = load_experiment(name)(settings)
    remarks = experiment.write(out, name) if out is not None else []
    if out is not None:
        write_json(out / f"{name}.manifest.json", _manifest(name, settings, experiment), sort_keys=False)
    if as_json:
        emit(experiment.to_dict(), as_json)
    else:
        # Text as it is written to files: a terminal's width would break wide tables into pieces.
        typer.echo(experiment.table())
    if out is None and experiment.plot is not None:
        remarks = [f"--out DIR writes JSON, table and plot; the plot needs matplotlib ({INSTALL_PLOTS})"]
    for remark in remarks:
        console.print(remark, soft_wrap=True, markup=False, highlight=False)


def _manifest(name: str, settings: LabSettings, experiment: Experiment) -> dict[str, object]:
    """Return what decides the numbers, and what they are of."""
    return {
        "experiment": name,
        "package": __version__,
        "seed": settings.seed,
        "episodes": settings.episodes,
        "options": {key: value for key, value in settings.options.items() if key not in PATHS},
        "about": None if experiment.about is None else asdict(experiment.about),
    }
