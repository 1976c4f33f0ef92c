"""API-Bank's training form: records of ``instruction``, ``input`` and ``output``, both ways.

The markers of its lines (``User:``, ``AI:``, ``API-Request:``, ``->`` and the two cues at the end) are the
wire format and stand here as published. The instructions are our own words; to mix records with the
official ones, take the official words with `Instructions.of`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from stb_env.actions import bracketed
from stb_env.actions.python_text import NotDataError, literal
from stb_env.errors import DataError
from stb_env.models.prompting import latest
from stb_env.tools import ToolCall

CALL_CUE = "Generate API Request: "
RESPONSE_CUE = "Generate AI Response: "

_FIELDS = ("instruction", "input", "output")
_REQUEST = "API-Request"
_ARROW = "]->"
_CUE = re.compile(r"\n(Generate (?:API Request|AI Response):[^\n]*)\Z")
_LINE = re.compile(rf"^(User|AI|{_REQUEST}): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Said:
    """An utterance with all its lines."""

    speaker: Literal["User", "AI"]
    text: str

    def __str__(self) -> str:
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True)
class Requested:
    """A call with what came back, as their texts.

    Attributes:
        request: The bracket, for example ``[GetToday()]``.
        result: The text after the arrow; None where there is no arrow.

    Examples:
        >>> called = Requested("[Sum(a=1, b='2')]", "{'sum': 3}")
        >>> called.call.arguments, called.value
        ({'a': 1, 'b': '2'}, {'sum': 3})
    """

    request: str
    result: str | None

    def __str__(self) -> str:
        return f"{_REQUEST}: {self.request}" + ("" if self.result is None else f"->{self.result}")

    @property
    def call(self) -> ToolCall | None:
        """The call, or None where the text cannot be read as one."""
        return read_call(self.request)

    @property
    def value(self) -> object:
        """The result as a value, or its text where it is no Python literal."""
        try:
            return literal(self.result or "None")
        except NotDataError:
            return self.result


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """One record, taken apart without loss.

    Attributes:
        instruction: What the model is told first.
        descriptions: The lines that describe APIs, each the JSON of one.
        history: What was said and called so far.
        cue: The last line, which says what is wanted.
        output: The expected text, as it is.
    """

    instruction: str
    descriptions: tuple[str, ...]
    history: tuple[Said | Requested, ...]
    cue: str
    output: str

    @property
    def wants_call(self) -> bool:
        """True if a call is wanted, and not a response."""
        return self.cue.startswith(CALL_CUE.rstrip())

    @property
    def call(self) -> ToolCall | None:
        """The expected call, or None where none is wanted or the text cannot be read as one."""
        return read_call(self.output) if self.wants_call else None

    @classmethod
    def from_record(cls, record: object) -> TrainingSample:
        r"""Read one record.

        Raises:
            DataError: It is not of the form.

        Examples:
            >>> text = "User: Hi.\nGenerate AI Response: "
            >>> sample = TrainingSample.from_record({"instruction": "", "input": text, "output": "AI: Hi."})
            >>> sample.history, sample.to_record()["input"] == text
            ((Said(speaker='User', text='Hi.'),), True)
        """
        if not isinstance(record, Mapping) or not all(isinstance(record.get(name), str) for name in _FIELDS):
            raise DataError(f"expected an object with the texts {', '.join(_FIELDS)}, got {record!r:.120}")
        text = record["input"]
        cue = _CUE.search(text)
        if cue is None:
            raise DataError(
                f"the last line of input must ask for an API request or response, got {text[-80:]!r}"
            )
        lead, history = _taken_apart(text[: cue.start()])
        return cls(record["instruction"], lead, history, cue[1], record["output"])

    def to_record(self) -> dict[str, str]:
        """Return the record, to the byte what `from_record` read."""
        lines = [*self.descriptions, *map(str, self.history), self.cue]
        return {"instruction": self.instruction, "input": "\n".join(lines), "output": self.output}


@dataclass(frozen=True, slots=True)
class Instructions:
    """The instruction of each kind of sample; our own words where not given.

    Attributes:
        call: Where a call is wanted.
        response: Where a response is wanted.
    """

    call: str = field(default_factory=lambda: _own("synthesis_training_call"))
    response: str = field(default_factory=lambda: _own("synthesis_training_response"))

    @classmethod
    def of(cls, samples: Iterable[TrainingSample]) -> Instructions:
        """Return the instructions that samples carry, so that new samples can be mixed with them."""
        found: dict[str, str] = {}
        for sample in samples:
            found.setdefault("call" if sample.wants_call else "response", sample.instruction)
        return cls(**found)


def call_text(name: str, arguments: Mapping[str, object]) -> str:
    """Return a call in API-Bank's brackets, values as Python literals, which keeps quotes apart.

    Examples:
        >>> print(call_text("Say", {"text": "it's fine", "times": 2}))
        [Say(text="it's fine", times=2)]
    """
    return f"[{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})]"


def read_call(text: str) -> ToolCall | None:
    """Return the only call of a text, or None."""
    reading = bracketed.read(text, 2)
    return reading.calls[0] if reading is not None and len(reading.calls) == 1 else None


def read_training(file: str | Path) -> list[TrainingSample]:
    """Read a training file: a JSON list of records.

    Raises:
        DataError: It is missing or broken; the message says where.
    """
    try:
        records = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read the training file {file}: {error}") from error
    if not isinstance(records, list):
        raise DataError(f"{file} must be a JSON list of records, got {type(records).__name__}")
    return [_sample(f"{file}, record {index}", record) for index, record in enumerate(records)]


def training_text(samples: Iterable[TrainingSample]) -> str:
    """Return the text of a training file."""
    return json.dumps([sample.to_record() for sample in samples], indent=4) + "\n"


def _own(name: str) -> str:
    return latest(name).text + "\n"


def _sample(where: str, record: object) -> TrainingSample:
    try:
        return TrainingSample.from_record(record)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error


def _taken_apart(text: str) -> tuple[tuple[str, ...], tuple[Said | Requested, ...]]:
    """Return the lines before the first marked one, and what the marked ones say."""
    marks = list(_LINE.finditer(text))
    stops = [*(mark.start() for mark in marks), len(text) + 1]
    items = tuple(
        _item(mark[1], text[mark.end() : stop - 1]) for mark, stop in zip(marks, stops[1:], strict=True)
    )
    return tuple(text[: stops[0] - 1].split("\n")) if stops[0] else (), items


def _item(marker: str, text: str) -> Said | Requested:
    if marker == "User":
        return Said("User", text)
    if marker == "AI":
        return Said("AI", text)
    request, arrow, result = text.partition(_ARROW)
    return Requested(f"{request}]", result) if arrow else Requested(text, None)
