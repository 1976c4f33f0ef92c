"""Writes the user of a task: what they know, and what they say when asked."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from stb_env.suites.worlds.data.blueprint import Blueprint
from stb_env.suites.worlds.data.facts import json_value
from stb_env.suites.worlds.drawing.hiding import Detail, Source, place_of
from stb_env.suites.worlds.episode.user import FactRecord, Pointer, Reply, UserRecord, fact_names
from stb_env.suites.worlds.goals.goal import Goal
from stb_env.suites.worlds.goals.holes import slots
from stb_env.suites.worlds.schema.nouns import forms
from stb_env.suites.worlds.words import blanks
from stb_env.suites.worlds.words.phrases import Phrases


def user_record(blueprint: Blueprint, goal: Goal, details: Sequence[Detail], pick: Random) -> UserRecord:
    """Return the user of a task.

    Args:
        blueprint: The world.
        goal: What is asked.
        details: What the request leaves open.
        pick: Draws words.
    """
    names = fact_names(blueprint)
    facts = {each.about: _fact(blueprint, each, pick) for each in details}
    hidden = {each.slot for each in details}
    told = {
        names[place]
        for slot in slots(goal)
        if slot not in hidden and (place := place_of(blueprint, slot)) in names and names[place] not in facts
    }
    return UserRecord(facts=facts, told=sorted(told))


def _fact(blueprint: Blueprint, detail: Detail, pick: Random) -> FactRecord:
    entity, name = place_of(blueprint, detail.slot)

    def reply(value: int) -> Reply:
        return Reply(says="", value=detail.text or json_value(blueprint, entity, name, value))

    def words(value: int) -> str:
        return detail.text or Phrases(blueprint, pick).value(entity, name, value)

    right = detail.slot.value
    plain: Reply = {**reply(right), "says": blanks.told(words(right), pick)}
    replies = [plain]
    news: Reply | None = None
    if detail.source is not None:
        replies = [pointing(blueprint, detail.source, pick)]
    elif detail.manner == "refuses":
        replies = [Reply(says=blanks.refused(pick)), plain]
    elif detail.wrong is not None and detail.manner == "corrects":
        unsure: Reply = {
            **reply(detail.wrong),
            "says": blanks.unsure(words(detail.wrong), pick),
            "sure": False,
        }
        replies = [unsure, {**plain, "says": blanks.corrected(words(right), pick)}]
    elif detail.wrong is not None:
        replies = [{**reply(detail.wrong), "says": blanks.told(words(detail.wrong), pick)}]
        news = {**plain, "says": blanks.revised(detail.about, words(right), pick), "about": detail.about}
    record = FactRecord(manner=detail.manner, replies=replies)
    if news is not None:
        record["news"] = news
    return record


def pointing(blueprint: Blueprint, source: Source, pick: Random) -> Reply:
    """Return what the user says who knows a record that leads to the value."""
    noun, label = (
        forms(blueprint.entities[source.entity])[0],
        blueprint.label_of(source.entity, source.number),
    )
    phrases = Phrases(blueprint, pick)
    if source.back:
        whose, holder, named = phrases.noun(source.back), source.back, source.path
    else:
        reference, _, named = source.path.partition(".")
        whose = phrases.word(source.entity, reference)
        holder = blueprint.entity_at(source.entity, reference)
    says = blanks.pointed(f"the {whose} of {noun} {label}", pick)
    value = phrases.word(holder, named)
    return Reply(says=says, see=Pointer(record=noun, name=label, whose=whose, value=value))
