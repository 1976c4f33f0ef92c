"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "21ee12218348c3591881d7c38704fd8b1b2cd98a15897683632cc8306334eacd",
    "val": "afda2d1eff2d5067ef4727422292a1c71ea14a3b6f2d1345b3da1ab96091c905",
    "missing": "b18bfeb42f6c6fb302da3dc139cb655af4da7a595da361bb102504c41e81492c",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (2, PINNED[split])
