"""Tasks about books: the library, their authors and the bookshop."""

from __future__ import annotations

import math
from itertools import combinations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.books import BRANCHES, FORMATS, authors, books, branches, works
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.lookups import city_id, days, find, long_date, spoken
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, ranked, template
from stb_env.suites.sandbox.tools import author_index, city_atlas, city_library, date_reckoner, spine_and_co

_BOOKS = Options(lambda: books().values())
_AUTHORS = Options(lambda: authors().values())
_CITIES = Options(lambda: [city["name"] for city in cities().values()])
# Author and a span of years that at least two of the author's books fall into.
_SPANS = Options(
    lambda: sorted(
        {
            (author["name"], one["year"] - before, two["year"] + after)
            for author in _AUTHORS
            for one, two in combinations(works()[author["author_id"]], 2)
            for before in range(3)
            for after in range(3)
        }
    )
)
_OPEN = Options(
    lambda: [
        (branch, when)
        for branch in BRANCHES
        for when in days(3, 150)
        if branches()[branch]["hours"][WEEKDAYS[when.weekday()]]
    ]
)


def _book_id(title: str) -> Steps[str]:
    return str((yield from find(city_library.search_catalogue(title=title), title=title))["book_id"])


def _author_id(name: str) -> Steps[str]:
    return str((yield from find(author_index.search_authors(name=name), name=name))["author_id"])


def _author_of(title: str) -> Steps[JsonObject]:
    """Look up the author of a book by its title; three calls."""
    row = yield city_library.book_record(book_id=(yield from _book_id(title)))
    return dict((yield author_index.author_details(author_id=row["author_id"])))


@template(city_library.TOOL, calls=2)
def shelf_check(draw: Draw) -> Plan:
    """A book on a branch's shelf, and its shelf mark."""
    title, branch = draw.pick(_BOOKS)["title"], draw.pick(BRANCHES)

    def solve() -> Solution:
        row = yield city_library.holdings(book_id=(yield from _book_id(title)))
        there = row["on_shelf"].get(branch, 0) > 0
        polarity = "Yes" if there else "No"
        return Answer.of(
            f"{polarity}; the shelf mark is {row['shelf_mark']}.",
            facts.yes_no("is_on_shelf", there),
            facts.code("shelf_mark", row["shelf_mark"]),
        )

    return Plan.of(
        f'Is a copy of "{title}" on the shelf at the {branch} branch right now? Also give the shelf mark of '
        "the book.",
        f'I could drop by the {branch} branch. Does it have "{title}" on the shelf, and what is the mark '
        "under which the library keeps it?",
        f'Check "{title}" for me: available at {branch} this moment? And its shelf mark, please.',
        solve=solve,
    )


@template(date_reckoner.TOOL, city_library.TOOL, calls=2)
def branch_closing(draw: Draw) -> Plan:
    """Opening hours of a branch on a date."""
    branch, when = draw.pick(_OPEN)

    def solve() -> Solution:
        weekday = (yield date_reckoner.weekday_of(date=when.isoformat()))["weekday"]
        row = yield city_library.opening_hours(branch=branch, weekday=weekday)
        return Answer.of(
            f"It is open from {row['opens']} to {row['closes']}.",
            facts.time("opening_time", row["opens"]),
            facts.time("closing_time", row["closes"]),
        )

    return Plan.of(
        f"From when to when is the library's {branch} branch open on {long_date(when)}?",
        f"I have a book to return on {when}. Between which times is the {branch} branch open that day?",
        f"Opening and closing time of the {branch} library branch for {long_date(when)}?",
        solve=solve,
    )


