"""Suites that are declared and registered by hand."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium as gym
import pytest
from gymnasium.envs.registration import registry

from stb_env import Suite, suite
from stb_env.errors import ConfigError
from stb_env.rollout.make import env_ids

TRIPS = "stb_env.suites.sambanova.trip_booking.env:make"


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave nothing registered behind."""
    monkeypatch.setattr(suite, "_SUITES", dict(suite._SUITES))
    yield
    registry.pop("theirs/Trips-v0", None)


@pytest.mark.usefixtures("forgotten")
def test_a_suite_names_what_makes_its_environments_as_text():
    declared = Suite(name="theirs", description="Trips.", environments={"theirs/Trips-v0": TRIPS})
    assert declared.register() is declared
    assert env_ids()[-1] == "theirs/Trips-v0"
    assert gym.make("theirs/Trips-v0").unwrapped.tasks.size == 120


def test_an_id_of_another_suite_is_refused():
    taken = Suite(name="theirs", description="Trips.", environments={"stb/TripBooking-v0": TRIPS})
    with pytest.raises(ConfigError, match=r"^stb/TripBooking-v0 belongs to the suite 'sambanova'; give "):
        taken.register()
