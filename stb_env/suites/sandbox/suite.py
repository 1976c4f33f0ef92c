"""The Sandbox's declaration."""

from __future__ import annotations

from stb_env.suite import Maker, Suite

SUITE = Suite(
    name="sandbox",
    description="an executable world of our own: 56 tools, exact verifiers, endless seeded training tasks",
    environments={"stb/Sandbox-v1": Maker("stb_env.suites.sandbox.env:make")},
    replaced={"stb/Sandbox-v0": "stb/Sandbox-v1"},
    splits=("test", "val", "train", "missing"),
    checks="stb_env.suites.sandbox.checks:check",
    oracle="stb_env.suites.sandbox.oracle:oracle",
    choices=("group", "level", "template", "distractors"),
)
