"""One right answer: no drawn task hangs on a choice between rows that tie."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import groupby, islice
from random import Random

import pytest

from stb_env import seeding
from stb_env.core.answers import same
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.catalog import household
from stb_env.suites.sandbox.content.edition import Options, within
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.generator import Instance, _instances
from stb_env.suites.sandbox.template import (
    Answer,
    Draw,
    Plan,
    Template,
    ranked,
    templates,
    twin_templates,
)
from stb_env.suites.sandbox.tools import stay_finder

EVERY = {**templates(), **twin_templates()}
DRAWS = 6
# Documented as "in order": the third track is the third row.
ORDERED = "tracks"
# The size is there or not; the stock beside it is no rival.
BOUNDS = {"exchange_or_else"}
Change = Callable[[Json], Json]
_ISO, _CLOCK = re.compile(r"\d{4}-\d\d-\d\d.*"), re.compile(r"\d\d:\d\d")
_TWELVE = re.compile(r"(\d+):(\d\d) ([AP])M")


def answer(instance: Instance, change: Change) -> Answer:
    """Run an instance's solution on responses that were changed."""
    with within(instance.draw.household // COUNT):
        state, solution = household(instance.draw.household), instance.plan.solve()
        try:
            request = next(solution)
            while True:
                try:
                    response, state = request.api.run(state, request.arguments)
                except ApiError as error:
                    request = solution.throw(error)
                else:
                    request = solution.send(change(response))
        except StopIteration as stop:
            return stop.value


def moment(key: str, value: Json) -> str | None:
    """Return what a row is listed by, where a value is of that sort, as text that sorts."""
    if isinstance(value, str):
        if _ISO.fullmatch(value) or _CLOCK.fullmatch(value):
            return value
        if match := _TWELVE.fullmatch(value):
            return f"{int(match[1]) % 12 + 12 * (match[3] == 'P'):02}:{match[2]}"
    return f"{value:06}" if isinstance(value, int) and key in ("year", "round", "position") else None


def shuffled(response: Json) -> Json:
    """Reverse every list of rows as far as the documented order by time leaves it open."""
    if isinstance(response, dict):
        return {key: value if key == ORDERED else shuffled(value) for key, value in response.items()}
    if not isinstance(response, list) or not all(isinstance(row, dict) for row in response):
        return response
    columns = []
    for key in response[0] if response else ():
        column = [moment(key, row.get(key)) for row in response]
        if None not in column and column in (sorted(column), sorted(column, reverse=True)):
            columns.append(column)
    if not columns:
        return response[::-1]
    places = groupby(range(len(response)), key=lambda place: [column[place] for column in columns])
    return [response[place] for _, group in places for place in reversed(list(group))]


def numbers(response: Json, key: str = ""):
    if isinstance(response, dict):
        for name, value in response.items():
            yield from numbers(value, name)
    elif isinstance(response, list):
        for value in response:
            yield from numbers(value, key)
    elif isinstance(response, int | float) and not isinstance(response, bool):
        yield key, response


def nudged(counts: Counter, rng: Random) -> Change:
    """Return a change that lifts by a hair every number that stands twice under its key."""

    def nudge(response: Json, key: str = "") -> Json:
        if isinstance(response, dict):
            return {name: nudge(value, name) for name, value in response.items()}
        if isinstance(response, list):
            return [nudge(value, key) for value in response]
        twice = isinstance(response, int | float) and not isinstance(response, bool)
        return response + rng.random() * 1e-6 if twice and counts[key, response] > 1 else response

    return nudge


def differ(one: Answer, other: Answer) -> bool:
    """Return whether two answers have other facts, rounding aside."""
    return one.gap != other.gap or any(
        fact.name != changed.name
        or not same(
            {**fact.schema, "tolerance": 2 * fact.schema.get("tolerance", 0) + 1e-3},
            fact.value,
            changed.value,
        )
        for fact, changed in zip(one.facts, other.facts, strict=True)
    )


def ties(template: Template, split: str, count: int) -> list[str]:
    """Return the queries whose answer hangs on the order of rows or on a hair."""
    rng, found = seeding.rng("ties", template.name), []
    for instance in islice(_instances(split, template, rng), count):
        counts: Counter = Counter()
        answer(instance, lambda response, counts=counts: counts.update(numbers(response)) or response)
        changes = [shuffled]
        if template.name not in BOUNDS and max(counts.values(), default=0) > 1:
            changes += [nudged(counts, rng)]
        if any(differ(instance.solved.answer, answer(instance, change)) for change in changes):
            found.append(instance.query)
    return found


def split_of(template: Template) -> str:
    return "missing" if template.twins else "test" if template.held_out else "train"


@pytest.mark.parametrize("name", EVERY)
def test_no_answer_hangs_on_a_tie(name):
    assert ties(EVERY[name], split_of(EVERY[name]), DRAWS) == []


_CITIES = Options(lambda: [row["name"] for row in cities().values()])


def _hotel_of_most_stars(draw: Draw, *, decided: bool) -> Plan:
    name = draw.pick(_CITIES)

    def solve():
        rows = (yield stay_finder.search_hotels(city_name=name))["results"]
        ordered = sorted(rows, key=lambda row: -row["stars"])
        best = ranked(rows, lambda row: row["stars"], most=True) if decided else ordered
        return Answer("", [facts.name("hotel", best[0]["name"])])

    return Plan([f"Which hotel in {name} has the most stars?"], solve)


@pytest.mark.parametrize("decided", [False, True])
def test_a_planted_tie_is_caught_unless_the_draw_decides_it(decided):
    draw = partial(_hotel_of_most_stars, decided=decided)
    planted = Template("planted", draw, (stay_finder.TOOL,), 1, (), "I1-Instruction")
    assert bool(ties(planted, "train", 20)) is not decided
