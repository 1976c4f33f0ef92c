"""A synthesis in a folder: every dialogue on disk before the next, resumable exactly once by number."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stb_env import ConfigError, InfrastructureError
from stb_env.core import checksums, jsontext
from stb_env.core.files import LineWriter, make_folder, write_json, write_text
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import drive
from stb_env.errors import DataError, STBError
from stb_env.experiments.synthesis.dialogue import Dialogue
from stb_env.experiments.synthesis.pipeline import Pipeline
from stb_env.experiments.synthesis.review_sheet import write_sheet
from stb_env.experiments.synthesis.statistics import summarize
from stb_env.experiments.synthesis.training import chat_line, recipe, training_samples
from stb_env.models import Meter
from stb_env.suites.api_bank.formats.training import Instructions, training_text
from stb_env.usage import NO_USAGE, Usage

Progress = Callable[[int, int], None]
"""Told after each dialogue how many of how many are there."""

# What is whole when the command ends; people write into the review sheets.
_READ = ("manifest.json", "dialogues.jsonl", "interrupted.jsonl")
_FILES = (
    *_READ,
    "kept.api_bank.json",
    "kept.api_bank.recipe.toml",
    "kept.sft.jsonl",
    "kept.sft.recipe.toml",
    "summary.json",
)


@dataclass(frozen=True, slots=True)
class Synthesis:
    """Contents of a synthesis folder.

    Attributes:
        dialogues: Every sample, in order.
        summary: The figures, as ``summary.json`` has them.
    """

    dialogues: Sequence[Dialogue]
    summary: JsonMapping


class Folder:
    """The folder of a synthesis, opened for writing.

    Args:
        path: Made where it does not exist.
        manifest: Everything that decides the dialogues, as plain data.

    Attributes:
        dialogues: What was written, in order.
        lost: What dialogues cost that were cut short by a failure.

    Raises:
        ConfigError: It holds a synthesis with another configuration, or another process writes to it.
        DataError: It cannot be read.
    """

    def __init__(self, path: str | Path, manifest: Mapping[str, object]) -> None:
        self.path = Path(path)
        make_folder(self.path)
        # Before a torn last line is cut off: of a file that was whole, it is no mark of a kill.
        for name in _READ:
            checksums.check(self.path / name)
        self._settle(json.loads(jsontext.dumps(dict(manifest))))
        self._lines = LineWriter(self.path / "dialogues.jsonl")
        try:
            self.dialogues = read_dialogues(self.path / "dialogues.jsonl")
            self.lost = _lost(self.path / "interrupted.jsonl")
            checksums.forget(self.path, *_FILES)
        except STBError:
            self._lines.close()
            raise

    def _settle(self, manifest: Mapping[str, object]) -> None:
        file = self.path / "manifest.json"
        if file.is_file():
            known = _object(file)
            names = sorted(name for name in {*known, *manifest} if known.get(name) != manifest.get(name))
            if names:
                shown = "; ".join(
                    f"{name}: there {known.get(name)}, now {manifest.get(name)}" for name in names
                )
                raise ConfigError(
                    f"{self.path} holds a synthesis with another configuration ({shown}); use another --out"
                )
        if not file.is_file():
            write_json(file, manifest)

    def add(self, dialogue: Dialogue) -> None:
        """Save a dialogue, on disk before this returns."""
        self._lines.write(dialogue.to_json())
        self.dialogues.append(dialogue)

    def note(self, index: int, error: InfrastructureError) -> None:
        """Save what a dialogue cost that a failure cut short; it is written anew another time."""
        lines = LineWriter(self.path / "interrupted.jsonl")
        lost = {"index": index, **error.failure(), "usage": error.usage.to_dict()}
        lines.write(checksums.sealed(jsontext.dumps(lost)))
        lines.close()
        self.lost += error.usage

    def finish(self, instructions: Instructions, seed: int) -> JsonObject:
        """Write everything that follows from the dialogues, note the checksums, and return the figures."""
        kept = [one for one in self.dialogues if one.outcome == "kept"]
        samples = (sample for one in kept for sample in training_samples(one, instructions))
        write_text(self.path / "kept.api_bank.json", training_text(samples))
        write_text(self.path / "kept.api_bank.recipe.toml", recipe("api_bank"))
        chats = "".join(jsontext.dumps(chat_line(one)) + "\n" for one in kept)
        write_text(self.path / "kept.sft.jsonl", chats)
        write_text(self.path / "kept.sft.recipe.toml", recipe("chat"))
        write_sheet(self.path / "review.csv", kept, seed)
        dropped = [one for one in self.dialogues if one.outcome == "dropped"]
        if dropped:
            write_sheet(self.path / "review_dropped.csv", dropped, seed)
        summary = summarize(self.dialogues, self.lost)
        write_json(self.path / "summary.json", summary, sort_keys=False)
        checksums.note(self.path, *_FILES)
        return summary

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def synthesize(
    pipeline: Pipeline,
    out: str | Path,
    count: int,
    *,
    meter: Meter | None = None,
    instructions: Instructions | None = None,
    progress: Progress | None = None,
) -> Synthesis:
    """Write dialogues until a folder has so many; a folder with fewer goes on where it stopped.

    Whatever stops it, the folder's exports and figures are those of the dialogues that are there.

    Args:
        pipeline: Writes them.
        out: The folder.
        count: Number of samples, those that are not kept included.
        meter: Counts what the pipeline's models cost; told first what the folder has cost already.
        instructions: Words of the training form; our own where not given.
        progress: Told after each dialogue how many of how many are there.

    Raises:
        ConfigError: ``count`` is below 1, or the folder holds another configuration.
        DataError: The folder cannot be read.
        InfrastructureError: A model failed or the budget is used up; the same call goes on another time.
    """
    if count < 1:
        raise ConfigError(f"dialogues must be at least 1, got {count}")
    folder = Folder(out, {"version": 1, **pipeline.fingerprint})
    if meter is not None:
        meter.add(sum((one.usage for one in folder.dialogues), folder.lost))
    try:
        _fill(pipeline, folder, count, progress)
    finally:
        summary = folder.finish(instructions or Instructions(), pipeline.seed)
        folder.close()
    return Synthesis(folder.dialogues, summary)


def _fill(pipeline: Pipeline, folder: Folder, count: int, progress: Progress | None) -> None:
    for index in range(len(folder.dialogues), count):
        try:
            dialogue = drive(pipeline.dialogue(index, folder.dialogues))
        except InfrastructureError as error:
            folder.note(index, error)
            raise
        folder.add(dialogue)
        if progress is not None:
            progress(index + 1, count)


def read_dialogues(file: str | Path) -> list[Dialogue]:
    """Read the dialogues of a file.

    Raises:
        DataError: A line is broken, was changed, or is missing.
    """
    dialogues = []
    for number, line in enumerate(Path(file).read_text(encoding="utf-8").split("\n")[:-1]):
        try:
            dialogue = Dialogue.from_json(line)
        except DataError as error:
            raise DataError(f"{file}, line {number + 1}: {error}") from error
        if dialogue.index != number:
            raise DataError(f"{file}, line {number + 1}: expected dialogue {number}, got {dialogue.index}")
        dialogues.append(dialogue)
    checksums.check(Path(file))
    return dialogues


def _lost(file: Path) -> Usage:
    if not file.is_file():
        return NO_USAGE
    total = NO_USAGE
    try:
        for line in file.read_text(encoding="utf-8").split("\n")[:-1]:
            lost = json.loads(line)
            checksums.check_line(line, lost)
            total += Usage(**lost["usage"])
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"{file} is broken ({error!r:.200}); delete it to forget what it cost") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error
    return total


def _object(file: Path) -> JsonObject:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{file} is damaged ({error}); restore it, or use another --out") from error
    if not isinstance(found, dict):
        raise DataError(f"{file} is damaged (no JSON object); restore it, or use another --out")
    return found
