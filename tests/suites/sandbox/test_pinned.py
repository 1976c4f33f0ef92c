"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "fb0111f2e19fafb17bfb9d1fdd39f2aa463752684cb61b4d96a68bfc47744593",
    "val": "2801cc0dca42114a1ff43a7056c18c05c8e093f3b66d098dc6c880464508d00c",
    "missing": "ac85b781d8bda88a569ac45bfcd28b4fe884f9635b18ff62bdf40f1d6293358c",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (4, PINNED[split])
