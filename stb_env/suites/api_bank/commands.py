"""``stb-env api-bank``: samples for models, and the paper's figures of what they wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.errors import ConfigError, DataError
from stb_env.files import write_json
from stb_env.jsontypes import JsonObject
from stb_env.rollout.make import make_env
from stb_env.rollout.verdict_file import manifest_of, read_judged
from stb_env.suites.api_bank.corpus import LEVELS, Corpus, embedded_corpus, read_corpus
from stb_env.suites.api_bank.episodes import episode_scores
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.formats.predictions import read_predictions, sample_record
from stb_env.suites.api_bank.formats.samples import Sample
from stb_env.suites.api_bank.formats.statistics import ABILITIES
from stb_env.suites.api_bank.judge import DialogueJudge
from stb_env.suites.api_bank.metrics import Score, report

app = typer.Typer(no_args_is_help=True, help="Write API-Bank's samples and evaluate predictions.")

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
    data: options.Data = None,
    compat: CompatName = None,
    as_json: options.AsJson = False,
) -> None:
    """Print call accuracy, ROUGE-L and types of errors, as tables 3 to 6 of the paper have them."""
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
        evaluator = Evaluator(_corpora(data), cast(Literal["original"] | None, compat))
        scores, invalid = evaluator.evaluate(read_predictions(predictions)), 0
        given = {score.level for score in scores if score.given}
        scores = [score for score in scores if score.level in given]
        if not scores:
            raise DataError("no prediction is for a sample of these dialogues; check ids and --data")
    figures = report(scores) | {"invalid_episodes": invalid, "compat": compat}
    tables = Table.grid()
    tables.add_row(_accuracy_table(figures))
    tables.add_row(_error_table(figures))
    emit(figures, as_json, tables)


@app.command("samples")
@reporting
def samples(
    out: Annotated[Path, typer.Option("--out", help="Folder to write the files to.")],
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Write the samples of each level as test files: what a model sees, and what is expected."""
    written = {}
    out.mkdir(parents=True, exist_ok=True)
    for corpus in _corpora(data):
        evaluator = Evaluator([corpus])
        descriptions = {name: api.entry for name, api in corpus.apis.apis.items()}
        for kind in ("call", "response"):
            chosen = [sample for sample in evaluator.samples if sample.wants_call == (kind == "call")]
            file = out / f"level-{LEVELS[corpus.ability]}-{kind}.json"
            records = [_record(sample, evaluator, descriptions) for sample in chosen]
            write_json(file, records, sort_keys=False)
            written[str(file)] = len(chosen)
    emit({"written": written}, as_json)


def _record(sample: Sample, evaluator: Evaluator, descriptions: dict[str, JsonObject]) -> JsonObject:
    return sample_record(sample, evaluator.place(sample), descriptions)


def _corpora(data: str | None) -> list[Corpus]:
    """Return the levels that the data hold, or all of our own where there are none."""
    if data is None:
        return [embedded_corpus(ability) for ability in LEVELS]
    corpora, problems = [], []
    for ability in LEVELS:
        try:
            corpora.append(read_corpus(ability, data))
        except DataError as error:
            problems.append(str(error))
    if not corpora:
        raise DataError(problems[0])
    return corpora


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


def _accuracy_table(figures: JsonObject) -> Table:
    table = Table(title="API calls and responses", caption=_notes(figures))
    for column in ("level", "correctness", "ROUGE-L", "agrees", "calls", "dialogues"):
        table.add_column(column, justify="left" if column == "level" else "right", no_wrap=column == "level")
    for level, row in figures["levels"].items():
        calls = f"{row['right_calls']}/{row['calls']}"
        dialogues = f"{row['right_dialogues']}/{row['dialogues']}"
        shares = _percent(row["accuracy"]), _fraction(row["rouge"]), _percent(row["agreement"])
        table.add_row(ABILITIES[int(level)], *shares, calls, dialogues)
    total = figures["total"]
    table.add_row("total", _percent(total["accuracy"]), _fraction(total["rouge"]), "", "", "")
    return table


def _notes(figures: JsonObject) -> str:
    weights = ", ".join(f"{level}: {weight}" for level, weight in figures["total"]["weights"].items())
    invalid = figures["invalid_episodes"]
    missing = sum(row["missing"] for row in figures["levels"].values())
    noted = f"; {missing} samples have no prediction" if missing else ""
    noted += f"; {invalid} invalid episodes left out" if invalid else ""
    return (
        f"weights of the levels in the total {weights}; level 3 counts dialogues; agrees: replies that no "
        f"result contradicts{noted}"
    )


def _error_table(figures: JsonObject) -> Table:
    by_level = figures["errors_by_level"]
    table = Table(title=f"{sum(figures['errors'].values())} errors")
    for column in ("type", "share", "count", *(f"level {level}" for level in by_level)):
        table.add_column(column, justify="left" if column == "type" else "right")
    errors = sum(figures["errors"].values())
    for name, count in figures["errors"].items():
        share = _percent(count / errors) if errors else "-"
        table.add_row(name, share, str(count), *(str(counts[name]) for counts in by_level.values()))
    return table


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.2%}"


def _fraction(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
