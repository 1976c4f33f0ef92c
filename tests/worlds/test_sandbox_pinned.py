"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.worlds.sandbox.tasks import SandboxTasks
from stb_env.worlds.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "1004cbc709f2f1e8c9f31fba2001bc63465d9c0a006e4dcfe7631e275aab9f81",
    "val": "5f67508c23bae6a56619b2b479dbd34f18f5198ade8b8d557ef7bc31b5bb06c7",
    "missing": "e8262e49d96b99e8b7afa7a3f777afd188b647f7297bd7bbb9ce2963ceee4f7a",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (1, PINNED[split])
