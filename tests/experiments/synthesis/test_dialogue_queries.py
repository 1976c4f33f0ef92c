"""Five agents write about the tools of a catalogue, and what they let users say becomes queries."""

from __future__ import annotations

import json

import pytest

from stb_env.core.request import drive
from stb_env.errors import ConfigError
from stb_env.experiments.synthesis import Ability, Pipeline, SandboxAuthor, Settings
from stb_env.experiments.synthesis.catalog_queries import pool_of, queries_of
from stb_env.experiments.synthesis.roles import METHODS
from stb_env.formats.catalog_file import CatalogFile
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.template import templates

TRAINING = [name for name, template in templates().items() if not template.held_out]
TOOLS = next(
    task.tools
    for name in TRAINING
    if len((task := SandboxTasks("train", template=name, distractors=0).at(0)).tools) == 1
)
FILE = CatalogFile(TOOLS)


@pytest.mark.heavy
def test_the_agents_design_no_api_and_their_calls_are_gold_of_the_catalogue():
    settings = Settings((Ability.CALL,), 1, 1)
    authors = {role.name: SandboxAuthor() for role in METHODS["multi"]}
    pipeline = Pipeline(authors, settings=settings, pool=pool_of(FILE), domain="mine")
    dialogue = drive(pipeline.dialogue(0, []))
    assert (dialogue.outcome, dialogue.domain, dialogue.pool) == ("kept", "mine", pool_of(FILE))
    (query,) = queries_of(FILE, [dialogue])
    assert query["query"] == dialogue.query
    assert {call["name"] for call in query["gold"]} == {TOOLS[0].name}
    assert set(query["gold"][0]["arguments"]) <= set(TOOLS[0].parameters["properties"])
    json.dumps(query)


def test_one_writer_alone_would_design_its_own_apis_and_is_refused():
    authors = {role.name: SandboxAuthor() for role in METHODS["single"]}
    with pytest.raises(
        ConfigError, match=r"^with APIs that are there already the method is multi, got single$"
    ):
        Pipeline(authors, method="single", pool=pool_of(FILE))
