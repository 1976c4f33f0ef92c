"""The one record of an episode that everything reads and writes, as versioned JSON lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from stb_env.core import jsontext
from stb_env.core.checksums import sealed
from stb_env.core.episode_html import episode_html
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.steps import CallRecord, ProgramRecord, Step, arguments_text, messages
from stb_env.tools import FINISH, Status
from stb_env.trajectory_line import (
    READ,
    TYPED,
    VERSION,
    text_of,
    was_changed,
    wrong_reward,
    wrong_type,
)
from stb_env.usage import Usage
from stb_env.verdict import RewardMode, reward_of
from stb_env.verdict_line import Key, VerdictLine, verdict_lines

# Steps are parts of episodes, and come from here too.
__all__ = [
    "CallRecord",
    "Key",
    "ProgramRecord",
    "Step",
    "Trajectory",
    "VerdictLine",
    "arguments_text",
    "messages",
    "verdict_lines",
]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One episode as it is saved: a line of ``trajectories.jsonl``.

    Attributes:
        suite: Suite of the task.
        group: Group of the task.
        task_id: Id of the task.
        trial: Which repetition of the task this is, from 0.
        seed: Seed of the episode.
        query: What the user asked.
        tools: OpenAI function specs that the agent saw, Finish included.
        messages: The episode as OpenAI chat messages.
        steps: Each action with calls, reward and end flags, as plain data; under ``engine`` what the agent's
            model gave with it (finish reason, token ids, logprobs), where it has one; under ``thought`` what
            the agent wrote to itself, and under ``written`` the whole text where the thought stood in it.
        answer: The typed answer, or None where the task takes none or the agent gave none.
        final_answer: The answer's prose; empty where none was given.
        verdict: The verdict as plain data, or None.
        reward: Sum of the rewards.
        valid: False where the infrastructure failed or nothing could be judged.
        failure: The failure as plain data, or None.
        usage: Model calls, tokens and cost.
        cannot: Why the request cannot be met, where the agent said so.
        reward_mode: ``sparse``, ``partial`` or ``dense`` (see `stb_env.verdict.reward_of`), or ``own`` where
            a wrapper or an environment of somebody's own gave another reward.
        tree: Search tree, where a search made one.
        usage_by_role: The same as ``usage`` for each role that asked a model: ``agent``, ``simulator``,
            ``judge``, ``user``, and ``search`` for what a search spent besides the branch that was played.
            None where no model was asked.
        run: Identity of the run in whose folder it is saved (see `stb_env.core.run_identity`); empty where it
            is in none. Equal episodes may be of different runs.

    Examples:
        >>> from stb_env import Trajectory, load_agent, play
        >>> from stb_env.testing.notes import notes
        >>> episode = play(notes(), load_agent("gold")(), task_id="day", seed=0)
        >>> episode.solved, episode.final_answer
        (True, 'Tuesday')
        >>> Trajectory.from_json(episode.to_json()) == episode
        True
    """

    suite: str
    group: str
    task_id: str
    trial: int
    seed: int
    query: str
    tools: Sequence[JsonMapping]
    messages: Sequence[JsonMapping]
    steps: Sequence[JsonMapping]
    answer: JsonMapping | None
    final_answer: str
    verdict: JsonMapping | None
    reward: float
    valid: bool
    failure: JsonMapping | None
    usage: Mapping[str, float]
    reward_mode: str = "sparse"
    cannot: JsonMapping | None = None
    tree: JsonMapping | None = None
    usage_by_role: Mapping[str, Mapping[str, float]] | None = None
    run: str = field(default="", compare=False)

    @property
    def key(self) -> Key:
        """Identity of an episode in a run: task, trial and seed."""
        return self.task_id, self.trial, self.seed

    @property
    def outline(self) -> Trajectory:
        """The episode without what was said, called for and answered: enough for rates, in little memory."""
        steps = [
            {name: step[name] for name in _ENDS if name in step}
            | {"calls": list(map(_outlined, step["calls"]))}
            for step in self.steps
        ]
        return replace(
            self,
            query="",
            tools=[],
            messages=[],
            steps=steps,
            answer=None,
            final_answer="",
            cannot=None,
            tree=None,
        )

    @property
    def text(self) -> str:
        """The answer as text: its prose, else what is typed of it, as JSON."""
        return text_of(self.final_answer, self.answer, self.cannot)

    @property
    def solved(self) -> bool:
        """True if the verdict is solved."""
        return self.verdict is not None and self.verdict["status"] == "solved"

    @property
    def awaits_verdict(self) -> bool:
        """True if it was played to its answer and only lacks a verdict, which can be asked for again."""
        failure = self.failure
        if self.verdict is not None or failure is None or failure.get("stage") != "judge" or not self.steps:
            return False
        # A wrapper would make another reward of the verdict.
        if self.reward_mode == "own":
            return False
        # A bug of somebody's judge says the same again.
        passing = failure.get("retryable") or failure.get("kind") != "internal"
        last = self.steps[-1]["calls"]
        return bool(passing) and any(
            call["name"] == FINISH and call["status"] == Status.FINISHED for call in last
        )

    def judged(self, verdict: Mapping[str, object], usage: Mapping[str, float]) -> Trajectory:
        """Return the episode with a verdict that was given after it was played.

        Args:
            verdict: The verdict as plain data.
            usage: What it cost.
        """
        earned = reward_of(verdict, cast(RewardMode, self.reward_mode))
        # What dense rewards have promised is paid back.
        before = sum((float(step["reward"]) for step in self.steps[:-1]), 0.0)
        end = {"reward": earned - before, "terminated": True, "truncated": False}
        steps = [*self.steps[:-1], {**self.steps[-1], **end}]
        return replace(
            self.asked_judge(usage),
            steps=steps,
            verdict=verdict,
            reward=sum((float(step["reward"]) for step in steps), 0.0),
            valid=verdict["status"] != "na",
            failure=None,
        )

    @property
    def answer_digest(self) -> str:
        """Hex digest of what a judge decides on: query, messages and answer."""
        judged = [self.task_id, self.query, self.messages, self.answer, self.final_answer, self.cannot]
        return hashlib.sha256(jsontext.dumps(judged).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def is_judged_by(self, line: VerdictLine) -> bool:
        """Return whether a line has a verdict on this very episode, and not on another one of its task."""
        return line.verdict is not None and line.answer in ("", self.answer_digest)

    def decided(self, line: VerdictLine) -> Trajectory:
        """Return the episode with the verdict of a line; as it is where the line has none on it."""
        if line.verdict is None or not self.is_judged_by(line):
            return self
        return self.judged(line.verdict, line.usage)

    def asked_judge(self, usage: Mapping[str, float]) -> Trajectory:
        """Return the episode with what its judge has used more."""
        more = _usage(usage)
        roles = dict(self.usage_by_role or {})
        together = _usage(roles.get("judge", {})) + more
        if together.calls > 0:
            roles["judge"] = together.to_dict()
        total = (_usage(self.usage) + more).to_dict()
        return replace(self, usage=total, usage_by_role=roles or None)

    def _repr_html_(self) -> str:
        """Return the episode as a notebook shows it."""
        return episode_html(self.messages, verdict=self.verdict, failure=self.failure)

    def to_json(self) -> str:
        """Return the episode as one line of JSON without a line break, without what there is not.

        It ends with a checksum of all that stands before it.
        """
        return sealed(jsontext.dumps(self.to_dict()))

    def to_dict(self) -> JsonObject:
        """Return the episode as plain data, as `to_json` writes it but for its checksum; copies nothing."""
        data = {"version": VERSION} | {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in ("cannot", "tree", "usage_by_role", "run"):
            if data[name] in (None, ""):
                del data[name]
        return data

    @classmethod
    def from_json(cls, line: str) -> Trajectory:
        """Read a line that `to_json` wrote; fields of later minor versions are ignored.

        Lines of versions 1 and 2 have no checksum, and their answers are text.

        Raises:
            DataError: The line is no trajectory of a version that this package reads, was changed since it
                was written, or has a reward that its verdict does not give.
        """
        try:
            data = json.loads(line)
            if was_changed(line, data):
                raise DataError("the line was changed since it was written (its sha256 differs)")
            return cls.from_dict(data)
        except DataError as error:
            raise DataError(f"{error}: {line[:80]!r}") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DataError(f"not a trajectory line ({error!r}): {line[:80]!r}") from error

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Trajectory:
        """Read what `to_dict` returned, of any version that is read.

        Raises:
            DataError: It is no trajectory, or has a reward that its verdict does not give.
        """
        try:
            version = data["version"]
            if version not in READ:
                raise DataError(f"trajectory version {version!r}; this package reads {VERSION}")
            fields: JsonObject = {name: data.get(name) for name in cls.__dataclass_fields__}
            fields["run"] = data.get("run", "")
            if version < TYPED:
                fields |= {"answer": None, "final_answer": data["answer"], "reward_mode": "own"}
        except (TypeError, KeyError, AttributeError) as error:
            raise DataError(f"not a trajectory line ({error!r})") from error
        if wrong := wrong_type(fields):
            raise DataError(f"not a trajectory line ({wrong})")
        if version < TYPED:
            # These said nothing of their mode: where the verdict is what they earned, it was this one.
            fields["reward_mode"] = "own" if wrong_reward(fields | {"reward_mode": "sparse"}) else "sparse"
        elif wrong := wrong_reward(fields):
            raise DataError(wrong)
        return cls(**fields)


# What the outline of an episode keeps of a step besides its calls, and of a call.
_ENDS = ("reward", "terminated", "truncated")
_CALLED = ("name", "status", "source", "origin")


def _outlined(call: JsonMapping) -> JsonObject:
    return {name: call[name] for name in _CALLED if name in call}


def _usage(counts: Mapping[str, float]) -> Usage:
    # Numbers, as this package saves them.
    return Usage(**counts)  # type: ignore[arg-type]