@template(city_library.TOOL, author_index.TOOL, calls=6)
def older_author(draw: Draw) -> Plan:
    """The older author of two books, and the birth date."""
    first = draw.pick(_BOOKS)
    second = draw.pick([row for row in _BOOKS if row["author_id"] != first["author_id"]])

    def solve() -> Solution:
        one = yield from _author_of(first["title"])
        two = yield from _author_of(second["title"])
        older = ranked((one, two), lambda row: str(row["birth_date"]))[0]
        born = older["birth_date"]
        return Answer.of(
            f"{older['name']} is older, born on {spoken(born)}.",
            facts.name("author", older["name"]),
            facts.date("birth_date", born),
        )

    return Plan.of(
        f'Of the authors of "{first["title"]}" and "{second["title"]}", who was born first, and on what '
        "date? Name that one only.",
        f'Find the older of the two writers behind "{first["title"]}" and "{second["title"]}": just that '
        "name, with the full birth date.",
        f'Which author is the elder, that of "{first["title"]}" or that of "{second["title"]}"? Give the '
        "elder's name and date of birth and leave the other out.",
        solve=solve,
    )


@template(author_index.TOOL, calls=2, unseen=True)
def works_between(draw: Draw) -> Plan:
    """Books that an author published in some years."""
    name, first, last = draw.pick(_SPANS)

    def solve() -> Solution:
        page = yield author_index.works_of(author_id=(yield from _author_id(name)))
        fitting = [row["title"] for row in page["results"] if first <= row["year"] <= last]
        if len(fitting) == page["total"]:
            raise Undecided
        return Answer.of(f"These are {'; '.join(fitting)}.", facts.names("titles", fitting))

    return Plan.of(
        f"Which books did {name} publish from {first} to {last}? Titles of those years only.",
        f"List everything by {name} that came out between {first} and {last}, both included, and nothing "
        "else.",
        f"I want the titles of {name}'s books of the years {first} to {last}.",
        solve=solve,
    )


@template(author_index.TOOL, city_library.TOOL, calls=4)
def reading_days(draw: Draw) -> Plan:
    """Days that it takes to read two books of an author."""
    name, pace = draw.pick(_AUTHORS)["name"], draw.between(8, 60)

    def solve() -> Solution:
        page = yield author_index.works_of(author_id=(yield from _author_id(name)))
        pages = 0
        for row in (page["results"][0], page["results"][-1]):
            pages += (yield city_library.book_record(book_id=row["book_id"]))["pages"]
        needed = math.ceil(pages / pace)
        return Answer.of(
            f"It takes {needed} days for {pages} pages.",
            facts.integer("pages", pages, "of both books"),
            facts.integer("finishing_day", needed, "counted from 1"),
        )

    return Plan.of(
        f"I read {pace} pages a day. How many pages have the first and the latest book of {name} together, "
        "and on which day, counted from 1, do I finish both?",
        f"How many pages are {name}'s earliest and most recent book together, and on which day of reading "
        f"(the first is day 1) am I through with both at {pace} pages a day?",
        f"Add the pages of the oldest and the newest work by {name}. At {pace} pages daily, on which day, "
        "counted from 1, do I turn the last page? The sum and the number of the day, please.",
        solve=solve,
    )


@template(city_library.TOOL, author_index.TOOL, city_atlas.TOOL, calls=6)
def birthplace_distance(draw: Draw) -> Plan:
    """Birthplace of a book's author, and its distance from a city."""
    title, home = draw.pick(_BOOKS)["title"], draw.pick(_CITIES)

    def solve() -> Solution:
        author = yield from _author_of(title)
        birthplace = (yield city_atlas.city_details(city_id=author["birth_city_id"]))["name"]
        if birthplace == home:
            raise Undecided
        here = yield from city_id(home)
        row = yield city_atlas.distance_between(first_city_id=here, second_city_id=author["birth_city_id"])
        return Answer.of(
            f"The author was born in {birthplace}, {row['distance']} km away.",
            facts.name("birthplace", birthplace),
            facts.number("distance_km", row["distance"], "rounded to one decimal"),
        )

    return Plan.of(
        f'In which city was the author of "{title}" born, and how many kilometres is it from {home}?',
        f'I live in {home} and love "{title}". Where was its author born, and how far from me is that in km, '
        "as the crow flies?",
        f'Name the birthplace of whoever wrote "{title}" and its straight-line distance to {home} in '
        "kilometres.",
        solve=solve,
    )


