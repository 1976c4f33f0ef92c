"""Suites that are declared and registered by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points

import gymnasium as gym
import pytest

from stb_env import Suite, suite
from stb_env.errors import ConfigError
from stb_env.runs.make import env_ids
from tests.conftest import ROOT

TRIPS = "stb_env.suites.sambanova.trip_booking.env:make"


@pytest.mark.usefixtures("forgotten")
def test_a_suite_names_what_makes_its_environments_as_text():
    declared = Suite(name="theirs", description="Trips.", environments={"theirs/Trips-v0": TRIPS})
    assert declared.register() is declared
    assert env_ids()[-1] == "theirs/Trips-v0"
    assert gym.make("theirs/Trips-v0").unwrapped.tasks.size == 120


def test_an_id_of_another_suite_is_refused():
    taken = Suite(name="theirs", description="Trips.", environments={"stb/TripBooking-v1": TRIPS})
    with pytest.raises(ConfigError, match=r"^stb/TripBooking-v1 belongs to the suite 'sambanova'; give "):
        taken.register()


@pytest.mark.usefixtures("forgotten")
def test_a_name_that_another_suite_has_is_refused_and_that_suite_stays():
    taken = Suite(name="sandbox", description="Trips.", environments={"theirs/Trips-v0": TRIPS})
    with pytest.raises(ConfigError, match=r"^the suite 'sandbox' is there already, with stb/Sandbox-v1; "):
        taken.register()
    assert "stb/Sandbox-v1" in env_ids()


@pytest.mark.usefixtures("forgotten")
def test_a_suite_that_is_declared_again_replaces_itself():
    for words in ("Trips.", "More trips."):
        Suite(name="theirs", description=words, environments={"theirs/Trips-v0": TRIPS}).register()
    assert [known.description for known in suite.registered() if known.name == "theirs"] == ["More trips."]


@pytest.mark.usefixtures("forgotten")
def test_a_tree_without_metadata_has_the_same_suites(monkeypatch: pytest.MonkeyPatch):
    own = {entry.name for entry in entry_points(group=suite.GROUP) if entry.module.startswith("stb_env.")}
    monkeypatch.setattr(suite, "entry_points", lambda group: ())
    monkeypatch.setattr(suite, "_SUITES", {})
    suite.register_own()
    assert {known.name for known in suite.registered()} == own


def test_an_entry_point_that_is_no_suite_is_named(monkeypatch: pytest.MonkeyPatch):
    wrong = EntryPoint("wrong", "stb_env.usage:NO_USAGE", suite.GROUP)
    monkeypatch.setattr(suite, "entry_points", lambda group: (wrong,))
    with pytest.raises(ConfigError, match=r"^the entry point stb_env.usage:NO_USAGE .* is a Usage; expected"):
        suite.register_own()


@pytest.mark.heavy
@pytest.mark.parametrize("broken", [False, True])
def test_an_installed_package_is_registered_when_ours_is_imported(broken, tmp_path):
    named = (
        "raise RuntimeError('theirs')"
        if broken
        else (
            "from stb_env import Suite\n"
            "ENVIRONMENTS = {'mine/Notes-v0': 'stb_env.testing.notes:notes'}\n"
            "SUITE = Suite(name='mine', description='Mine.', environments=ENVIRONMENTS)\n"
        )
    )
    (tmp_path / "mine_here.py").write_text(named, encoding="utf-8")
    (tmp_path / "mine_here-1.dist-info").mkdir()
    points = "[stb_env.suites]\nmine = mine_here:SUITE\n"
    (tmp_path / "mine_here-1.dist-info" / "entry_points.txt").write_text(points, encoding="utf-8")
    (tmp_path / "mine_here-1.dist-info" / "METADATA").write_text(
        "Name: mine-here\nVersion: 1\n", encoding="utf-8"
    )
    code = "import gymnasium, stb_env; print('mine/Notes-v0' in gymnasium.registry)"
    path = os.pathsep.join(map(str, (ROOT, tmp_path)))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert (done.returncode, done.stdout.strip()) == (0, str(not broken)), done.stderr
