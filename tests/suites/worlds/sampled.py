"""Kits that tests go through: a few of them each time, and all of them where heavy tests run."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

from stb_env.seeding import rng
from stb_env.suites.worlds.tasks.making import kits
from stb_env.suites.worlds.world import Built, built

SAMPLE = rng("kits that are tested each time").sample(kits(), 6)


def each_kit() -> list[ParameterSet]:
    """Return all kits; those that are not in the sample are heavy."""
    return [_param(name, name, heavy=name not in SAMPLE) for name in kits()]


def each_world(seeds: Iterable[int], *, light: int) -> list[ParameterSet]:
    """Return kits and seeds; all are heavy but the first seeds of the sample's kits, so many as are light."""
    return [
        _param((name, seed), f"{name}-{seed}", heavy=name not in SAMPLE or place >= light)
        for name in kits()
        for place, seed in enumerate(seeds)
    ]


def open_world(kit: str, first: int = 0) -> Built:
    """Return the first world of a kit, from a seed on, in which nobody has to sign in."""
    worlds = (built(f"{kit}-{seed}") for seed in range(first, first + 40))
    return next(world for world in worlds if not world.offered.sign_ins)


def _param(value: object, name: str, *, heavy: bool) -> ParameterSet:
    return pytest.param(value, id=name, marks=(pytest.mark.heavy,) if heavy else ())
