"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "ce6a43e6cc1dfc9154c00d8e92cb7fbd72d3ada1aa6644c841ee441b4d68f8e1",
    "val": "f81a2b587056db11212ed34220cd00638e994eecaeed3b8ef7cf15259baad19e",
    "missing": "8fdcacef913a1156438b9c28ec289271bf4dbc300e7b9c0be2251102df5f5d17",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (5, PINNED[split])
