"""What strangers wrote before they had read the reader: honest answers pass, gaming ones do not."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from tests.suites.sandbox.strangers import honest
from tests.suites.sandbox.strangers_answers import FIRST
from tests.suites.sandbox.strangers_frames import SECOND_FRAMES
from tests.suites.sandbox.strangers_gaming import FRAMES, framed
from tests.suites.sandbox.strangers_second import SECOND
from tests.suites.sandbox.wordings import judge, played


@pytest.mark.parametrize("answers", [FIRST, SECOND], ids=["first", "second"])
def test_honest_answers_of_strangers_pass(answers):
    judged = list(honest(answers))
    assert sum(one.solved for one in judged) / len(judged) >= 0.97


@pytest.mark.parametrize("frames", [FRAMES, SECOND_FRAMES], ids=["first", "second"])
def test_frames_that_take_an_answer_back_do_not_pass(frames):
    games = [played(SandboxTasks().get(task_id)) for task_id in [*FIRST][::6]]
    judged = [judge(kind, game, answer) for game in games for kind, answer in framed(game, frames)]
    assert sum(one.solved for one in judged) / len(judged) <= 0.03
