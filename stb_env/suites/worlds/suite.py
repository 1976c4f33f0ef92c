"""The declaration of generated worlds."""

from __future__ import annotations

from stb_env.suite import Maker, Suite

SUITE = Suite(
    name="worlds",
    description="generated organisations with data, tools and rules of their own, exact verifiers",
    environments={
        "stb/Worlds-v0": Maker("stb_env.suites.worlds.env:make"),
        "stb/WorldsHard-v0": Maker("stb_env.suites.worlds.env:make_hard"),
    },
    splits=("train", "val", "test"),
    oracle="stb_env.suites.worlds.env:oracle",
    checks="stb_env.suites.worlds.checks:check",
    commands="stb_env.suites.worlds.commands:app",
    choices=(
        "group",
        "level",
        "worlds",
        "policies",
        "pairs",
        "budget",
        "hidden",
        "faults",
        "events",
        "services",
        "tools",
        "look_alikes",
        "dirt",
    ),
)
