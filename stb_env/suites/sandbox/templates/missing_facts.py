"""Twins about facts: of what there is and what there is not, with every detail and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.cannot import Gap, left_out, no_tool, not_found
from stb_env.suites.sandbox.content.companies import companies
from stb_env.suites.sandbox.content.currencies import currencies
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.films import films
from stb_env.suites.sandbox.content.languages import LANGUAGES
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.recipes import recipes
from stb_env.suites.sandbox.content.vocabulary import words
from stb_env.suites.sandbox.facts import Fact
from stb_env.suites.sandbox.lookups import exchanged, find_any
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, refusal, twins
from stb_env.suites.sandbox.tools import (
    city_atlas,
    company_register,
    home_recipes,
    phrase_bridge,
    rate_board,
    reel_index,
    stock_tape,
    word_hoard,
)

_NO_CITIES = (
    "Askelmar", "Baltawick", "Coralbury", "Derbagate", "Hoshiford", "Karvestead", "Kirimere", "Marrowlund",
    "Minakawa", "Nordhama", "Oskby", "Pellnat", "Quintalik", "Shahholm", "Skarnbay", "Thornrun", "Veldcruz",
)  # fmt: skip
_NO_WORDS = (
    "babbister", "baccord", "clemmunt", "crollosk", "drorrath", "fickledle", "flazzon", "gummuster",
    "mobbisk", "plickleth", "prerrawn", "stazzorn", "striffle", "tribbidle", "trimmunk", "vezzoster",
)  # fmt: skip
_CODES = Options(lambda: sorted(currencies()))


def recombined(names: Sequence[str]) -> list[str]:
    """Return what the beginnings and last words of names give that is none of the names.

    Examples:
        >>> recombined(["Ada Lind", "Bo Kerr"])
        ['Ada Kerr', 'Bo Lind']
    """
    parts = [name.rpartition(" ") for name in names]
    made = {f"{first} {last}" for (first, _, _), (_, _, last) in product(parts, parts)}
    return sorted(made.difference(names))


class _Shelf(NamedTuple):
    """Things that are found by name, and what is known of each.

    Attributes:
        thing: What they are, as `cannot.REASONS` has it.
        names: The names of all.
        others: Names of the same kind that nothing has.
        said: How a query names one.
        search: Finds them by name.
        columns: The columns of its results that hold name and id.
        details: Tells what is known by id.
        known: A part of the query and the fact that answers it, made of what the details say.
        looks: Further calls that find them by name.
    """

    thing: str
    names: Sequence[str]
    others: Sequence[str]
    said: str
    search: Callable[[str], ApiCall]
    columns: tuple[str, str]
    details: Callable[[str], ApiCall]
    known: Mapping[str, Callable[[JsonObject], Fact]]
    looks: Callable[[str], Sequence[ApiCall]] = lambda _: ()


def _fact_of(draw: Draw, gap: Gap, shelf: _Shelf) -> Plan:
    what = draw.pick(list(shelf.known))
    name = draw.pick(shelf.others if gap else shelf.names)
    label, key = shelf.columns

    def solve() -> Solution:
        found = yield from find_any(shelf.search(name), **{label: name})
        if found is None:
            return refusal(gap)
        fact = shelf.known[what]((yield shelf.details(found[key])))
        return Answer.of(f"The {what} of {name} is {fact.value}.", fact)

    said = shelf.said.format(name)
    return Plan.of(
        f"What is the {what} of {said}?",
        f"I am writing about {said}: look up the {what}.",
        f"Find {said} and tell me the {what}.",
        solve=solve,
        looks=[shelf.search(name), *shelf.looks(name)],
    )


def _named(rows: Callable[[], Mapping[str, Mapping[str, object]]]) -> tuple[Options[str], Options[str]]:
    """Return the names of rows, and names like them that no row has."""
    names = Options(lambda: [str(row["name"]) for row in rows().values()])
    return names, Options(lambda: recombined(names))


_CITY = _Shelf(
    "city",
    _named(cities)[0],
    _NO_CITIES,
    "the city of {}",
    lambda name: city_atlas.search_cities(query=name),
    ("name", "city_id"),
    lambda key: city_atlas.city_details(city_id=key),
    {
        "population": lambda row: facts.integer("population", row["population"]),
        "elevation in metres": lambda row: facts.integer("elevation_m", row["elevation_m"]),
    },
)
_TITLES = Options(lambda: [str(row["title"]) for row in films().values()])
_FILM = _Shelf(
    "film",
    _TITLES,
    Options(lambda: recombined(_TITLES)),
    'the film "{}"',
    lambda name: reel_index.search_films(title=name),
    ("title", "film_id"),
    lambda key: reel_index.film_details(film_id=key),
    {
        "running time in minutes": lambda row: facts.integer("runtime_minutes", row["runtime_minutes"]),
        "release year": lambda row: facts.integer("release_year", row["year"]),
    },
)
_COMPANY = _Shelf(
    "company",
    *_named(companies),
    "the company {}",
    lambda name: stock_tape.search_symbols(company=name),
    ("company", "symbol"),
    lambda key: stock_tape.latest_price(symbol=key),
    {"latest share price": lambda row: facts.number("closing_price", row["close"], "in AUR")},
    lambda name: (company_register.search_companies(name=name),),
)
_RECIPE = _Shelf(
    "recipe",
    *_named(recipes),
    'the recipe "{}"',
    lambda name: home_recipes.search_recipes(name=name),
    ("name", "recipe_id"),
    lambda key: home_recipes.recipe_details(recipe_id=key),
    {
        "preparation time": lambda row: facts.integer("prep_minutes", row["prep_minutes"], "in minutes"),
        "cooking time": lambda row: facts.integer("cook_minutes", row["cook_minutes"], "in minutes"),
    },
)


_SHELVES = {
    "city_fact": (city_atlas.TOOL, _CITY),
    "film_fact": (reel_index.TOOL, _FILM),
    "company_price": (stock_tape.TOOL, _COMPANY),
    "recipe_fact": (home_recipes.TOOL, _RECIPE),
}
for _name, (_tool, _shelf) in _SHELVES.items():
    twins(_tool, calls=2, gaps=[not_found(_shelf.thing)], name=_name)(partial(_fact_of, shelf=_shelf))


@twins(word_hoard.TOOL, calls=1, gaps=[not_found("word")])
def word_year(draw: Draw, gap: Gap) -> Plan:
    """Since when a word is known that the dictionary has or has not."""
    word = draw.pick(_NO_WORDS if gap else sorted(words()))

    def solve() -> Solution:
        try:
            row = yield word_hoard.word_history(word=word)
        except ApiError:
            return refusal(gap)
        year = row["first_recorded"]
        return Answer.of(f"Since {year}.", facts.integer("first_recorded_year", year))

    return Plan.of(
        f'In which year was the word "{word}" first recorded?',
        f'How old is the word "{word}"? Give me the year in which it was first recorded.',
        f'My neighbour said "{word}". Look up the year of the first record of that word.',
        solve=solve,
        looks=[
            word_hoard.word_history(word=word),
            word_hoard.define(word=word),
            word_hoard.words_starting(prefix=word),
        ],
    )


@twins(
    phrase_bridge.TOOL,
    calls=1,
    gaps=[no_tool("translate", *phrase_bridge.TOOL.apis), *left_out("language")],
    offers=[word_hoard.define],
)
def translate_word(draw: Draw, gap: Gap) -> Plan:
    """Translate a word into a language that is told or not, with a tool or none."""
    word, language = draw.pick(sorted(words())), draw.pick(LANGUAGES)
    use = draw.pick(("a birthday card", "a crossword", "a sign", "a tattoo"))
    target = gap.unless("language", language) or "the language of our guests"

    def solve() -> Solution:
        foreign = (yield phrase_bridge.from_english(word=word, language=language))["translation"]
        return Answer.of(f"It is {foreign}.", facts.name("translation", foreign))

    return Plan.of(
        f'What is the word for "{word}" in {target}? It is for {use}.',
        f'For {use}: translate "{word}" into {target}, please.',
        f'I need "{word}" in {target} for {use}.',
        solve=solve,
    )


@twins(
    rate_board.TOOL,
    calls=1,
    gaps=[
        no_tool("convert", rate_board.convert_amount, rate_board.get_rate),
        *left_out("amount", "currency"),
    ],
    offers=[rate_board.list_currencies],
)
def change_money(draw: Draw, gap: Gap) -> Plan:
    """Convert money, with or without amount and currency, with a tool or none."""
    source, target = draw.pick_some(_CODES, 2)
    number = draw.between(35, 4_000)
    amount = gap.unless("amount", f"{number}") or "my"
    wanted = gap.unless("currency", target) or "foreign money"

    def solve() -> Solution:
        got = yield from exchanged(number, target, source)
        fact = facts.number("amount", got, "in the currency asked for, to two decimals", tolerance=0.01)
        return Answer.of(f"You get {got} {target}.", fact)

    return Plan.of(
        f"What do I get if I change {amount} {source} into {wanted}?",
        f"Convert {amount} {source} into {wanted} at today's rate.",
        f"How much {wanted} will the bank hand me for {amount} {source}?",
        solve=solve,
    )
