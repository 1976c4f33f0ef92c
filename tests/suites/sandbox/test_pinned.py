"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "0ecfaa2e332400d346d8e8b2bb66da36594a67015b292d787e13754e66023df7",
    "val": "731ff9fc88d5b8e4d44e4a3f2636c98809d4fb5d419aedb5626e894987a4f90b",
    "missing": "7d269d03053f9eadd6b85c9d327bf652e93a94fb2a811f7a711c0238aa2f1369",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (3, PINNED[split])
