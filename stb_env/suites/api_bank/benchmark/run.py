"""Ask samples and keep the answers in a folder, one line an answer."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stb_env.core import checksums, jsontext
from stb_env.core.checksums import check_line, sealed
from stb_env.core.files import make_folder, write_text
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import ConfigError, DataError, InfrastructureError
from stb_env.models.chat import digest
from stb_env.runs.judging.ordered_work import Progress, check_concurrency, read_lines, work_in_order
from stb_env.suites.api_bank.benchmark.responder import Responder
from stb_env.suites.api_bank.evaluator import Evaluator
from stb_env.suites.api_bank.formats.predictions import Predictions, prediction_key, prediction_record
from stb_env.suites.api_bank.formats.rendering import Rendering, messages
from stb_env.suites.api_bank.formats.samples import Sample
from stb_env.usage import Usage

VERSION = 1
ANSWERS, PREDICTIONS, MANIFEST = "answers.jsonl", "predictions.jsonl", "manifest.json"
MAX_FAILURES = 10
"""Retryable failures in a row after which the run stops."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or why there is none.

    Attributes:
        level: Level of the sample.
        dialogue: Name of its dialogue.
        id: Its number in the dialogue.
        asked: Digest of what was asked; an answer to other words is none to this sample.
        text: What was written; None where nothing came.
        failure: Kind, stage and message of the failure, where nothing came.
        usage: What it cost.

    Examples:
        >>> answer = Answer(1, "d", 0, "5f1d", "[GetToday()]")
        >>> Answer.from_json(answer.to_json()) == answer, answer.is_final
        (True, True)
        >>> Answer(1, "d", 0, "5f1d", failure={"kind": "timeout", "retryable": True}).is_final
        False
    """

    level: int
    dialogue: str
    id: int
    asked: str
    text: str | None = None
    failure: JsonMapping | None = None
    usage: JsonMapping = field(default_factory=dict)

    @property
    def key(self) -> tuple[int, str, int]:
        """Level, dialogue and number of its sample."""
        return self.level, self.dialogue, self.id

    @property
    def is_final(self) -> bool:
        """True if asking again is of no use."""
        return self.failure is None or not self.failure["retryable"]

    def to_json(self) -> str:
        """Return the line, which ends with its checksum."""
        return sealed(jsontext.dumps({"version": VERSION} | asdict(self)))

    @classmethod
    def from_json(cls, line: str) -> Answer:
        """Read a line that `to_json` wrote.

        Raises:
            DataError: It is no line of a version that this package reads, or was changed.
        """
        try:
            data = json.loads(line)
            check_line(line, data)
            data.pop("sha256", None)
            if data.pop("version") != VERSION:
                raise ValueError("another version")
            return cls(**data)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(f"no answer to a sample ({error!r:.200}): {line[:80]!r}") from error


def key_of(sample: Sample) -> tuple[int, str, int]:
    """Return the key of the answer to a sample."""
    return sample.level, sample.dialogue, sample.id


class BenchmarkRun:
    """The answers of one responder to the samples of an evaluator.

    The folder gets ``manifest.json``, ``answers.jsonl`` (every answer and failure, appended as it comes)
    and, once all were asked, ``predictions.jsonl`` in the form that ``api-bank evaluate`` reads. The same
    again goes on where it stopped, and asks again where a failure may have passed.

    Args:
        evaluator: Has the samples.
        responder: Answers.
        out: The folder; made where it does not exist.
        rendering: In which form samples are put.

    Raises:
        ConfigError: The folder holds the answers of another responder, or to another form.
        DataError: It cannot be read.
    """

    def __init__(self, evaluator: Evaluator, responder: Responder, out: Path, rendering: Rendering) -> None:
        self._evaluator = evaluator
        self._speaker = responder
        self._out = out
        self._rendering = rendering
        self._failed = 0
        self._counting = threading.Lock()
        make_folder(out)
        _settle(out / MANIFEST, {"version": 1, "rendering": rendering, **responder.fingerprint})
        self._asked = {key_of(sample): digest(self._messages(sample)) for sample in evaluator.samples}
        self._answers: dict[tuple[int, str, int], Answer] = {}
        self._take(read_lines(out / ANSWERS, Answer.from_json))

    def answer_all(self, concurrency: int = 1, progress: Progress | None = None) -> None:
        """Ask every sample that has no answer yet.

        Args:
            concurrency: Samples asked at the same time.
            progress: Told after each sample how many of how many are done.

        Raises:
            ConfigError: ``concurrency`` is below 1, or another process writes to the folder.
            InfrastructureError: Too many failures came in a row; the same call goes on another time.
        """
        check_concurrency(concurrency)
        todo = [sample for sample in self._evaluator.samples if not self._is_settled(sample)]
        self._take(work_in_order(todo, self._ask, self._out / ANSWERS, concurrency, progress))
        records = (
            prediction_record(sample, self._evaluator.place(sample), answer.text)
            for sample in self._evaluator.samples
            if (answer := self._answers[key_of(sample)]).text is not None
        )
        checksums.forget(self._out, PREDICTIONS)
        write_text(self._out / PREDICTIONS, "".join(jsontext.dumps(record) + "\n" for record in records))
        checksums.note(self._out, PREDICTIONS)

    @property
    def predictions(self) -> Predictions:
        """The answers as predictions; a sample without one has none."""
        found = ((sample, self._answers.get(key_of(sample))) for sample in self._evaluator.samples)
        return {
            prediction_key(sample, self._evaluator.place(sample)): answer.text
            for sample, answer in found
            if answer is not None and answer.text is not None
        }

    @property
    def failures(self) -> Mapping[str, int]:
        """Numbers of samples without an answer, by kind of failure."""
        return Counter(str(answer.failure["kind"]) for answer in self._answers.values() if answer.failure)

    @property
    def usage(self) -> Usage:
        """Tokens and cost of the answers that count now, whenever they were given."""
        return sum((Usage(**answer.usage) for answer in self._answers.values()), Usage())

    def _ask(self, sample: Sample) -> Answer:
        asked = self._asked[key_of(sample)]
        try:
            text, usage = self._speaker.respond(self._messages(sample), sample)
        except InfrastructureError as error:
            self._notice(error)
            return Answer(*key_of(sample), asked, None, error.failure(), error.usage.to_dict())
        self._notice(None)
        return Answer(*key_of(sample), asked, text, None, usage.to_dict())

    def _notice(self, error: InfrastructureError | None) -> None:
        with self._counting:
            self._failed = self._failed + 1 if error is not None and error.retryable else 0
            failed = self._failed
        if error is not None and failed >= MAX_FAILURES:
            raise InfrastructureError(
                f"{failed} samples in a row got no answer: {error}; the same command goes on",
                kind=error.kind,
                stage=error.stage,
                retryable=True,
            ) from error

    def _messages(self, sample: Sample) -> Sequence[Mapping[str, object]]:
        return messages(sample, self._evaluator.descriptions[sample.level], self._rendering)

    def _take(self, answers: Sequence[Answer]) -> None:
        for answer in answers:
            if self._asked.get(answer.key) == answer.asked:
                self._answers[answer.key] = answer

    def _is_settled(self, sample: Sample) -> bool:
        answer = self._answers.get(key_of(sample))
        return answer is not None and answer.is_final


def _settle(file: Path, manifest: Mapping[str, object]) -> None:
    if not file.is_file():
        checksums.write_noted(file, manifest)
        return
    checksums.check(file)
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{file} is broken: {error}; move it away to begin anew") from error
    if known != json.loads(jsontext.dumps(manifest)):
        raise ConfigError(
            f"{file.parent} holds the answers of another model, or to another form of questions; "
            "use another --out"
        )
