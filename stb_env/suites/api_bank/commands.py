"""``stb-env api-bank``: ask a model the samples, write them, and evaluate predictions."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal, cast

import typer
from rich.progress import Progress
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import console, emit, reporting
from stb_env.core.files import write_json
from stb_env.core.jsontypes import JsonObject
from stb_env.core.options import Concurrency, Data, Models, ProtocolName
from stb_env.errors import ConfigError, DataError
from stb_env.runs.make import make_env
from stb_env.runs.protocol import find_protocol
from stb_env.runs.verdict_file import manifest_of, read_judged
from stb_env.suites.api_bank.benchmark.responder import MODEL, responder
from stb_env.suites.api_bank.benchmark.run import BenchmarkRun
from stb_env.suites.api_bank.corpus import LEVELS, levels_of
from stb_env.suites.api_bank.episodes import episode_scores
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.figures_table import published, tables
from stb_env.suites.api_bank.formats.dialogues import LEVEL_NAMES
from stb_env.suites.api_bank.formats.predictions import read_predictions, sample_record
from stb_env.suites.api_bank.formats.rendering import Rendering
from stb_env.suites.api_bank.judge import DialogueJudge
from stb_env.suites.api_bank.metrics import Score, report

NAME = "api-bank benchmark"
PROTOCOL = "api-bank"

app = typer.Typer(
    no_args_is_help=True, help="Ask a model API-Bank's samples, write them, and evaluate predictions."
)
Predicted = Annotated[
    list[Path],
    typer.Argument(metavar="PREDICTIONS", help="Files of predictions for samples, or the folder of one run."),
]
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


@app.command("benchmark")
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
    who = responder(agent, models, seed)
    with ExitStack() as stack:
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        run = BenchmarkRun(evaluator, who, folder, cast(Rendering, rendering))
        progress = stack.enter_context(Progress(console=console, transient=True, disable=as_json))
        bar = progress.add_task("samples", total=None)
        run.answer_all(concurrency, lambda done, total: progress.update(bar, completed=done, total=total))
    figures = _figures(evaluator, run, {"compat": compat, "rendering": rendering}, data)
    figures["protocol"]["followed"] = protocol is not None
    figures |= {"model": who.name, "out": None if out is None else str(out)}
    emit(figures, as_json, _tables(figures))
    if sum(run.failures.values()) == len(evaluator.samples):
        raise typer.Exit(1)


def _figures(
    evaluator: Evaluator, run: BenchmarkRun, given: Mapping[str, object], data: str | None
) -> JsonObject:
    paper = find_protocol(PROTOCOL)
    return report(evaluator.evaluate(run.predictions)) | {
        **given,
        "invalid_episodes": 0,
        "failures": dict(run.failures),
        "usage": run.usage.to_dict(),
        "published": {
            "models": {
                row["name"]: {"correctness": row["correctness"], "rouge": row["rouge"]}
                for row in published()["models"]
            },
            "errors": {
                row["name"]: {"table": row["table"], **row["shares"]} for row in published()["errors"]
            },
        },
        "protocol": {
            "name": paper.name,
            "version": paper.version,
            "departures": _departures(evaluator, given, data),
        },
    }


def _departures(evaluator: Evaluator, given: Mapping[str, object], data: str | None) -> list[str]:
    """Return in what figures depart from the paper's, one sentence each."""
    paper = find_protocol(PROTOCOL)
    found = paper.departures("run", NAME, given)
    if data is None:
        found.append("the dialogues are our own, not the official ones")
    elif sizes := _other_sizes(evaluator):
        found.append(f"not the paper's samples: {'; '.join(sizes)}")
    about_samples = ("prompts", "search", "live services")
    return found + [one.departure for one in paper.settings if one.name in about_samples]


def _other_sizes(evaluator: Evaluator) -> list[str]:
    paper = published()["samples"]
    sizes = []
    for level, name in LEVEL_NAMES.items():
        samples = [sample for sample in evaluator.samples if sample.level == level]
        calls = sum(sample.wants_call for sample in samples)
        wanted = paper["calls"][str(level)], paper["responses"][str(level)]
        if (calls, len(samples) - calls) != wanted:
            sizes.append(
                f"{calls} calls and {len(samples) - calls} replies of {name}, "
                f"there {wanted[0]} and {wanted[1]}"
            )
    return sizes


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


@app.command("evaluate")
@reporting
def evaluate(
    predictions: Predicted,
    data: Data = None,
    compat: CompatName = None,
    as_json: options.AsJson = False,
) -> None:
    """Print call accuracy, ROUGE-L and types of errors, as tables 3 to 6 of the paper have them.

    Example: stb-env api-bank evaluate runs/api-bank
    """
    folders = [path for path in predictions if path.is_dir()]
    if folders:
        if len(predictions) > 1:
            raise ConfigError("one run is evaluated at a time; give one folder, or files alone")
        if compat is not None:
            raise ConfigError(
                "--compat is about texts for samples; a run's calls were read when it was played"
            )
        scores, invalid = _of_run(folders[0], data)
    else:
        evaluator = Evaluator(levels_of(data), cast(Literal["original"] | None, compat))
        scores, invalid = evaluator.evaluate(read_predictions(predictions)), 0
        given = {score.level for score in scores if score.given}
        scores = [score for score in scores if score.level in given]
        if not scores:
            raise DataError("no prediction is for a sample of these dialogues; check ids and --data")
    figures = report(scores) | {"invalid_episodes": invalid, "compat": compat}
    emit(figures, as_json, tables(figures))


@app.command("samples")
@reporting
def samples(
    out: Annotated[Path, typer.Option("--out", help="Folder to write the files to.")],
    data: Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Write the samples of each level as test files: what a model sees, and what is expected.

    Example: stb-env api-bank samples --out samples
    """
    written = {}
    out.mkdir(parents=True, exist_ok=True)
    for corpus in levels_of(data):
        evaluator = Evaluator([corpus])
        for kind in ("call", "response"):
            chosen = [sample for sample in evaluator.samples if sample.wants_call == (kind == "call")]
            file = out / f"level-{LEVELS[corpus.ability]}-{kind}.json"
            descriptions = evaluator.descriptions[LEVELS[corpus.ability]]
            records = [sample_record(sample, evaluator.place(sample), descriptions) for sample in chosen]
            write_json(file, records, sort_keys=False)
            written[str(file)] = len(chosen)
    emit({"written": written}, as_json)


def _of_run(folder: Path, data: str | None) -> tuple[list[Score], int]:
    manifest = manifest_of(folder)
    env_id = str(manifest.get("env", ""))
    if not env_id.startswith("stb/APIBank"):
        raise DataError(f"{folder} is no run of API-Bank, but of {env_id or 'nothing that is known'}")
    settings = dict(manifest.get("settings", {}))
    env = make_env(env_id, settings | ({} if data is None else {"data": data}))
    if env.tasks.hash != manifest.get("tasks"):
        raise ConfigError(f"{folder} was played on other tasks than these; give its dialogues with --data")
    judge = env.rules.judge
    if not isinstance(judge, DialogueJudge):
        raise ConfigError(f"{folder} was judged by {judge.name}, which matches no calls")
    return episode_scores(read_judged(folder), env.tasks, judge)
