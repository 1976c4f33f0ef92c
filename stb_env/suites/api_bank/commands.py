"""``stb-env api-bank``: samples for models, and the paper's figures of what they wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.errors import ConfigError, DataError
from stb_env.files import write_json
from stb_env.jsontypes import JsonObject
from stb_env.options import Data
from stb_env.rollout.make import make_env
from stb_env.rollout.verdict_file import manifest_of, read_judged
from stb_env.suites.api_bank.benchmark.command import benchmark
from stb_env.suites.api_bank.corpus import LEVELS, levels_of
from stb_env.suites.api_bank.episodes import episode_scores
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.figures_table import tables
from stb_env.suites.api_bank.formats.predictions import read_predictions, sample_record
from stb_env.suites.api_bank.formats.samples import Sample
from stb_env.suites.api_bank.judge import DialogueJudge
from stb_env.suites.api_bank.metrics import Score, report

app = typer.Typer(
    no_args_is_help=True, help="Ask a model API-Bank's samples, write them, and evaluate predictions."
)
app.command("benchmark")(benchmark)

Predicted = Annotated[
    list[Path],
    typer.Argument(metavar="PREDICTIONS", help="Files of predictions for samples, or the folder of one run."),
]
CompatName = Annotated[
    str | None, typer.Option("--compat", help="original: read and judge as the released evaluator does.")
]


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
            records = [_record(sample, evaluator) for sample in chosen]
            write_json(file, records, sort_keys=False)
            written[str(file)] = len(chosen)
    emit({"written": written}, as_json)


def _record(sample: Sample, evaluator: Evaluator) -> JsonObject:
    return sample_record(sample, evaluator.place(sample), evaluator.descriptions[sample.level])


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
