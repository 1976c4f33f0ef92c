"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "523b3f82ccba8f6473fc9529ab0e287bbe236995aa85bea81b6325a4b311942d",
    "val": "ea3b05f815617544d1752eb46b9a50f7b11f2c57e546a8299811a18d39c65568",
    "missing": "3e04ba81fa00c8968bb441b1c173893021df3c621cc6a398394c775a573cdf41",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (2, PINNED[split])
