"""What was answered to one sample: a line of ``answers.jsonl``."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from stb_env import jsontext
from stb_env.errors import DataError
from stb_env.jsontypes import JsonMapping
from stb_env.suites.api_bank.formats.samples import Sample

VERSION = 1


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
        """What tells its sample from others."""
        return self.level, self.dialogue, self.id

    @property
    def is_final(self) -> bool:
        """Whether asking again is of no use."""
        return self.failure is None or not self.failure["retryable"]

    def to_json(self) -> str:
        """Return the line."""
        return jsontext.dumps({"version": VERSION} | asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Answer:
        """Read a line that `to_json` wrote.

        Raises:
            DataError: It is no line of a version that this package reads.
        """
        try:
            data = json.loads(line)
            if data.pop("version") != VERSION:
                raise ValueError("another version")
            return cls(**data)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(f"no answer to a sample ({error!r:.200}): {line[:80]!r}") from error


def key_of(sample: Sample) -> tuple[int, str, int]:
    """Return the key of the answer to a sample."""
    return sample.level, sample.dialogue, sample.id
