"""The dialogues that are composed of the APIs and the databases."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.argument_origins import origins
from stb_env.suites.api_bank.composer.splits import SIZES, composed, signature_of
from stb_env.suites.api_bank.corpus import embedded_corpus
from stb_env.suites.api_bank.formats.dialogues import Utterance
from stb_env.suites.api_bank.reproduction import replay
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.world import ApiBankWorld

ABILITIES = ("Call", "Retrieve", "Plan")
SPLITS = ("test", "train")


def said(dialogue):
    return [item for item in dialogue.items if isinstance(item, Utterance) and item.speaker == "User"]


@pytest.mark.heavy
@pytest.mark.parametrize("ability", ABILITIES)
def test_there_are_at_least_a_hundred_a_level_in_each_split(ability):
    for split in SPLITS:
        assert len(embedded_corpus(ability, split).dialogues) >= max(100, SIZES[split])


@pytest.mark.parametrize("ability", ABILITIES)
@pytest.mark.parametrize("split", SPLITS)
def test_every_argument_of_every_call_stands_in_the_dialogue(ability, split):
    for dialogue in embedded_corpus(ability, split).dialogues:
        if "-t" not in dialogue.name:
            continue
        for call, origin in zip(dialogue.calls, origins(dialogue), strict=True):
            assert origin.loose == {}, (dialogue.name, call.name)


@pytest.mark.parametrize("ability", ABILITIES)
def test_every_result_of_the_training_split_is_what_the_world_answers(ability):
    corpus = embedded_corpus(ability, "train")
    world = ApiBankWorld(corpus.apis, corpus.databases, searcher=ToolSearcher(corpus.apis.entries))
    for dialogue in corpus.dialogues:
        for played in replay(dialogue.calls, world):
            assert played.envelope == played.call.result, (dialogue.name, played.index)


@pytest.mark.parametrize("ability", ABILITIES)
def test_no_test_dialogue_recurs_in_training_and_none_recurs_at_all(ability):
    tests, trains = (embedded_corpus(ability, split).dialogues for split in SPLITS)
    signatures = [signature_of(dialogue) for dialogue in (*tests, *trains)]
    assert len(set(signatures)) == len(signatures)
    assert {d.items[0].text for d in tests if len(said(d)) == 1}.isdisjoint(
        d.items[0].text for d in trains if len(said(d)) == 1
    )


@pytest.mark.parametrize("ability", ABILITIES)
def test_most_conversations_have_several_turns(ability):
    dialogues = embedded_corpus(ability).dialogues
    assert sum(len(said(dialogue)) > 1 for dialogue in dialogues) > len(dialogues) / 2


def test_nearly_every_api_of_both_sets_is_called_in_the_tests():
    called = {
        call.name for a in ABILITIES for dialogue in embedded_corpus(a).dialogues for call in dialogue.calls
    }
    known = {name for ability in ABILITIES for name in embedded_corpus(ability).apis.apis}
    assert known - called <= {"CheckToken", "DocumentQA", "ModifyAgenda", "ModifyMeeting", "ModifyScene"}


@pytest.mark.heavy
@pytest.mark.parametrize("level", [1, 2, 3])
def test_equal_splits_are_equal_dialogues(level):
    assert composed(level, "test") == composed(level, "test")
