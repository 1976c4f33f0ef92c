"""The one record of an episode that everything reads and writes, as versioned JSON lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from stb_env import jsontext
from stb_env.episode_html import episode_html
from stb_env.errors import DataError
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.tools import Source, Status, ToolResult
from stb_env.trajectory_line import (
    READ,
    TYPED,
    VERSION,
    is_unchanged,
    sealed,
    text_of,
    wrong_reward,
    wrong_type,
)

_NOTHING: JsonMapping = {}


# Named tuples, not dataclasses: several are made on every step, and these cost a third as much.
class CallRecord(NamedTuple):
    """One executed (or refused) call with its result.

    Attributes:
        id: Identifies the call among those of its step.
        name: Tool name as written.
        arguments: Arguments after lossless coercion, or the raw text where they are no object.
        result: What came back.
        violations: Messages of every schema violation or coercion, in order.
    """

    id: str
    name: str
    arguments: JsonMapping | str
    result: ToolResult
    violations: tuple[JsonMapping, ...] = ()

    def to_dict(self) -> JsonObject:
        """Return the form that ``info["calls"]`` and saved steps have; new objects each time.

        ``origin`` and ``key`` are there only where a cache answered, ``class`` only where an API was
        observed.
        """
        result = self.result
        data: JsonObject = {
            "id": self.id,
            "name": self.name,
            "arguments": _copy(self.arguments),
            "error": result.error,
            "response": result.response,
            "source": result.source,
            "status": int(result.status),
            "violations": [dict(violation) for violation in self.violations],
        }
        if result.origin:
            data["origin"] = result.origin
        if result.key:
            data["key"] = result.key
        if result.api_class:
            data["class"] = result.api_class
        return data

    @classmethod
    def from_dict(cls, data: JsonMapping) -> CallRecord:
        """Read the form that `to_dict` writes."""
        source: Source = data["source"]
        result = ToolResult.of(
            data["response"], error=data["error"], source=source, status=Status(data["status"])
        ).noted(origin=data.get("origin", ""), api_class=data.get("class", ""), key=data.get("key", ""))
        return cls(data["id"], data["name"], data["arguments"], result, tuple(data["violations"]))


def _copy(value: Any) -> Any:
    # Most are texts, and a check against an abstract class costs several times as much.
    if isinstance(value, str):
        return value
    if isinstance(value, (dict, Mapping)):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value


class Step(NamedTuple):
    """One action with everything that followed from it.

    Attributes:
        calls: The calls it made, in order.
        text: What the agent wrote besides the calls (a thought), or all of it where there was no call.
        result: The observation's ``result`` text.
        status: The highest status of its calls.
        reward: Reward of this step.
        terminated: Whether the episode ended by its own rules here.
        truncated: Whether it was cut off here.
        extra: What the engine gave with the action (token ids, logprobs, loss mask), kept as given.
    """

    calls: tuple[CallRecord, ...]
    text: str = ""
    result: str = ""
    status: Status = Status.OK
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    extra: JsonMapping = _NOTHING

    def to_dict(self) -> JsonObject:
        """Return the step as plain data."""
        data: JsonObject = {
            "calls": [call.to_dict() for call in self.calls],
            "reward": self.reward,
            "terminated": self.terminated,
            "truncated": self.truncated,
        }
        if self.text:
            data["text"] = self.text
        return data | dict(self.extra)


def messages(system: str, query: str, steps: Iterable[Step]) -> list[JsonObject]:
    """Render an episode as OpenAI chat messages; tool results are ``role: tool`` with JSON content.

    Args:
        system: System message; left out where empty.
        query: The user's message.
        steps: The steps so far.
    """
    chat: list[JsonObject] = [{"role": "system", "content": system}] if system else []
    chat.append({"role": "user", "content": query})
    for step in steps:
        chat.extend(_step_messages(step))
    return chat


def _step_messages(step: Step) -> Iterator[JsonObject]:
    assistant: JsonObject = {"role": "assistant", "content": step.text or None}
    if step.calls:
        assistant["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call.arguments)},
            }
            for call in step.calls
        ]
    yield assistant
    for call in step.calls:
        yield {"role": "tool", "tool_call_id": call.id, "content": call.result.text}
    if step.calls:
        return
    if step.status is not Status.OK:
        # An action without a call gets its complaint as a user message: no call id exists to answer.
        yield {"role": "user", "content": step.result}
    elif not step.terminated:
        # The user of a conversation heard it, and said something back.
        yield {"role": "user", "content": json.loads(step.result)["response"]}


def arguments_text(arguments: JsonMapping | str) -> str:
    """Return the text form of arguments, as OpenAI messages carry it."""
    return arguments if isinstance(arguments, str) else jsontext.dumps(dict(arguments))


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
            model gave with it (finish reason, token ids, logprobs), where it has one.
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

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes an episode unique in a run: task, trial and seed."""
        return self.task_id, self.trial, self.seed

    @property
    def text(self) -> str:
        """The answer as text: its prose, else what is typed of it, as JSON."""
        return text_of(self.final_answer, self.answer, self.cannot)

    @property
    def solved(self) -> bool:
        """Whether the verdict says solved."""
        return self.verdict is not None and self.verdict["status"] == "solved"

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
        for name in ("cannot", "tree", "usage_by_role"):
            if data[name] is None:
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
            # Earlier lines have no checksum; one that has it was changed to pass for them.
            typed = data["version"] in READ and (data["version"] >= TYPED or "sha256" in data)
            if typed and not is_unchanged(line):
                raise DataError("the line was changed since it was written (its sha256 differs)")
            return cls.from_dict(data)
        except DataError as error:
            raise DataError(f"{error}: {line[:80]!r}") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DataError(f"not a trajectory line ({error!r}): {line[:80]!r}") from error

    @classmethod
    def from_dict(cls, data: JsonMapping) -> Trajectory:
        """Read what `to_dict` returned, of any version that is read.

        Raises:
            DataError: It is no trajectory, or has a reward that its verdict does not give.
        """
        try:
            version = data["version"]
            if version not in READ:
                raise DataError(f"trajectory version {version!r}; this package reads {VERSION}")
            fields: JsonObject = {name: data.get(name) for name in cls.__dataclass_fields__}
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


