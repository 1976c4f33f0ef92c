"""One synthetic dialogue: a line of ``dialogues.jsonl``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from stb_env.core import jsontext
from stb_env.core.checksums import check_line, sealed
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.experiments.synthesis.ability import Ability
from stb_env.experiments.synthesis.api import SEARCHER, Api
from stb_env.usage import NO_USAGE, Usage

VERSION = 1
Outcome = Literal["kept", "dropped", "duplicate", "failed"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call with what came back."""

    name: str
    arguments: JsonMapping
    result: Any

    @property
    def is_search(self) -> bool:
        """True for a search for an API."""
        return self.name == SEARCHER.name

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"name": self.name, "arguments": dict(self.arguments), "result": self.result}


@dataclass(frozen=True, slots=True)
class Turn:
    """An utterance of the user, the calls that follow and the reply."""

    user: str
    calls: tuple[Call, ...]
    reply: str

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"user": self.user, "calls": [call.to_dict() for call in self.calls], "reply": self.reply}

    @classmethod
    def from_dict(cls, data: JsonMapping) -> Turn:
        """Read the form that `to_dict` writes."""
        return cls(data["user"], tuple(Call(**call) for call in data["calls"]), data["reply"])


@dataclass(frozen=True, slots=True)
class Review:
    """The tester's verdict."""

    keep: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """Something that an agent wrote and that could not be used."""

    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One sample and what became of it.

    Attributes:
        index: Its number, from 0.
        outcome: ``kept`` or ``dropped`` by the tester; ``duplicate`` where the query is too close to an
            earlier one; ``failed`` where an agent wrote nothing that fits within its attempts.
        ability: What it asks of an assistant.
        domain: Its domain.
        pool: All APIs that were designed for the domain.
        apis: The ones drawn for it.
        time: The moment of the first utterance, ``YYYY-MM-DD HH:MM:SS``, or empty.
        turns: The dialogue; without calls and replies where it was not written to the end.
        review: The tester's verdict, or None where it came to none.
        rejections: What was refused on the way, in order; the last one ended a failed sample.
        usage: What all its model answers cost.
    """

    index: int
    outcome: Outcome
    ability: Ability
    domain: str
    pool: tuple[Api, ...]
    apis: tuple[Api, ...]
    time: str
    turns: tuple[Turn, ...]
    review: Review | None
    rejections: tuple[Rejection, ...] = ()
    usage: Usage = field(default=NO_USAGE)

    @property
    def query(self) -> str:
        """The first utterance of the user."""
        return self.turns[0].user if self.turns else ""

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of all turns."""
        return tuple(call for turn in self.turns for call in turn.calls)

    @property
    def reply(self) -> str:
        """The last reply of the assistant."""
        return self.turns[-1].reply if self.turns else ""

    def to_json(self) -> str:
        """Return the line; ``query``, ``calls`` and ``reply`` follow from ``turns`` and are there to read."""
        line = jsontext.dumps(
            {
                "version": VERSION,
                "index": self.index,
                "outcome": self.outcome,
                "ability": self.ability.value,
                "domain": self.domain,
                "pool": [api.record for api in self.pool],
                "apis": [api.name for api in self.apis],
                "time": self.time,
                "query": self.query,
                "turns": [turn.to_dict() for turn in self.turns],
                "calls": [call.to_dict() for call in self.calls],
                "reply": self.reply,
                "review": None
                if self.review is None
                else {"keep": self.review.keep, "reasons": list(self.review.reasons)},
                "rejections": [{"role": each.role, "reason": each.reason} for each in self.rejections],
                "usage": self.usage.to_dict(),
            }
        )
        return sealed(line)

    @classmethod
    def from_json(cls, line: str) -> Dialogue:
        """Read a line that `to_json` wrote.

        Raises:
            DataError: It is no line of a version that this package reads, or was changed.
        """
        try:
            data = json.loads(line)
            check_line(line, data)
            return cls._from_dict(data)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(f"not a synthetic dialogue ({error!r:.200}): {line[:80]!r}") from error

    @classmethod
    def _from_dict(cls, data: JsonMapping) -> Dialogue:
        if data["version"] != VERSION or data["outcome"] not in get_args(Outcome):
            raise ValueError(f"version {data['version']!r}, outcome {data['outcome']!r}")
        pool = {record["name"]: Api.from_record(record) for record in data["pool"]}
        review = data["review"]
        return cls(
            index=data["index"],
            outcome=data["outcome"],
            ability=Ability(data["ability"]),
            domain=data["domain"],
            pool=tuple(pool.values()),
            apis=tuple(pool[name] for name in data["apis"]),
            time=data["time"],
            turns=tuple(Turn.from_dict(turn) for turn in data["turns"]),
            review=None if review is None else Review(review["keep"], tuple(review["reasons"])),
            rejections=tuple(Rejection(**each) for each in data["rejections"]),
            usage=Usage(**data["usage"]),
        )
