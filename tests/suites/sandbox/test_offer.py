"""The offered tools do not give the solution away."""

from __future__ import annotations

import numpy as np
import pytest

from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.offer import Pool
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates


def test_needed_tools_are_seldom_the_only_ones_offered_of_their_service():
    source = SandboxTasks("val")
    given_away = 0
    for index in range(100):
        task = source.at(index)
        services = {identity[:2] for identity in task.relevant}
        offered = {tool.id for tool in task.tools if tool.id[:2] in services}
        given_away += offered == {*task.relevant}
    assert given_away < 20


@pytest.mark.parametrize(
    ("name", "branches"),
    [
        ("cancel_or_pause", {"cancel_subscription", "pause_subscription"}),
        ("exchange_or_else", {"exchange_size", "return_purchase"}),
        ("frost_or_eco", {"set_target", "set_mode"}),
        ("reopen_or_open_anew", {"reopen_ticket", "open_ticket"}),
    ],
)
def test_a_plan_with_two_branches_shows_the_tools_of_both(name, branches):
    assert templates()[name].calls
    for index in range(8):
        task = SandboxTasks("train", template=name, distractors=0).at(index)
        assert branches <= {tool.id.api for tool in task.tools}


@pytest.mark.heavy
@pytest.mark.parametrize("place", range(0, len(tools()), 29))
def test_a_new_tool_changes_the_tasks_that_offer_it_and_no_others(place):
    known = list(tools().values())
    before = Pool([tool for tool in known if tool is not known[place]], np.ones(len(known) - 1, np.bool_))
    after = Pool(known, np.ones(len(known), np.bool_))
    source, offering = SandboxTasks("val"), 0
    for index in range(100):
        needed = source.at(index).relevant
        if known[place].id in needed:
            continue
        offered = after.offer(needed, (), index, 4)
        offering += known[place] in offered
        assert known[place] in offered or offered == before.offer(needed, (), index, 4)
    assert offering < 20
