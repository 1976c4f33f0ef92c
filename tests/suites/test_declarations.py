"""What each suite declares of itself is there."""

from __future__ import annotations

import pkgutil
from importlib.resources import files

import pytest
from gymnasium.envs.registration import registry

from stb_env import suites
from stb_env.core.reference import load_object
from stb_env.fetch.sources import read_sources
from stb_env.runs.baselines.registry import named_agents
from stb_env.runs.make import make_env
from stb_env.suite import Suite, registered, resolved

FOLDERS = sorted(found.name for found in pkgutil.iter_modules(suites.__path__))
REFERENCES = ("oracle", "demonstrations", "tables", "inspect", "checks", "commands")


@pytest.fixture(params=FOLDERS)
def suite(request: pytest.FixtureRequest) -> Suite:
    declared = load_object(f"stb_env.suites.{request.param}.suite:SUITE")
    assert isinstance(declared, Suite)
    return declared


def test_the_suite_has_the_name_of_its_folder_and_is_registered(request: pytest.FixtureRequest, suite: Suite):
    assert suite.name == request.node.callspec.params["suite"]
    assert suite in registered()


def test_every_reference_leads_somewhere(suite: Suite):
    named = [getattr(suite, name) for name in REFERENCES if getattr(suite, name) is not None]
    for reference in (*named, *suite.exports.values(), *suite.agents.values()):
        assert resolved(reference) is not None


def test_every_environment_is_registered_and_has_a_split_of_each_name(suite: Suite):
    for env_id in suite.environments:
        assert env_id in registry
    env_id = next(iter(suite.environments))
    for split in suite.splits:
        assert make_env(env_id, {"split": split} if suite.splits != ("test",) else {}).tasks.at(0).id


def test_prompts_official_data_and_agents_are_known(suite: Suite):
    if suite.prompts:
        assert any(files(suite.prompts).joinpath("prompts").iterdir())
    assert set(suite.data) <= set(read_sources().datasets)
    assert suite.agents.keys() <= named_agents().keys()


def test_needs_are_of_environments_that_it_has(suite: Suite):
    assert suite.needs.keys() <= {"", *suite.environments}
