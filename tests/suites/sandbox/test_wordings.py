"""Right answers in other words pass, answers that game do not; see `wordings` for the failures of a kind."""

from __future__ import annotations

import pytest

from tests.suites.sandbox import cheats, paraphrases, wordings


@pytest.fixture(scope="module")
def games():
    return list(wordings.tasks())[::5]


@pytest.fixture(scope="module")
def honest(games):
    return list(wordings.honest(games))


@pytest.fixture(scope="module")
def gaming(games):
    return list(wordings.gaming(games))


def test_a_thousand_honest_wordings_pass(honest):
    assert len(honest) >= 1_000
    assert sum(one.solved for one in honest) / len(honest) >= 0.99


@pytest.mark.parametrize("kind", paraphrases.KINDS)
def test_honest_wordings_of_every_kind_pass(honest, kind):
    solved, count = wordings.table(honest)[kind]
    assert solved / count >= 0.99


def test_answers_that_game_do_not_pass(gaming):
    assert len(gaming) >= 1_000
    assert sum(one.solved for one in gaming) / len(gaming) <= 0.02


@pytest.mark.parametrize("kind", cheats.KINDS)
def test_gaming_of_no_kind_passes(gaming, kind):
    solved, count = wordings.table(gaming)[kind]
    assert solved / count <= 0.02


def test_every_failure_says_what_was_wanted(honest, gaming):
    for one in (*honest, *gaming):
        assert one.solved or ": " in one.reason, one
