"""Blinded sheets for annotators, the key that tells the sides apart, and the labels that come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stb_env import seeding
from stb_env.core import jsontext
from stb_env.core.files import write_json
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import DataError, did_you_mean
from stb_env.experiments.lab.answer_pairs import AnswerPair
from stb_env.formats.recorded_answer import Answer

QUESTIONS: Mapping[str, str] = {
    "overall": "All in all, which of the two looks more like the answer of a real API?",
    "format": "Which of the two has more of the format that a real API would answer in?",
    "relevance": "Which of the two answers the call better?",
}
LABELS = ("A", "B", "tie")
OUTCOMES = ("win", "lose", "tie")
"""For the simulated answer: a win is a label that takes it for the more real one."""


@dataclass(frozen=True, slots=True)
class BlindPair:
    """A pair as annotators see it.

    Attributes:
        name: Follows from the pair and the seed and tells nothing of either side.
        pair: What is behind it.
        real: The side, A or B, on which the real answer stands.
    """

    name: str
    pair: AnswerPair
    real: str

    def sheet(self) -> JsonObject:
        """Return the line that annotators get."""
        answers = (self.pair.real, self.pair.simulated)
        first, second = answers if self.real == "A" else answers[::-1]
        return {
            "pair": self.name,
            "api": self.pair.id._asdict(),
            "arguments": self.pair.arguments,
            "A": _shown(first),
            "B": _shown(second),
        }

    def key(self) -> dict[str, str]:
        """Return the line that annotators must not see."""
        return {"pair": self.name, "real": self.real, "group": self.pair.group}


def _shown(answer: Answer) -> dict[str, object]:
    return {"error": answer.error, "response": answer.response}


def blind(pairs: Iterable[AnswerPair], seed: int, count: int | None = None) -> list[BlindPair]:
    """Put pairs into a seeded order and each on seeded sides.

    Args:
        pairs: The pairs.
        seed: Seed of order and sides; labels can be read with the same seed alone.
        count: Number of pairs to keep; None for all.
    """
    named = {f"{seeding.derive('turing pair', seed, pair.text):016x}": pair for pair in pairs}
    return [
        BlindPair(name, named[name], "AB"[seeding.derive("turing side", seed, name) % 2])
        for name in sorted(named)[:count]
    ]


def write_sheets(folder: Path, blinded: Sequence[BlindPair]) -> tuple[Path, Path]:
    """Write what annotators get and the key, in three files.

    Args:
        folder: Made where it does not exist.
        blinded: The pairs.

    Returns:
        The annotators' JSON lines and the key's; the questions are beside them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sheets, key = folder / "turing_pairs.jsonl", folder / "turing_key.jsonl"
    _write_lines(sheets, (pair.sheet() for pair in blinded))
    _write_lines(key, (pair.key() for pair in blinded))
    example = {"pair": "name of a pair", "question": next(iter(QUESTIONS)), "label": "tie", "annotator": "me"}
    about = {"questions": dict(QUESTIONS), "labels": list(LABELS), "line": example}
    write_json(folder / "turing_questions.json", about, sort_keys=False)
    return sheets, key


def _write_lines(file: Path, lines: Iterable[Mapping[str, object]]) -> None:
    file.write_text("".join(f"{jsontext.dumps(dict(line))}\n" for line in lines), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Label:
    """One annotator's answer to one question about one pair."""

    pair: str
    question: str
    label: str
    annotator: str


def read_labels(files: Iterable[Path], blinded: Sequence[BlindPair]) -> list[Label]:
    """Read labels of people or models.

    Args:
        files: JSON lines with ``pair``, ``question`` and ``label``; ``annotator`` is the file's name where
            it is missing.
        blinded: The pairs that were given out.

    Raises:
        DataError: A file is missing, or a line is broken, names what does not exist, or repeats another.
    """
    known = frozenset(pair.name for pair in blinded)
    labels: dict[tuple[str, str, str], Label] = {}
    for file in files:
        for number, label in _labels_of(file, known):
            place = (label.annotator, label.pair, label.question)
            if place in labels:
                said = f"{label.annotator} labels {label.question} of pair {label.pair} twice"
                raise DataError(f"{file}, line {number}: {said}; keep one line")
            labels[place] = label
    return list(labels.values())


def _labels_of(file: Path, known: frozenset[str]) -> Iterator[tuple[int, Label]]:
    if not file.is_file():
        raise DataError(f"no labels at {file}; give a file of JSON lines with pair, question and label")
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, _label(jsontext.loads(line), file.stem, known)
        except ValueError as error:
            raise DataError(f"{file}, line {number}: {error}") from error


def _label(data: object, annotator: str, known: frozenset[str]) -> Label:
    """Read one label.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(data, dict):
        raise ValueError(f"expected an object, got {type(data).__name__}")
    pair, question, label = (_text(data, name) for name in ("pair", "question", "label"))
    if pair not in known:
        raise ValueError(f"no pair {pair!r} among the {len(known)} given out; use the same data and seed")
    _expect("question", question, tuple(QUESTIONS))
    _expect("label", label, LABELS)
    return Label(pair, question, label, str(data.get("annotator") or annotator))


def _text(data: Mapping[str, object], name: str) -> str:
    if not isinstance(data.get(name), str):
        raise ValueError(f"expected a text as {name!r}, got {data.get(name)!r:.80}")
    return str(data[name])


def _expect(what: str, got: str, known: Sequence[str]) -> None:
    if got not in known:
        raise ValueError(f"no {what} {got!r}; expected {', '.join(known)}.{did_you_mean(got, known)}")


def outcomes(labels: Iterable[Label], blinded: Sequence[BlindPair]) -> dict[str, list[list[str]]]:
    """Return for each question the outcomes of every labelled pair, one an annotator.

    Args:
        labels: What `read_labels` returned.
        blinded: The pairs that were given out.
    """
    real = {pair.name: pair.real for pair in blinded}
    found: dict[str, dict[str, list[str]]] = {question: {} for question in QUESTIONS}
    for label in labels:
        outcome = "tie" if label.label == "tie" else "lose" if label.label == real[label.pair] else "win"
        found[label.question].setdefault(label.pair, []).append(outcome)
    return {question: list(units.values()) for question, units in found.items()}
