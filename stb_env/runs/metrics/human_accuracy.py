"""Agreement of a judge with people (Guo et al., 2024, Table 8)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from stb_env.errors import DataError, did_you_mean
from stb_env.runs.metrics.agreement import cohen_kappa
from stb_env.runs.metrics.intervals import bootstrap_interval

QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "solvability": ("solvable", "unsure", "unsolvable"),
    "solving": ("solved", "unsure", "unsolved"),
    "comparison": ("win", "lose", "tie"),
}
"""The three columns of Table 8, each with what people may say."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """People's labels of one task, episode or pair.

    Attributes:
        question: One of `QUESTIONS`.
        task_id: The task.
        labels: What each of them said.
        trial: Trial of the episode.
    """

    question: str
    task_id: str
    labels: tuple[str, ...]
    trial: int = 0

    @property
    def majority(self) -> str | None:
        """The most frequent label; None where no label is more frequent than every other."""
        counts = Counter(self.labels).most_common(2)
        return None if len(counts) == 2 and counts[0][1] == counts[1][1] else counts[0][0]


@dataclass(frozen=True, slots=True)
class HumanAccuracy:
    """Agreement of a judge with the majority of people on one question.

    Attributes:
        question: One of `QUESTIONS`.
        judge: Name of the judge.
        decided: Cases that have a majority and a decision of the judge.
        right: Those on which the two agree.
        accuracy: Share of them, or None where nothing was decided.
        interval: 95 % bootstrap interval of it.
        kappa: Cohen's kappa, or None where it is not defined.
        missing: Cases on which the judge gave no decision, left out.
        split: Cases on which people had no majority, left out.
    """

    question: str
    judge: str
    decided: int
    right: int
    accuracy: float | None
    interval: tuple[float, float]
    kappa: float | None
    missing: int
    split: int

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def human_accuracy(
    question: str, judge: str, labelled: Iterable[Labelled], decisions: Mapping[tuple[str, int], str]
) -> HumanAccuracy:
    """Compare a judge's decisions with what most people said; unsure is right where people are unsure.

    Args:
        question: One of `QUESTIONS`; labels of the others are passed over.
        judge: Name of the judge.
        labelled: What people said.
        decisions: What the judge said, by task and trial.

    Examples:
        >>> people = [Labelled("solving", "1", ("solved", "solved", "unsolved"))]
        >>> human_accuracy("solving", "pass:m:v3", people, {("1", 0): "solved"}).accuracy
        1.0
    """
    cases = [case for case in labelled if case.question == question]
    agreed = [(case.task_id, case.trial, case.majority) for case in cases]
    sure = [(task, trial, said) for task, trial, said in agreed if said is not None]
    pairs = [(said, decisions[task, trial]) for task, trial, said in sure if (task, trial) in decisions]
    hits = [float(people == machine) for people, machine in pairs]
    return HumanAccuracy(
        question,
        judge,
        len(pairs),
        int(sum(hits)),
        sum(hits) / len(hits) if hits else None,
        bootstrap_interval(hits),
        cohen_kappa([people for people, _ in pairs], [machine for _, machine in pairs]),
        len(sure) - len(pairs),
        len(cases) - len(sure),
    )


def read_labels(path: str | Path) -> list[Labelled]:
    """Read a labelled file: JSON lines with ``question``, ``task_id``, ``labels``, and ``trial`` if not 0.

    Raises:
        DataError: The file cannot be read, or a line is not of that form.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read the labelled file {path}: {error}") from error
    return [_labelled(f"{path}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]


def _labelled(where: str, line: str) -> Labelled:
    try:
        data = json.loads(line)
        question, labels = data["question"], data["labels"]
        case = Labelled(question, str(data["task_id"]), tuple(labels), int(data.get("trial", 0)))
    except (ValueError, TypeError, KeyError) as error:
        form = '{"question": "solving", "task_id": "588", "labels": ["solved", "unsolved", "solved"]}'
        raise DataError(f"{where}: {error!r}; expected a line like {form}") from error
    _check_known(where, "question", question, tuple(QUESTIONS))
    if not labels or isinstance(labels, str):
        raise DataError(f"{where}: labels must be a list of what people said, got {labels!r}")
    for label in labels:
        _check_known(where, f"label of {question}", label, QUESTIONS[question])
    return case


def _check_known(where: str, what: str, got: object, known: Sequence[str]) -> None:
    if got not in known:
        near = did_you_mean(str(got), known)
        raise DataError(f"{where}: unknown {what} {got!r}; expected one of {', '.join(known)}.{near}")
