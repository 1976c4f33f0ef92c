"""Tasks about films and film people."""

from __future__ import annotations

from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.films import films
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.lookups import find, spoken
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import cine_people, reel_index

_FILMS = Options(lambda: films().values())
_DUOS = Options(lambda: [film for film in _FILMS if len(film["cast_ids"]) == 2])
_PEOPLE = Options(lambda: people().values())
_NAMES = Options(lambda: [row["name"] for row in _PEOPLE])


def _film(title: str) -> Steps[Json]:
    key = (yield from find(reel_index.search_films(title=title), title=title))["film_id"]
    return (yield reel_index.film_details(film_id=key))


@template(reel_index.TOOL, calls=2)
def film_facts(draw: Draw) -> Plan:
    """Running time and release year of a film."""
    title = draw.pick(_FILMS)["title"]

    def solve() -> Solution:
        row = yield from _film(title)
        return Answer.of(
            f"It runs {row['runtime_minutes']} minutes and came out in {row['year']}.",
            facts.integer("runtime_minutes", row["runtime_minutes"]),
            facts.integer("release_year", row["year"]),
        )

    return Plan.of(
        f'How long is the film "{title}", and in which year did it come out?',
        f'Give me the running time in minutes and the release year of "{title}".',
        f'We want to watch "{title}" tonight: how many minutes does it take, and from what year is it?',
        solve=solve,
    )


@template(cine_people.TOOL, calls=2)
def person_birth(draw: Draw) -> Plan:
    """Birth date of a film person."""
    name = draw.pick(_PEOPLE)["name"]

    def solve() -> Solution:
        key = (yield from find(cine_people.search_people(name=name), name=name))["person_id"]
        row = yield cine_people.person_details(person_id=key)
        born = row["birth_date"]
        return Answer.of(f"{name} was born on {spoken(born)}.", facts.date("birth_date", born))

    return Plan.of(
        f"When was {name} from the film business born?",
        f"Tell me the full date of birth of {name}, who works in films.",
        f"I need the birthday, year included, of the film person {name}.",
        solve=solve,
    )


@template(reel_index.TOOL, cine_people.TOOL, calls=3)
def director_birth(draw: Draw) -> Plan:
    """Director of a film, and the director's birth date."""
    title = draw.pick(_FILMS)["title"]

    def solve() -> Solution:
        row = yield from _film(title)
        person = yield cine_people.person_details(person_id=row["director_id"])
        born = person["birth_date"]
        return Answer.of(
            f"{person['name']} directed it, born on {spoken(born)}.",
            facts.name("director", person["name"]),
            facts.date("birth_date", born),
        )

    return Plan.of(
        f'Who directed "{title}", and on what date was that person born?',
        f'Name the director of "{title}" together with the date of birth.',
        f'I am preparing a quiz: director of "{title}" and the director\'s full birth date?',
        solve=solve,
    )


@template(reel_index.TOOL, cine_people.TOOL, calls=4)
def film_cast(draw: Draw) -> Plan:
    """Cast of a film."""
    title = draw.pick(_DUOS)["title"]

    def solve() -> Solution:
        row = yield from _film(title)
        first = yield cine_people.person_details(person_id=row["cast_ids"][0])
        second = yield cine_people.person_details(person_id=row["cast_ids"][1])
        cast = [first["name"], second["name"]]
        return Answer.of(f"The cast is {' and '.join(cast)}.", facts.names("cast", cast))

    return Plan.of(
        f'Who are the actors in "{title}"? Names, please, not ids.',
        f'Name everyone who plays in the film "{title}".',
        f'Give me the full names of the whole cast of "{title}".',
        solve=solve,
    )
