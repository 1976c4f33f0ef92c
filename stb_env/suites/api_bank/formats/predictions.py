"""Predictions for API-Bank's samples, as its evaluators read them; the samples, as its test files have them.

The names of the members are the wire format and stand here as published.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from stb_env.core import checksums
from stb_env.errors import DataError
from stb_env.suites.api_bank.formats.rendering import expected_text, input_text, instruction
from stb_env.suites.api_bank.formats.samples import Sample

_TEXTS = ("pred", "prediction")

Key = tuple[str | int, int | None]
"""Dialogue and number of the sample in levels 1 and 2; places of dialogue and call in level 3, None for the
reply."""
Predictions = Mapping[Key, str]
"""The texts that a model wrote for samples; the last one counts where there are several."""


def prediction_key(sample: Sample, place: int) -> Key:
    """Return what tells the prediction for a sample from others.

    Args:
        sample: The sample.
        place: Place of its dialogue among those of its level.
    """
    if sample.level != 3:
        return sample.dialogue, sample.id
    return place, sample.id if sample.wants_call else None


def prediction_record(sample: Sample, place: int, text: str | None) -> dict[str, object]:
    """Return a prediction as `read_predictions` reads it."""
    if sample.level != 3:
        return {"file": f"{sample.dialogue}.jsonl", "id": sample.id, "pred": text}
    api = {"api_id": sample.id} if sample.wants_call else {}
    return {"sample_id": place, **api, "pred": text}


def read_predictions(files: Iterable[str | Path]) -> Predictions:
    """Read prediction files: JSON lines, or one JSON list, of records.

    A record has ``pred`` and either ``file`` and ``id`` (levels 1 and 2) or ``sample_id`` and ``api_id``
    (level 3; without ``api_id`` it is the reply).

    Raises:
        DataError: A file is missing or was changed since it was written, or a record lacks something.
    """
    texts: dict[Key, str] = {}
    for file in map(Path, files):
        checksums.check(file)
        for number, record in enumerate(_records(file), 1):
            key, text = _read(record, f"{file}, record {number}")
            texts[key] = text
    return texts


def sample_record(
    sample: Sample, place: int, descriptions: Mapping[str, Mapping[str, object]]
) -> dict[str, object]:
    r"""Return a sample as the test files have it.

    Args:
        sample: The sample.
        place: Place of its dialogue among those of its level.
        descriptions: Documentation of the APIs of its level, by name.

    Examples:
        >>> from stb_env.suites.api_bank.formats.dialogues import GoldCall, Utterance
        >>> call = GoldCall("GetToday", {}, {})
        >>> sample = Sample("d", 1, 0, (Utterance("User", "Which day?"),), call, 0, ("GetToday",))
        >>> record = sample_record(sample, 0, {"GetToday": {"name": "GetToday"}})
        >>> record["input"], record["expected_output"]
        ('User: Which day?\nGenerate API Request: ', 'API-Request: [GetToday()]')
    """
    common = {"instruction": instruction(sample, descriptions), "input": input_text(sample)}
    wanted = expected_text(sample)
    if sample.level == 3:
        api = {"api_id": sample.id} if sample.wants_call else {}
        return {**common, "output": wanted, "sample_id": place, **api}
    return {"file": f"{sample.dialogue}.jsonl", "id": sample.id, **common, "expected_output": wanted}


def _records(file: Path) -> list[object]:
    try:
        text = file.read_text(encoding="utf-8")
        if text.lstrip().startswith("["):
            return list(json.loads(text))
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read the predictions {file}: {error}") from error


def _read(record: object, where: str) -> tuple[Key, str]:
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
