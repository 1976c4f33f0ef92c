"""Answers by authors who never saw the verifier: the honest ones pass, the gaming ones do not."""

from __future__ import annotations

import pytest

from tests.suites.sandbox import wordings


@pytest.fixture(scope="module")
def judged():
    return wordings.judged_by_hand("blind_answers.json")


def test_honest_answers_of_blind_authors_pass(judged):
    wrong = [(one.task.id, one.answer, one.reason) for one in judged["honest"] if not one.solved]
    assert len(wrong) <= 0.02 * len(judged["honest"]), wrong


def test_gaming_answers_of_blind_authors_do_not_pass(judged):
    passed = [(one.task.id, one.answer) for one in judged["gaming"] if one.solved]
    assert len(passed) <= 0.08 * len(judged["gaming"]), passed
