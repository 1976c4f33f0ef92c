"""Our reader takes every published training record apart, and our writer puts it together again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env.core.request import drive
from stb_env.experiments.synthesis import Ability, Pipeline, Settings
from stb_env.experiments.synthesis.training import training_samples
from stb_env.suites.api_bank.formats.training import (
    Instructions,
    Requested,
    TrainingSample,
    read_training,
    training_text,
)

KEYS = ("instruction", "input", "output")


@pytest.fixture(scope="module")
def files(shared_data: Path) -> list[Path]:
    found = sorted((shared_data / "api_bank" / "train").glob("*.json"))
    if not found:
        pytest.skip(f"no training files in {shared_data}/api_bank/train")
    return found


@pytest.fixture(scope="module")
def records(files: list[Path]) -> list[Any]:
    return [record for file in files for record in json.loads(file.read_text(encoding="utf-8"))]


def ours(instructions: Instructions) -> Iterator[TrainingSample]:
    pipeline = Pipeline.offline(0, settings=Settings((Ability.PLAN,)))
    for index in range(4):
        yield from training_samples(drive(pipeline.dialogue(index, [])), instructions)


def shape(sample: TrainingSample) -> tuple[Any, ...]:
    """Return what the records of one kind have in common."""
    described = [json.loads(line) for line in sample.descriptions]
    return (
        sample.cue,
        [list(each) for each in described],
        [list(each["parameters"]) for each in described],
        [list(each["response"]) for each in described],
        sample.output.split(" ")[0],
        sample.output.endswith("\n"),
        str(sample.history[0]).split(" ")[0],
        {type(item) for item in sample.history[1:]} <= {Requested},
    )


def test_golden_records_come_back_to_the_byte(records: list[Any]):
    for record in records:
        assert TrainingSample.from_record(record).to_record() == record


def test_golden_files_come_back_as_the_same_records(files: list[Path]):
    for file in files:
        text = training_text(read_training(file))
        assert json.loads(text) == json.loads(file.read_text(encoding="utf-8"))


def test_golden_calls_can_all_be_read(records: list[Any]):
    for record in records:
        sample = TrainingSample.from_record(record)
        assert (sample.call is not None) == sample.wants_call
        for item in sample.history:
            assert not isinstance(item, Requested) or item.call is not None


def test_golden_shapes_are_those_of_our_own_plans(records: list[Any]):
    published = [TrainingSample.from_record(record) for record in records]
    made = list(ours(Instructions.of(published)))
    for wants_call in (True, False):
        theirs = {str(shape(sample)) for sample in published if sample.wants_call == wants_call}
        assert {str(shape(sample)) for sample in made if sample.wants_call == wants_call} <= theirs


def test_golden_instructions_can_be_taken_over(records: list[Any]):
    published = [TrainingSample.from_record(record) for record in records]
    taken = {sample.instruction for sample in ours(Instructions.of(published))}
    assert taken <= {record["instruction"] for record in records}
    assert all(tuple(sample.to_record()) == KEYS for sample in ours(Instructions()))
