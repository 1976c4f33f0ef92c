"""Kits: those that ship pass their check, and the check says what is wrong with a broken one, and where."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from stb_env.suites.worlds.authoring.check_kit import check_kit, sample_sentences
from stb_env.suites.worlds.authoring.check_rules import rule_faults
from stb_env.suites.worlds.schema.kit import KITS, Kit, read_kit

from .sampled import each_kit

SCAFFOLD = files("stb_env.suites.worlds.authoring").joinpath("scaffold.toml").read_text("utf-8")


@pytest.mark.heavy
@pytest.mark.parametrize("name", each_kit())
def test_a_kit_that_ships_passes(name: str) -> None:
    kit = read_kit(KITS / f"{name}.toml")
    assert kit.name == name
    assert check_kit(kit) == []


@pytest.mark.heavy
@pytest.mark.parametrize("name", each_kit())
def test_sample_sentences_are_whole(name: str) -> None:
    said = sample_sentences(read_kit(KITS / f"{name}.toml"))
    assert len(said) == 50
    for sentence in said:
        assert sentence[0].isupper() or sentence.startswith(("1. ", "(1) "))
        assert sentence[-1] in ".?"
        assert "{" not in sentence
        assert "  " not in sentence


def _set(*path: str | int, to: object) -> Callable[[dict[str, Any]], None]:
    def change(kit: dict[str, Any]) -> None:
        part: Any = kit["entities"]
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (_set("pet", "service", to="kitchen"), "entities.pet.service: there is no service 'kitchen'"),
        (_set("pet", "label", to="weight"), "entities.pet.label: 'weight' is no person, title or code"),
        (_set("pet", "key", to="born"), "entities.pet.key: 'born' is no e-mail or code"),
        (_set("pet", "nouns", to=["vet/vets", "pet/pets"]), "'vet/vets' is a noun of 2 entities"),
        (
            _set("pet", "attributes", "born", "words", to=["weight", "birth"]),
            "'weight' is a word of 2 attributes",
        ),
        (_set("pet", "attributes", "owner", "to", to="stable"), "there is no entity 'stable'"),
        (
            _set("pet", "attributes", "owner", "say", to=["of {v}", "by {np}", "with {np}"]),
            "entities.pet.attributes.owner.say: 'of {v}' must have the slots ['np'], got ['v']",
        ),
        (
            _set("pet", "attributes", "weight", "over_say", to=["over {v}", "above {v}"]),
            "over_say: must have 3 different phrases or more, got 2",
        ),
        (
            _set("pet", "attributes", "neutered", "say", to=["that are done", "a mark", "with it"]),
            "'that are done' fits one number alone",
        ),
        (_set("claim", "attributes", "filed", "after", to="visit.fee"), "'visit.fee' leads to no day"),
        (_set("claim", "actions", "deny", "target", to="lost"), "'status' has no state 'lost'"),
        (_set("claim", "queues", "settling", "otherwise", to="burn"), "'burn' is no transition of claim"),
        (
            _set("claim", "queues", "settling", "rules", 0, "text", to="No {zebra} is for {free} today."),
            "a slot stands for nothing: 'zebra'",
        ),
        (
            _set("claim", "queues", "settling", "rules", 0, "text", to="Claims without receipts go back."),
            "leaves out the number 'free'",
        ),
        (
            _set("claim", "queues", "settling", "rules", 0, "unless", 0, "left", to="visit.horse.kind"),
            "'visit.horse.kind' leads to no attribute of claim",
        ),
        (
            _set("claim", "queues", "settling", "rules", 0, "unless", 0, "right", to="picnic"),
            "visit.kind is never 'picnic'",
        ),
        (
            _set("claim", "queues", "settling", "rules", 0, "unless", 0, "right", to="vaccination "),
            "visit.kind is never 'vaccination '",
        ),
        (
            _set("pet", "attributes", "weight", "by", "path", to="born"),
            "entities.pet.attributes.weight.by.path: 'born' leads to no category, state or flag",
        ),
        (
            _set("pet", "attributes", "weight", "by", "values", to={"cat": [2], "horse": [2, 8]}),
            "entities.pet.attributes.weight.by.values.cat: must be 2 numbers, got 1",
        ),
        (
            _set("pet", "attributes", "weight", "by", "values", to={"horse": [2, 8]}),
            "entities.pet.attributes.weight.by: species is never 'horse'",
        ),
        (
            _set(
                "visit",
                "actions",
                "remove",
                to={"type": "delete", "verbs": ["a/b", "c/d"], "say": ["do {np}"] * 3},
            ),
            "entities.visit.actions.remove: rows of claim refer to visit, so none can be deleted",
        ),
        (
            _set("claim", "actions", "file_new", "fields", to=["amount", "visit", "filed", "receipt"]),
            "entities.claim.actions.file_new.fields: the first must be a reference, got 'amount'",
        ),
        (
            _set("claim", "actions", "file_new", "start", to={}),
            "entities.claim.actions.file_new: never offered: no new row has 'status'",
        ),
        (
            _set("pet", "attributes", "weight", "words", to=["lowest weight", "weight"]),
            "entities.pet.attributes.weight.words: 'lowest weight' begins with 'lowest'",
        ),
        (
            _set("pet", "attributes", "born", "before_say", to=["until before {v}", "b {v}", "c {v}"]),
            "entities.pet.attributes.born.before_say: nobody says 'until before'",
        ),
        (
            _set("pet", "attributes", "born", "after_say", to=["here since after {v}", "b {v}", "c {v}"]),
            "entities.pet.attributes.born.after_say: nobody says 'since after'",
        ),
        (
            _set("visit", "attributes", "fee", "under_say", to=["over a fee below {v}", "b {v}", "c {v}"]),
            "entities.visit.attributes.fee.under_say: nobody says 'over a fee below'",
        ),
        (
            _set(
                "pet",
                "actions",
                "record_weight",
                "say",
                to=["give {np} {v} of weight", "b {np} {v}", "c {np} {v}"],
            ),
            "entities.pet.actions.record_weight.say: nobody says 'give {np} {v} of'",
        ),
        (
            _set("pet", "attributes", "owner", "many", to=["with {np} open", "of {np} here", "by {np} now"]),
            "entities.pet.attributes.owner.many: one phrase or more must end in {np}",
        ),
        (
            _set("claim", "queues", "settling", "rules", 0, "text", to="{free} {claim.plural} are free."),
            "begins with a number",
        ),
        (
            _set(
                "claim",
                "queues",
                "settling",
                "rules",
                0,
                "when",
                to=[{"left": "status", "op": "=", "right": "@visit.kind"}],
            ),
            "status and visit.kind",
        ),
        (
            _set("visit", "attributes", "fee", "digits", to=0),
            "amount and visit.fee differ in type or in digits",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change: Callable[[dict[str, Any]], None], fault: str) -> None:
    data = tomllib.loads((KITS / "vet_clinic.toml").read_text("utf-8"))
    broken = copy.deepcopy(data)
    change(broken)
    faults = check_kit(Kit.model_validate(broken))
    assert any(fault in each for each in faults), faults


@pytest.mark.parametrize("name", ["library", "warehouse", "n_pet_hotel"])
def test_a_rule_that_decides_enough_passes_whatever_the_kit_is_called(name: str) -> None:
    """In the first worlds the exception decides too few rows by chance; in more it does decide enough."""
    text = SCAFFOLD.replace("weights = [4, 3, 3]", "weights = [5, 3, 1]").replace("[40, 70]", "[60, 90]")
    for each in (SCAFFOLD, text):
        kit = Kit.model_validate({**tomllib.loads(each), "name": name})
        assert list(rule_faults(kit)) == []


@pytest.mark.heavy
def test_a_rule_that_decides_nothing_is_found() -> None:
    data = tomllib.loads((KITS / "vet_clinic.toml").read_text("utf-8"))
    rules = data["entities"]["claim"]["queues"]["settling"]["rules"]
    rules[1]["numbers"]["days"] = [5000, 6000]
    assert any("ignores rule 2" in fault for fault in check_kit(Kit.model_validate(data)))
