"""Turing test of simulated answers: blinded pairs out, labels in, and what can be measured without people.

StableToolBench had three annotators compare the real and the simulated answers of 70 APIs (Figure 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from stb_env.experiments.lab.answer_pairs import (
    AnswerPair,
    MeanSimilarity,
    Similarity,
    means,
    recorded_pairs,
    sandbox_pairs,
)
from stb_env.experiments.lab.experiment import Experiment, LabSettings, TableRow
from stb_env.experiments.lab.plots import grouped_bars
from stb_env.experiments.lab.sandbox_calls import gold_calls
from stb_env.experiments.lab.turing_labels import (
    OUTCOMES,
    BlindPair,
    blind,
    outcomes,
    read_labels,
    write_sheets,
)
from stb_env.runs.metrics.agreement import krippendorff_alpha, observed_agreement, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes

APIS = 70
Measure = Literal["same_outcome", "schema_match", "field_overlap", "bleu4", "rouge_l"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

_LABEL_COLUMNS = ("question", "pairs", "labels", *OUTCOMES, "agreement", "alpha")


def run(settings: LabSettings) -> Experiment:
    """Measure pairs, write their blinded sheets where there is an output folder, count labels where given.

    Options: ``data``, a MirrorAPI-Bench folder (without it the Sandbox and the template simulator answer);
    ``labels``, files of labels divided by commas. ``episodes`` is the number of pairs.

    Raises:
        ConfigError: An option is unknown.
        DataError: The data or the labels are not what their formats promise.
    """
    settings.expect("data", "labels")
    blinded = blind(_pairs(settings), settings.seed, settings.episodes)
    who = "MirrorAPI-Bench" if "data" in settings.options else "the Sandbox and the template simulator"
    notes = [
        f"{len(blinded)} pairs of {who}; field_overlap is a mean over the pairs in which either answer has "
        "fields."
    ]
    if settings.out is not None:
        sheets, key = write_sheets(settings.out, blinded)
        notes.append(f"Annotators get {sheets.name} and turing_questions.json; {key.name} is not for them.")
    measured = [Similarity.of(blind_pair.pair) for blind_pair in blinded]
    rows = means([blind_pair.pair for blind_pair in blinded], measured)
    labels = _label_table(settings, blinded)
    return Experiment(
        title="Turing test: measured similarity of simulated answers to real ones",
        columns=("group", "pairs", *MEASURES, "with_fields"),
        rows=tuple(
            (row["group"], row["pairs"], *(row[name] for name in MEASURES), row["with_fields"])
            for row in rows
        ),
        notes=tuple(notes),
        details={
            "pairs": [
                {"pair": blind_pair.name, "group": blind_pair.pair.group}
                | {name: getattr(similarity, name) for name in MEASURES}
                for blind_pair, similarity in zip(blinded, measured, strict=True)
            ]
        },
        further=(labels,),
        plot=lambda axes: _plot(axes, rows),
    )


def _pairs(settings: LabSettings) -> list[AnswerPair]:
    data = settings.option("data", None)
    if data is not None:
        return recorded_pairs(str(data))
    calls = gold_calls(settings.episodes or APIS, 1, settings.seed)
    return sandbox_pairs(calls, "sandbox")


def _label_table(settings: LabSettings, blinded: Sequence[BlindPair]) -> Experiment:
    """Return the shares of each outcome and the agreement of the annotators, by question."""
    given = settings.text("labels", "").split(",") if "labels" in settings.options else []
    labels = read_labels([Path(file) for file in given], blinded)
    note = (
        f"{len({label.annotator for label in labels})} annotators; a win is a label that takes the simulated "
        "answer for the more real one."
        if labels
        else "No labels yet: have the sheets labelled, then give the files with `labels=`."
    )
    by_question = outcomes(labels, blinded).items()
    rows = tuple(_label_row(question, units) for question, units in by_question)
    return Experiment("Labels of people or models", _LABEL_COLUMNS, rows, (note,))


def _label_row(question: str, units: Sequence[Sequence[str]]) -> TableRow:
    every = [outcome for unit in units for outcome in unit]
    parts = shares(every, OUTCOMES).values() if every else [None] * len(OUTCOMES)
    return question, len(units), len(every), *parts, observed_agreement(units), krippendorff_alpha(units)


def _plot(axes: Axes, rows: Sequence[MeanSimilarity]) -> None:
    names = [measure.replace("_", " ") for measure in MEASURES]
    bars = {row["group"]: [row[measure] or 0.0 for measure in MEASURES] for row in rows}
    grouped_bars(axes, names, bars, "mean over pairs")
