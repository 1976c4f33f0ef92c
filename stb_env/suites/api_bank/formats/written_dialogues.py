"""Training dialogues that models wrote: a folder of a synthesis, or files of training samples.

Their APIs exist in their documentation alone. A synthesis keeps its dialogues whole (``dialogues.jsonl``);
in training samples (`training`) a dialogue is what the last of its response samples shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from stb_env.core import checksums
from stb_env.core.checksums import check_line
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.formats.dialogues import Dialogue, Envelope, GoldCall, Utterance
from stb_env.suites.api_bank.formats.training import Requested, Said, TrainingSample, read_training

SYNTHESIS = "dialogues.jsonl"
_LEVELS = {"call": 1, "retrieve": 2, "plan": 3}
_HEAD = 2_000
_RECORD = {"name", "description", "input_parameters"}


@dataclass(frozen=True, slots=True)
class WrittenDialogue:
    """A dialogue that was written, with the APIs that were written for it.

    Attributes:
        dialogue: The dialogue; the result of a call has ``output`` and ``exception``.
        apis: Documentation of its APIs, by name.
        domain: Its domain; empty where it has none.
    """

    dialogue: Dialogue
    apis: Mapping[str, JsonMapping]
    domain: str = ""


def is_written(path: str | Path) -> bool:
    """Return whether a path is a synthesis, a training file, or a folder of training files."""
    path = Path(path)
    if path.is_dir():
        return (path / SYNTHESIS).is_file() or any(map(_is_training, path.glob("*.json")))
    return path.suffix == ".json" and _is_training(path)


def read_written(path: str | Path) -> list[WrittenDialogue]:
    """Read written dialogues; of a synthesis those that were kept.

    Raises:
        DataError: There are none, or a file is broken.
    """
    path = Path(path)
    if (path / SYNTHESIS).is_file():
        found = list(_kept(path / SYNTHESIS))
    else:
        files = (
            [path] if path.is_file() else [file for file in sorted(path.glob("*.json")) if _is_training(file)]
        )
        found = [one for file in files for one in _of_samples(file.stem, read_training(file))]
    if not found:
        raise DataError(f"{path} holds no dialogue that was kept, and no training sample of a response")
    return found


def _is_training(file: Path) -> bool:
    try:
        with file.open(encoding="utf-8") as text:
            head = text.read(_HEAD)
    except (OSError, UnicodeDecodeError):
        # Whoever reads it as what it is meant to be says what is wrong with it.
        return False
    return head.lstrip().startswith("[") and '"instruction"' in head


def _kept(file: Path) -> Iterator[WrittenDialogue]:
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n")[:-1], 1):
        try:
            data = json.loads(line)
            check_line(line, data)
            if data["version"] != 1:
                raise ValueError(f"version {data['version']!r}")
            if data["outcome"] == "kept":
                yield _synthesised(data)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{file}, line {number}: not a synthetic dialogue ({error!r:.200})") from error
        except DataError as error:
            raise DataError(f"{file}, line {number}: {error}") from error
    checksums.check(file)


def _synthesised(data: JsonMapping) -> WrittenDialogue:
    time = f" TIME: {data['time']}" if data["time"] else ""
    items: list[Utterance | GoldCall] = []
    for number, turn in enumerate(data["turns"]):
        items.append(Utterance("User", turn["user"] + ("" if number else time)))
        items += [
            GoldCall(each["name"], each["arguments"], _result(each["result"])) for each in turn["calls"]
        ]
        items.append(Utterance("AI", turn["reply"]))
    apis = {record["name"]: record for record in data["pool"]}
    dialogue = Dialogue(f"synthesis-{data['index']:05}", _LEVELS[data["ability"]], tuple(items))
    return WrittenDialogue(dialogue, apis, data["domain"])


def _result(value: object) -> Envelope:
    """Return what a call returned as ``output`` and ``exception``; an object of an error alone refuses."""
    if isinstance(value, Mapping) and value.keys() == {"error"} and value["error"]:
        return {"output": None, "exception": str(value["error"])}
    return {"output": value, "exception": None}


def _of_samples(name: str, samples: Sequence[TrainingSample]) -> Iterator[WrittenDialogue]:
    responses = [sample for sample in samples if not sample.wants_call]
    number = 0
    for sample, following in zip_longest(responses, responses[1:]):
        # A later turn of the same dialogue shows all of this one.
        if following is not None and following.history[: len(sample.history)] == sample.history:
            continue
        items = tuple(_items(sample.history))
        if len(items) == len(sample.history):
            reply = Utterance("AI", sample.output.strip().removeprefix("AI:").strip())
            dialogue = Dialogue(f"{name}-{number:05}", _level(sample), (*items, reply))
            yield WrittenDialogue(dialogue, dict(_documented(sample, dialogue)))
        number += 1


def _items(history: Iterable[Said | Requested]) -> Iterator[Utterance | GoldCall]:
    """Yield what was said and called, as far as every call can be read."""
    for item in history:
        if isinstance(item, Said):
            yield Utterance(item.speaker, item.text)
        elif (call := item.call) is not None and isinstance(call.arguments, Mapping):
            value = item.value
            yield GoldCall(call.name, dict(call.arguments), _result(value))


def _level(sample: TrainingSample) -> int:
    described = {name for name, _ in _described(sample)}
    if SEARCHER not in described:
        return 1
    return 3 if described == {SEARCHER} else 2


def _described(sample: TrainingSample) -> Iterator[tuple[str, Mapping[str, object]]]:
    for line in sample.descriptions:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, Mapping) and "apiCode" in record:
            yield (
                str(record["apiCode"]),
                {
                    "name": record["apiCode"],
                    "description": record.get("description", ""),
                    "input_parameters": record.get("parameters") or {},
                    "output_parameters": record.get("response") or {},
                },
            )


def _documented(sample: TrainingSample, dialogue: Dialogue) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield from _described(sample)
    for call in dialogue.calls:
        found = call.result["output"]
        for record in found if isinstance(found, list) else [found]:
            if call.name == SEARCHER and isinstance(record, Mapping) and record.keys() >= _RECORD:
                yield str(record["name"]), record
