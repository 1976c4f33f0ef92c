"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.worlds.sandbox.tasks import SandboxTasks
from stb_env.worlds.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "45f13be2d65c9e7d5e41824f926aeb33eb22c54e102b6213b4be90e03124a953",
    "val": "3665d8f3a6f049d18177f63fd804983c2254fcf9e51c098ac1c93b5df234cc7c",
    "missing": "e8262e49d96b99e8b7afa7a3f777afd188b647f7297bd7bbb9ce2963ceee4f7a",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (1, PINNED[split])
