"""The listed splits never change unseen: scores of one version must compare."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import VERSION

# To change one of these on purpose: raise VERSION, and say in CHANGELOG.md that scores stop comparing.
PINNED = {
    "test": "3c229daf168435e25f22f4ba96f54e2c8018fbbe5eebb196e0a53ddb1222565e",
    "val": "8df74b0529b63bf5c91ab26eb5f29315f0686c88613eaefb1ab38421e9c7cedf",
    "missing": "b9c85a655c4cc91c80b303fcf565a29ba2273783767249ea8f6bdd2f1204d4f9",
}


@pytest.mark.parametrize("split", PINNED)
def test_a_listed_split_is_the_pinned_one(split: str):
    assert (VERSION, SandboxTasks(split).hash) == (6, PINNED[split])
