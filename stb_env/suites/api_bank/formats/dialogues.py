"""API-Bank's dialogues with their recorded calls, as published: JSON lines for levels 1 and 2, JSON for 3."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, cast

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import DataError

LEVEL_NAMES = {1: "Call", 2: "Retrieve+Call", 3: "Plan+Retrieve+Call"}
"""Names of the levels in the paper."""

_LEVEL = re.compile(r"level-([123])")


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance of a dialogue.

    Attributes:
        speaker: Who said it.
        text: What they said.
    """

    speaker: Literal["User", "AI"]
    text: str


class Envelope(TypedDict, total=False):
    """A call and its result in the form that dialogues record.

    Attributes:
        api_name: Name of the API; not all have it.
        input: The arguments that it received, or null.
        output: Its output, or null.
        exception: The text of its refusal, or null.
    """

    api_name: str
    input: Json
    output: Json
    exception: str | None


@dataclass(frozen=True, slots=True)
class GoldCall:
    """An annotated call with its recorded result.

    Attributes:
        name: Name of the API.
        arguments: Its arguments as annotated: texts in levels 1 and 2, typed values in level 3.
        result: The recorded envelope.
    """

    name: str
    arguments: JsonMapping
    result: Envelope


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One annotated dialogue.

    Attributes:
        name: Name of its file, or of its place in a level 3 file.
        level: 1 (call), 2 (retrieve and call) or 3 (plan, retrieve and call).
        items: What was said and called, in order.
    """

    name: str
    level: int
    items: tuple[Utterance | GoldCall, ...]

    @property
    def calls(self) -> tuple[GoldCall, ...]:
        """Its calls, in order."""
        return tuple(item for item in self.items if isinstance(item, GoldCall))

    @property
    def calls_by_turn(self) -> list[int]:
        """The number of calls in each turn; an utterance of the user opens a turn."""
        turns: list[int] = []
        for item in self.items:
            if isinstance(item, GoldCall):
                turns = [*turns[:-1], turns[-1] + 1] if turns else [1]
            elif item.speaker == "User":
                turns.append(0)
        return turns


def recorded_ids(calls: Sequence[GoldCall]) -> dict[str, tuple[str, ...]]:
    """Return the random ids that a dialogue recorded, by the API that handed them out, in order.

    Later calls and utterances of the dialogue name these ids, so a world that plays it hands them out again.

    Examples:
        >>> recorded_ids([GoldCall("AppointmentRegistration", {}, {"output": "43744231"})])
        {'AppointmentRegistration': ('43744231',)}
    """
    ids: dict[str, tuple[str, ...]] = {}
    for call in calls:
        output = call.result.get("output")
        new = output.get("token") if call.name == "RegisterUser" and isinstance(output, dict) else output
        if call.name in ("RegisterUser", "AppointmentRegistration") and isinstance(new, str):
            ids[call.name] = (*ids.get(call.name, ()), new)
    return ids


def read_dialogues(folder: str | Path) -> list[Dialogue]:
    """Read the dialogues of levels 1 and 2 under a folder, in order of level and name.

    Args:
        folder: A folder with ``level-1-given-desc`` and ``level-2-toolsearcher`` somewhere below it, or one
            of the two.

    Raises:
        DataError: There is no such dialogue, or a file is broken.
    """
    root = Path(folder)
    files = [file for file in sorted(root.rglob("*.jsonl")) if _LEVEL.match(file.parent.name)]
    if not files:
        raise DataError(
            f"{root} holds no API-Bank dialogues; give the folder that holds level-1-given-desc and "
            "level-2-toolsearcher with their .jsonl files"
        )
    dialogues = [_read_dialogue(file) for file in files]
    return sorted(dialogues, key=lambda dialogue: (dialogue.level, dialogue.name))


def read_level3(file: str | Path) -> list[Dialogue]:
    """Read the level 3 dialogues: the requirement, the calls, and the response.

    Args:
        file: ``level-3.json``.

    Raises:
        DataError: It is missing or broken.
    """
    path = Path(file)
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
        return [_plan(f"{path.stem}-{index:03}", record) for index, record in enumerate(records)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} is no list of level 3 dialogues: {error!r:.200}") from error


def find_dialogues(path: str | Path) -> list[Dialogue]:
    """Return the dialogues of all levels under a folder or in a file; none where it holds no such thing."""
    root = Path(path)
    plans = [dialogue for file in level3_files(root) for dialogue in read_level3(file)]
    if root.is_dir() and any(file.parent.name.startswith("level-") for file in root.rglob("*.jsonl")):
        return [*read_dialogues(root), *plans]
    return plans


def level3_files(root: Path) -> list[Path]:
    """Return the files of level 3 dialogues under a folder, or the file itself where it is one."""
    files = [root] if root.is_file() else sorted(root.rglob("level-3*.json"))
    return [file for file in files if file.suffix == ".json" and file.name.startswith("level-3")]


def _read_dialogue(file: Path) -> Dialogue:
    match = _LEVEL.match(file.parent.name)
    level = int(match[1]) if match else 0
    return Dialogue(file.stem, level, tuple(_items(file)))


def _items(file: Path) -> Iterator[Utterance | GoldCall]:
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield read_item(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{file}, line {number}: no item of a dialogue: {error!r:.200}") from error


def read_item(record: JsonMapping) -> Utterance | GoldCall:
    """Read one line of a dialogue.

    Raises:
        ValueError: A value is wrong.
        KeyError: A member is missing.
        TypeError: A value is of a wrong type.

    Examples:
        >>> read_item({"role": "User", "text": "Hello."})
        Utterance(speaker='User', text='Hello.')
    """
    if record["role"] == "API":
        return GoldCall(record["api_name"], dict(record["param_dict"]), _envelope(record["result"]))
    if record["role"] in ("User", "AI"):
        return Utterance(record["role"], str(record["text"]))
    raise ValueError(f"role must be User, AI or API, got {record['role']!r}")


def _envelope(result: JsonMapping) -> Envelope:
    missing = {"input", "output", "exception"} - result.keys()
    if missing:
        raise ValueError(f"a result has input, output and exception; this one lacks {min(missing)}")
    return cast(Envelope, dict(result))


def _plan(name: str, record: JsonMapping) -> Dialogue:
    calls = (
        GoldCall(each["api_name"], dict(each["input"]), _envelope(each["output"])) for each in record["apis"]
    )
    return Dialogue(
        name, 3, (Utterance("User", record["requirement"]), *calls, Utterance("AI", record["response"]))
    )
