"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "68cdffd1f58d0b1012f63e77766423511d5017ce007fee83bbafd4e330471368",
    "val": "25d948b48830af6fd69059ba5071b168a78a398c6abe3045d1b132d5655f4aff",
    "missing": "e8262e49d96b99e8b7afa7a3f777afd188b647f7297bd7bbb9ce2963ceee4f7a",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (1, PINNED[split])
