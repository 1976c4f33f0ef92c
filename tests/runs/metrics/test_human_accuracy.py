"""A judge against people: the majority of their labels, a question at a time, clear errors in the file."""

from __future__ import annotations

import json

import pytest

from stb_env.errors import DataError
from stb_env.runs.metrics.human_accuracy import Labelled, human_accuracy, read_labels


def labelled(task, *labels, question="solving", trial=0):
    return Labelled(question, task, labels, trial)


def test_the_majority_of_people_is_the_truth_and_a_split_is_left_out():
    people = [
        labelled("1", "solved", "solved", "unsolved"),
        labelled("2", "unsolved", "unsolved"),
        labelled("3", "solved", "unsolved"),
        labelled("4", "solved"),
        labelled("1", "win", question="comparison"),
    ]
    found = human_accuracy(
        "solving", "j", people, {("1", 0): "solved", ("2", 0): "unsure", ("3", 0): "solved"}
    )
    assert (found.decided, found.right, found.accuracy) == (2, 1, 0.5)
    assert (found.missing, found.split) == (1, 1)


def test_unsure_is_right_where_people_are_unsure_alone():
    assert human_accuracy("solving", "j", [labelled("1", "unsure")], {("1", 0): "unsure"}).accuracy == 1.0


def test_trials_of_a_task_are_told_apart():
    people = [labelled("1", "solved"), labelled("1", "unsolved", trial=1)]
    found = human_accuracy("solving", "j", people, {("1", 0): "solved", ("1", 1): "unsolved"})
    assert (found.accuracy, found.kappa) == (1.0, 1.0)


def test_without_a_common_case_there_is_no_accuracy():
    found = human_accuracy("solving", "j", [], {})
    assert (found.accuracy, found.decided, found.kappa) == (None, 0, None)


def test_a_labelled_file_is_read_line_by_line(tmp_path):
    file = tmp_path / "labels.jsonl"
    line = {"question": "comparison", "task_id": 588, "labels": ["win", "tie"], "trial": 2}
    file.write_text(json.dumps(line) + "\n\n")
    assert read_labels(file) == [Labelled("comparison", "588", ("win", "tie"), 2)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", r"line 1: JSONDecodeError.*expected a line like \{\"question\": \"solving\""),
        ('{"question": "solving", "task_id": "1"}', r"line 1: KeyError\('labels'\)"),
        ('{"question": "solvign", "task_id": "1", "labels": ["solved"]}', r"Did you mean 'solving'\?$"),
        (
            '{"question": "solving", "task_id": "1", "labels": ["win"]}',
            r"unknown label of solving 'win'; expected one of solved, unsure, unsolved\.",
        ),
        ('{"question": "solving", "task_id": "1", "labels": []}', r"labels must be a list .*, got \[\]$"),
        ('{"question": "solving", "task_id": "1", "labels": "solved"}', r"got 'solved'$"),
    ],
)
def test_a_line_of_another_form_is_refused_with_its_number(tmp_path, line, message):
    file = tmp_path / "labels.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(DataError, match=message):
        read_labels(file)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"^cannot read the labelled file .*none\.jsonl"):
        read_labels(tmp_path / "none.jsonl")