def read_trajectories(path: str | Path) -> list[Trajectory]:
    """Read ``trajectories.jsonl`` (or the run folder that holds it); a torn last line is left out.

    Raises:
        DataError: The file is missing or a line is broken.

    Examples:
        >>> from stb_env import read_trajectories
        >>> read_trajectories("runs/nothing")
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: runs/nothing does not exist; give a run folder or its trajectories.jsonl
    """
    return list(iter_trajectories(path))


def iter_trajectories(path: str | Path) -> Iterator[Trajectory]:
    """Yield what `read_trajectories` returns, one episode in memory at a time.

    Raises:
        DataError: The file is missing or a line is broken.

    Examples:
        >>> next(iter_trajectories("runs/nothing"))
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: runs/nothing does not exist; give a run folder or its trajectories.jsonl
    """
    file = Path(path)
    file = file / "trajectories.jsonl" if file.is_dir() else file
    if not file.is_file():
        raise DataError(f"{file} does not exist; give a run folder or its trajectories.jsonl")
    seen: dict[bytes, int] = {}
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            # A torn last line, which a killed process may have left, has no end.
            if not line.endswith(b"\n"):
                return
            try:
                episode = Trajectory.from_json(line.decode("utf-8"))
            except (DataError, UnicodeDecodeError) as error:
                raise DataError(f"{file}, line {number}: {error}") from error
            first = seen.setdefault(hashlib.sha256(line).digest(), number)
            if first != number:
                raise DataError(f"{file}, line {number}: the episode stands twice, first in line {first}")
            yield episode
