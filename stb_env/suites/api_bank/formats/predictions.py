"""Predictions for API-Bank's samples, as its evaluators read them; the samples, as its test files have them.

The markers of the texts and the names of the members are the wire format and stand here as published; the
instructions are our own words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stb_env.errors import DataError
from stb_env.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.suites.api_bank.formats.dialogues import GoldCall, Utterance
from stb_env.suites.api_bank.formats.samples import Sample
from stb_env.suites.api_bank.formats.training import CALL_CUE, RESPONSE_CUE, Instructions

_TEXTS = ("pred", "prediction")

Key = tuple[str | int, int | None]
"""Dialogue and number of the sample in levels 1 and 2; places of dialogue and call in level 3, None for the
reply."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a model wrote for samples.

    Attributes:
        texts: The texts by sample; the last one counts where there are several.
    """

    texts: Mapping[Key, str]

    def of(self, sample: Sample, place: int) -> str | None:
        """Return the text for a sample, or None.

        Args:
            sample: The sample.
            place: Place of its dialogue among those of its level.
        """
        if sample.level != 3:
            return self.texts.get((sample.dialogue, sample.id))
        return self.texts.get((place, sample.id if sample.wants_call else None))


def read_predictions(files: Iterable[str | Path]) -> Predictions:
    """Read prediction files: JSON lines, or one JSON list, of records.

    A record has ``pred`` and either ``file`` and ``id`` (levels 1 and 2) or ``sample_id`` and ``api_id``
    (level 3; without ``api_id`` it is the reply).

    Raises:
        DataError: A file is missing, or a record lacks something.
    """
    texts: dict[Key, str] = {}
    for file in map(Path, files):
        for number, record in enumerate(_records(file), 1):
            key, text = _read(record, f"{file}, record {number}")
            texts[key] = text
    return Predictions(texts)


def sample_record(sample: Sample, place: int, descriptions: Mapping[str, JsonMapping]) -> JsonObject:
    r"""Return a sample as the test files have it.

    Args:
        sample: The sample.
        place: Place of its dialogue among those of its level.
        descriptions: Documentation of the APIs of its level, by name.

    Examples:
        >>> call = GoldCall("GetToday", {}, {})
        >>> sample = Sample("d", 1, 0, (Utterance("User", "Which day?"),), call, 0, ("GetToday",))
        >>> record = sample_record(sample, 0, {"GetToday": {"name": "GetToday"}})
        >>> record["input"], record["expected_output"]
        ('User: Which day?\nGenerate API Request: ', 'API-Request: [GetToday()]')
    """
    instructions = Instructions()
    searched = sample.level == 3 or (sample.level == 2 and sample.wants_call)
    shown = ("ToolSearcher",) if searched else sample.apis
    lead = instructions.call if sample.wants_call else instructions.response
    lines = [json.dumps(descriptions[name]) for name in shown if name in descriptions]
    cue = CALL_CUE if sample.wants_call else RESPONSE_CUE
    text = "\n".join([*(_line(item, sample.level) for item in sample.history), cue])
    target = sample.target
    wanted = target.text if isinstance(target, Utterance) else f"API-Request: {call_line(target)}"
    common = {"instruction": lead + "\n".join(lines), "input": text}
    if sample.level == 3:
        api = {"api_id": sample.id} if sample.wants_call else {}
        return {**common, "output": wanted, "sample_id": place, **api}
    return {"file": f"{sample.dialogue}.jsonl", "id": sample.id, **common, "expected_output": wanted}


def call_line(call: GoldCall) -> str:
    """Return a recorded call in brackets, every value between single quotes, without escaping.

    Examples:
        >>> call_line(GoldCall("Meet", {"who": ["Ann"], "n": "1"}, {}))
        "[Meet(who='['Ann']', n='1')]"
    """
    arguments = ", ".join(f"{name}='{value}'" for name, value in call.arguments.items())
    return f"[{call.name}({arguments})]"


def _line(item: Utterance | GoldCall, level: int) -> str:
    if isinstance(item, Utterance):
        return f"{item.speaker}: {item.text}"
    return f"API-Request: {call_line(item)}->{dict(item.result) if level == 3 else item.result['output']}"


def _records(file: Path) -> JsonArray:
    try:
        text = file.read_text(encoding="utf-8")
        if text.lstrip().startswith("["):
            return list(json.loads(text))
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read the predictions {file}: {error}") from error


def _read(record: Any, where: str) -> tuple[Key, str]:
    if not isinstance(record, Mapping):
        raise DataError(f"{where}: expected an object, got {record!r:.80}")
    text = next((record[name] for name in _TEXTS if name in record), None)
    if not isinstance(text, str):
        raise DataError(f"{where}: expected the prediction as text under 'pred', got {sorted(record)}")
    if isinstance(record.get("file"), str) and isinstance(record.get("id"), int):
        return (record["file"].rpartition("/")[2].removesuffix(".jsonl"), record["id"]), text
    if isinstance(record.get("sample_id"), int) and isinstance(record.get("api_id"), int | None):
        return (record["sample_id"], record.get("api_id")), text
    raise DataError(
        f"{where}: expected 'file' and 'id', or 'sample_id' and 'api_id', with numbers for ids; "
        f"got {sorted(record)}"
    )
