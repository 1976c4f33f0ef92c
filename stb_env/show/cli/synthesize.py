"""``stb-env synthesize``: write training dialogues with five agents, or with one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.console.progress import bar
from stb_env.core.jsontypes import JsonObject
from stb_env.core.options import Seed
from stb_env.errors import ConfigError, did_you_mean
from stb_env.experiments.synthesis import Ability, Pipeline, Settings, synthesize
from stb_env.experiments.synthesis.review_sheet import read_sheet
from stb_env.experiments.synthesis.roles import METHODS
from stb_env.experiments.synthesis.statistics import published
from stb_env.experiments.synthesis.tool_api import read_apis
from stb_env.models import Meter
from stb_env.show.cli.synthesize_queries import AnswerOptions, WriterOptions, synthesize_queries
from stb_env.suites.api_bank.formats.training import Instructions, read_training

Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder to write to, one there is continued; with --tools a file."),
]
Dialogues = Annotated[int, typer.Option("--dialogues", min=1, help="How many samples there shall be.")]
AbilityName = Annotated[
    str, typer.Option("--ability", help="call, retrieve or plan; all draws one each time.")
]
Method = Annotated[str, typer.Option("--method", help="multi: five agents; single: one writes everything.")]
Turns = Annotated[
    int, typer.Option("--turns", min=1, help="Most utterances of a user; offline there is one.")
]
PerDomain = Annotated[int, typer.Option("--per-domain", min=1, help="Dialogues that share a domain's APIs.")]
Like = Annotated[
    Path | None,
    typer.Option("--like", help="A training file of API-Bank whose instructions are used, to mix with it."),
]
Tools = Annotated[
    Path | None, typer.Option("--tools", help="Catalogue (stb-env tools import) to write queries for.")
]
Panel = Annotated[
    list[Path] | None,
    typer.Option("--panel", help="With --tools: models file whose judge votes on solvability; repeatable."),
]
Review = Annotated[
    Path | None, typer.Option("--review", help="Read a labelled review sheet and print the usable share.")
]


@reporting
def synthesize_command(
    *,
    out: Out = None,
    dialogues: Dialogues = 20,
    seed: Seed = 0,
    ability: AbilityName = "all",
    method: Method = "multi",
    writers: WriterOptions,
    turns: Turns = 3,
    per_domain: PerDomain = 2,
    like: Like = None,
    review: Review = None,
    tools: Tools = None,
    answers: AnswerOptions,
    panel: Panel = None,
    as_json: options.AsJson = False,
) -> None:
    """Write training dialogues as API-Bank did, or queries for tools of your own; run again to continue.

    Without --models nothing is asked of a model: the Sandbox's tools and tasks play all roles. With --tools,
    queries for a catalogue go to the file --out: about what its tools answered, or by five agents with
    --models; those are kept that a gold run solves.

    Example: stb-env synthesize --dialogues 5 --out runs/synthesis
    """
    if review is not None:
        _print_review(review, as_json)
        return
    if tools is not None:
        file = out or Path("queries.jsonl")
        synthesize_queries(tools, file, dialogues, seed, answers, writers, panel or [], as_json)
        return
    if answers.given:
        raise ConfigError(
            "--cache, --mode, --start and --writes say who answers the tools of a catalogue: give --tools"
        )
    if out is None:
        raise ConfigError("name a folder to write to with --out DIR, or a sheet to read with --review FILE")
    if method not in METHODS:
        raise ConfigError(
            f"no method {method!r}; there is {', '.join(METHODS)}.{did_you_mean(method, METHODS)}"
        )
    settings = Settings(_abilities(ability), turns, per_domain)
    instructions = Instructions() if like is None else Instructions.of(read_training(like))
    meter = Meter(max_cost=writers.budget)
    if not writers.asked:
        _check_offline(writers)
        pipeline = Pipeline.offline(seed, method=method, settings=settings)
    else:
        authors = writers.authors(method, meter)
        samples = () if writers.apis is None else read_apis(writers.apis)
        pipeline = Pipeline(authors, seed, method=method, settings=settings, samples=samples)
    with bar("synthesize", as_json, meter) as progress:
        result = synthesize(
            pipeline, out, dialogues, meter=meter, instructions=instructions, progress=progress
        )
    report = {"out": str(out), "method": method, **result.summary}
    emit(report, as_json, _table(report))


def _abilities(name: str) -> tuple[Ability, ...]:
    return tuple(Ability) if name == "all" else (Ability.named(name),)


def _check_offline(writers: WriterOptions) -> None:
    for option, value in (("--apis", writers.apis), ("--budget", writers.budget)):
        if value is not None:
            raise ConfigError(f"{option} is for models; give a models file with --models")


def _print_review(file: Path, as_json: bool) -> None:
    found = read_sheet(file)
    low, high = found.interval
    table = Table(title=f"review of {file.name}", show_header=False)
    table.add_row("labelled, without a label", f"{found.labelled}, {found.unlabelled}")
    table.add_row("usable", str(found.usable))
    table.add_row("share usable", _percent(found.share))
    table.add_row("95 % interval (Wilson)", f"{low:.1%} to {high:.1%}")
    emit({"review": str(file), **found.to_dict()}, as_json, table)


def _table(report: JsonObject) -> Table:
    table = Table(title=f"{report['kept']} of {report['samples']} dialogues kept", caption=report["out"])
    for name in ("figure", "here", "paper"):
        table.add_column(name, justify="left" if name == "figure" else "right")
    for name, value in report["table2"].items():
        table.add_row(name.replace("_", " "), _number(value), _number(published()[name]))
    table.add_section()
    table.add_row("dropped by the tester", _percent(report["share_rejected_by_tester"]), "35.0%")
    table.add_row("failed / duplicate", f"{report['failed']} / {report['duplicate']}", "-")
    table.add_row("dollars a kept dialogue", _cost(report), "0.1")
    return table


def _cost(report: JsonObject) -> str:
    cost: float | None = report["cost_per_kept_dialogue"]
    return "unknown" if report["usage"]["unpriced"] else _number(cost)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