@template(author_index.TOOL, date_reckoner.TOOL, calls=5, unseen=True)
def author_age_gap(draw: Draw) -> Plan:
    """Days between the births of two authors."""
    one, two = (row["name"] for row in draw.pick_some(_AUTHORS, 2))

    def solve() -> Solution:
        births = []
        for name in (one, two):
            row = yield author_index.author_details(author_id=(yield from _author_id(name)))
            births.append(row["birth_date"])
        row = yield date_reckoner.days_between(first_date=births[0], second_date=births[1])
        gap, older = abs(row["days"]), births[0] < births[1]
        polarity = "Yes" if older else "No"
        return Answer.of(
            f"{polarity}; {gap} days lie between their births.",
            facts.yes_no("was_born_first", older, "whether the author named first was born first"),
            facts.integer("days_between", gap, "at least 0"),
        )

    return Plan.of(
        f"Is the writer {one} older than the writer {two}, and how many days lie between their births?",
        f"Was the author {one} born before {two}, who writes as well? Tell me the gap in days, too.",
        f"Compare the birth dates of the authors {one} and {two}: is {one} the elder, and by how many days "
        "do they differ?",
        solve=solve,
    )


_TITLES = Options(lambda: [row["title"] for row in books().values()])


def _articles(title: str) -> Steps[dict[str, str]]:
    """Look up the article numbers of a title by format."""
    page = yield spine_and_co.find_editions(words=title)
    return {row["format"]: row["article_number"] for row in page["results"] if row["title"] == title}


@template(spine_and_co.TOOL, calls=2)
def bulk_order(draw: Draw) -> Plan:
    """Price of several copies of a book."""
    title, form, copies = draw.pick(_TITLES), draw.pick(FORMATS), draw.between(2, 40)

    def solve() -> Solution:
        number = (yield from _articles(title))[form]
        cents = (yield spine_and_co.quote_copies(article_number=number, copies=copies))["total_cents"]
        return Answer.of(f"They cost {cents / 100:.2f} AUR.", facts.number("total", cents / 100, "in AUR"))

    return Plan.of(
        f'What do {copies} copies of "{title}" as {form} cost altogether, in aurel?',
        f'Our reading circle needs "{title}" ({form}) {copies} times. Total price in AUR, discount included?',
        f'Quote {copies} x "{title}", {form}: the sum in aurel rather than cents, please.',
        solve=solve,
    )


@template(spine_and_co.TOOL, calls=5)
def cheapest_edition(draw: Draw) -> Plan:
    """The cheapest (or dearest) format of a book, and the price of several copies."""
    title, wording, copies = draw.pick(_TITLES), draw.pick(("cheapest", "dearest")), draw.between(2, 15)

    def solve() -> Solution:
        numbers = yield from _articles(title)
        prices = {}
        for form, number in numbers.items():
            prices[form] = (yield spine_and_co.edition_facts(article_number=number))["price_cents"]
        best = (min if wording == "cheapest" else max)(prices, key=lambda form: prices[form])
        quote = yield spine_and_co.quote_copies(article_number=numbers[best], copies=copies)
        total = quote["total_cents"] / 100
        return Answer.of(
            f"The {best} is the {wording}; together that is {total:.2f} AUR.",
            facts.choice("format", best, FORMATS),
            facts.number("total", total, "in AUR"),
        )

    return Plan.of(
        f'Which format of "{title}" is the {wording} in the bookshop, and what do {copies} copies of it cost '
        "in aurel?",
        f'Find the {wording} edition of "{title}": which format is it, and how many AUR are {copies} of '
        "them?",
        f'I need {copies} copies of "{title}" in its {wording} format. Tell me that format and the total in '
        "aurel.",
        solve=solve,
    )
