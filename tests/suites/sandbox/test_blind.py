"""Answers by authors who never saw the verifier: the honest ones pass, the gaming ones do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from tests.suites.sandbox.wordings import judge, played


@pytest.fixture(scope="module")
def judged():
    answers = json.loads((Path(__file__).parent / "blind_answers.json").read_text("utf-8"))
    found = {"honest": [], "gaming": []}
    for task_id, kinds in answers.items():
        game = played(SandboxTasks().get(task_id))
        for kind, wordings in kinds.items():
            found[kind] += [judge(kind, game, wording) for wording in wordings]
    return found


def test_honest_answers_of_blind_authors_pass(judged):
    wrong = [(one.task.id, one.answer, one.reason) for one in judged["honest"] if not one.solved]
    assert len(wrong) <= 0.02 * len(judged["honest"]), wrong


def test_gaming_answers_of_blind_authors_do_not_pass(judged):
    passed = [(one.task.id, one.answer) for one in judged["gaming"] if one.solved]
    assert len(passed) <= 0.08 * len(judged["gaming"]), passed
