"""The dialogues of our own that come with the package."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.corpus import embedded_corpus
from stb_env.suites.api_bank.formats.samples import cut
from stb_env.suites.api_bank.reproduction import replay
from stb_env.suites.api_bank.retrieval_world import found_names
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.world import ApiBankWorld

ABILITIES = ("Call", "Retrieve", "Plan")


def world_of(corpus):
    return ApiBankWorld(corpus.apis, corpus.databases, searcher=ToolSearcher(corpus.apis.entries))


@pytest.mark.parametrize("ability", ABILITIES)
def test_there_are_at_least_ten_a_level(ability):
    assert len(embedded_corpus(ability).dialogues) >= 10


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
def test_every_recorded_result_is_exactly_what_the_world_answers(ability):
    corpus = embedded_corpus(ability)
    for dialogue in corpus.dialogues:
        for played in replay(dialogue.calls, world_of(corpus)):
            assert played.envelope == played.call.result, (dialogue.name, played.index)


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ["Retrieve", "Plan"])
def test_nothing_is_called_that_no_search_has_found(ability):
    corpus = embedded_corpus(ability)
    for dialogue in corpus.dialogues:
        found = {"ToolSearcher"}
        for played in replay(dialogue.calls, world_of(corpus)):
            assert played.call.name in found, (dialogue.name, played.index)
            found.update(found_names(played.result) if played.call.name == "ToolSearcher" else ())


@pytest.mark.parametrize("ability", ABILITIES)
def test_every_dialogue_has_a_call_and_a_reply_to_it(ability):
    corpus = embedded_corpus(ability)
    assert corpus.without_calls == []
    for dialogue in corpus.dialogues:
        assert {sample.wants_call for sample in cut([dialogue])} == {True, False}, dialogue.name
