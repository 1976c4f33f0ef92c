"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "fc5ee34207528bd44f6394af1d0c902bed03d902130256d5014783f390978ec1",
    "val": "0b49c6da54c28e2e8d09c0d7f059954180b17cdcb4b322cd0a15543b1271dd65",
    "missing": "7b9e227fa064be766e1d9d8ce87f5ed862baa9d934e12de33a179aa2d82f2eaa",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (2, PINNED[split])
