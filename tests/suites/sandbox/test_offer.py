"""The offered tools do not give the solution away."""

from __future__ import annotations

import pytest

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
