"""Several models vote on a task: enough yes decide, and a missing vote is never a no."""

from __future__ import annotations

import pytest

from stb_env.core.request import drive
from stb_env.errors import ConfigError
from stb_env.judges.solvability import ModelSolvability
from stb_env.judges.solvability_panel import SolvabilityPanel
from stb_env.models import ModelError, ScriptedModel
from stb_env.tasks import Task
from tests.fakes.tools import ONE_TOOL

DOWN = ModelError("HTTP 503", kind="transport")
SAID = {"y": "Solvable", "n": "Unsolvable", "u": "Unsure", "-": DOWN}


def panel(said, needed=None):
    judges = [
        ModelSolvability(ScriptedModel([SAID[word]], name=f"m{place}")) for place, word in enumerate(said)
    ]
    return SolvabilityPanel(judges, needed)


@pytest.mark.parametrize(
    ("said", "needed", "solvable"),
    [
        ("yyy", None, True),
        ("yyn", None, True),
        ("ynn", None, False),
        ("yuu", None, False),
        ("yyn", 3, False),
        ("ynn", 1, True),
        ("yy-", None, True),
        ("y-n", None, None),
        ("nn-", None, False),
        ("---", None, None),
        ("yyyn", None, True),
        ("yynn", None, False),
    ],
)
def test_enough_votes_decide_and_missing_ones_only_where_they_cannot_change_it(said, needed, solvable):
    assert drive(panel(said, needed).poll(Task("1", "Weather?", ONE_TOOL))).solvable is solvable


def test_every_vote_is_kept_with_its_judge_and_the_reason_of_a_missing_one():
    poll = drive(panel("y-").poll(Task("1", "Weather?", ONE_TOOL)))
    assert [vote.judge for vote in poll.votes] == ["solvability:m0:v2", "solvability:m1:v2"]
    assert [vote.status for vote in poll.votes] == ["solvable", None]
    assert "HTTP 503" in poll.votes[1].reason
    assert poll.usage.calls == 1


@pytest.mark.parametrize(
    ("judges", "needed", "message"),
    [
        ([], None, r"^a panel needs judges with different names, got none$"),
        (["a", "a"], None, r"different names, got solvability:a:v2, solvability:a:v2$"),
        (["a", "b"], 3, r"^needed must be from 1 to 2, the number of models, got 3$"),
        (["a", "b"], 0, r"^needed must be from 1 to 2, the number of models, got 0$"),
    ],
)
def test_a_panel_that_could_not_decide_is_refused(judges, needed, message):
    made = [ModelSolvability(ScriptedModel([], name=name)) for name in judges]
    with pytest.raises(ConfigError, match=message):
        SolvabilityPanel(made, needed)
