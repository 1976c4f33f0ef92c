"""``stb-env api-bank benchmark``: a model at every sample of the three levels."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal, cast

import typer
from rich.progress import Progress
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import console, emit, reporting
from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonObject
from stb_env.options import Concurrency, Data, Models, ProtocolName
from stb_env.protocol import Protocol, find_protocol
from stb_env.suites.api_bank.benchmark.interview import Interview
from stb_env.suites.api_bank.benchmark.published import published
from stb_env.suites.api_bank.benchmark.speaker import MODEL, speaker
from stb_env.suites.api_bank.corpus import LEVELS, levels_of
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.figures_table import tables
from stb_env.suites.api_bank.formats.rendering import Rendering
from stb_env.suites.api_bank.formats.statistics import ABILITIES
from stb_env.suites.api_bank.metrics import report

NAME = "api-bank benchmark"
PROTOCOL = "api-bank"

Levels = Annotated[
    list[int] | None,
    typer.Option("--level", min=1, max=3, help="A level to ask; repeatable, all by default."),
]
AgentName = Annotated[
    str,
    typer.Option(
        "--agent",
        help="Who answers: chat (the models file's agent), gold (the recorded texts), or path.py:name of a "
        "function from chat messages to a text.",
    ),
]
RenderingName = Annotated[
    str | None, typer.Option("--rendering", help="chat or text: how a sample is put to the model.")
]
CompatName = Annotated[
    str | None, typer.Option("--compat", help="original: read and judge as the released evaluator does.")
]
SamplingSeed = Annotated[
    int | None, typer.Option("--seed", help="Seed of the model's sampling; the models file's by default.")
]


@reporting
def benchmark(
    models: Models = None,
    agent: AgentName = MODEL,
    data: Data = None,
    level: Levels = None,
    protocol: ProtocolName = None,
    compat: CompatName = None,
    rendering: RenderingName = None,
    seed: SamplingSeed = None,
    concurrency: Concurrency = 1,
    out: options.Out = None,
    as_json: options.AsJson = False,
) -> None:
    """Ask a model every sample, print Tables 3 to 6 beside the paper's; run again to go on.

    Example: stb-env api-bank benchmark --agent gold --out runs/benchmark
    """
    if protocol not in (None, PROTOCOL):
        raise ConfigError(f"the benchmark follows the protocol {PROTOCOL}, or none, not {protocol!r}")
    fixed = find_protocol(PROTOCOL).values("run", NAME) if protocol else {}
    compat = compat or cast(str | None, fixed.get("compat"))
    rendering = rendering or str(fixed.get("rendering", "chat"))
    if rendering not in ("chat", "text"):
        raise ConfigError(f"--rendering must be chat or text, got {rendering!r}")
    corpora = [corpus for corpus in levels_of(data) if not level or LEVELS[corpus.ability] in level]
    if not corpora:
        raise ConfigError(f"{data} holds no dialogues of level {', '.join(map(str, level or ()))}")
    evaluator = Evaluator(corpora, cast(Literal["original"] | None, compat))
    who = speaker(agent, models, seed)
    with ExitStack() as stack:
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        interview = Interview(evaluator, who, folder, cast(Rendering, rendering))
        progress = stack.enter_context(Progress(console=console, transient=True, disable=as_json))
        bar = progress.add_task("samples", total=None)
        interview.hold(concurrency, lambda done, total: progress.update(bar, completed=done, total=total))
    figures = _figures(evaluator, interview, {"compat": compat, "rendering": rendering}, data)
    figures["protocol"]["followed"] = protocol is not None
    figures |= {"model": who.name, "out": None if out is None else str(out)}
    emit(figures, as_json, _tables(figures))
    if sum(interview.failures.values()) == len(evaluator.samples):
        raise typer.Exit(1)


def _figures(evaluator: Evaluator, interview: Interview, given: JsonObject, data: str | None) -> JsonObject:
    paper = find_protocol(PROTOCOL)
    return report(evaluator.evaluate(interview.predictions)) | {
        **given,
        "invalid_episodes": 0,
        "failures": dict(interview.failures),
        "usage": interview.usage.to_dict(),
        "published": _published(),
        "protocol": {
            "name": paper.name,
            "version": paper.version,
            "departures": departures(paper, evaluator, given, data),
        },
    }


def departures(protocol: Protocol, evaluator: Evaluator, given: JsonObject, data: str | None) -> list[str]:
    """Return in what figures depart from the paper's, one sentence each.

    Args:
        protocol: The paper's settings.
        evaluator: Has the samples.
        given: The settings that hold.
        data: Official files, or None for our own dialogues.
    """
    found = protocol.departures("run", NAME, given)
    if data is None:
        found.append("the dialogues are our own, not the official ones")
    elif sizes := list(_other_sizes(evaluator)):
        found.append(f"not the paper's samples: {'; '.join(sizes)}")
    about_samples = ("prompts", "search", "live services")
    return found + [one.departure for one in protocol.settings if one.name in about_samples]


def _other_sizes(evaluator: Evaluator) -> Sequence[str]:
    sizes = []
    for level in (1, 2, 3):
        samples = [sample for sample in evaluator.samples if sample.level == level]
        calls = sum(sample.wants_call for sample in samples)
        wanted = published().calls[level], published().responses[level]
        if (calls, len(samples) - calls) != wanted:
            sizes.append(
                f"{calls} calls and {len(samples) - calls} replies of {ABILITIES[level]}, "
                f"there {wanted[0]} and {wanted[1]}"
            )
    return sizes


def _published() -> JsonObject:
    return {
        "models": {
            one.name: {"correctness": list(one.correctness), "rouge": list(one.rouge)}
            for one in published().models
        },
        "errors": {one.name: {"table": one.table, **one.shares} for one in published().errors},
    }


def _tables(figures: JsonObject) -> Table:
    grid = tables(figures, beside_paper=True)
    about = Table(show_header=False, caption=f"saved in {figures['out']}" if figures["out"] else None)
    unanswered = ", ".join(f"{name} {count}" for name, count in figures["failures"].items())
    usage = figures["usage"]
    about.add_row("unanswered", unanswered or "0")
    about.add_row("model calls", f"{usage['calls']}, {usage['total_tokens']:,} tokens, ${usage['cost']:.4f}")
    for name, value in options.protocol_rows(figures["protocol"]):
        about.add_row(name, value)
    grid.add_row(about)
    return grid
