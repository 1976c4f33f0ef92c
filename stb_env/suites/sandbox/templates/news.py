"""Tasks about news: articles, their places and days, and the archive of newspapers."""

from __future__ import annotations

from datetime import date

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.articles import SOURCES, TOPICS, articles
from stb_env.suites.sandbox.content.climate import CONDITIONS
from stb_env.suites.sandbox.content.currencies import CODES
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.lookups import (
    contact_named,
    days,
    exchanged,
    find,
    long_date,
    spoken,
    temperature,
)
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, ranked, template
from stb_env.suites.sandbox.tools import (
    city_atlas,
    climate_desk,
    contact_book,
    date_reckoner,
    press_archive,
    rate_board,
    wire_desk,
)

_ARTICLES = Options(lambda: articles().values())
_DAYS = days(-85, -2)


def _article(headline: str) -> Steps[JsonObject]:
    key = (yield from find(wire_desk.search_articles(words=headline), headline=headline))["article_id"]
    return dict((yield wire_desk.read_article(article_id=key)))


@template(wire_desk.TOOL, calls=4, unseen=True)
def earlier_story(draw: Draw) -> Plan:
    """Reporter and date of the earlier of two stories."""
    first = draw.pick(_ARTICLES)
    second = draw.pick([row for row in _ARTICLES if row["published"] != first["published"]])

    def solve() -> Solution:
        one = yield from _article(first["headline"])
        two = yield from _article(second["headline"])
        early, _ = ranked((one, two), lambda row: str(row["published"]))
        when = spoken(early["published"])
        return Answer.of(
            f"{early['reporter']} wrote it on {when}.",
            facts.name("author", early["reporter"]),
            facts.date("publication_date", early["published"]),
        )

    headlines = f'"{first["headline"]}" and "{second["headline"]}"'
    return Plan.of(
        f"Of the articles {headlines}, take the one that was printed first. Who wrote it, and on what date "
        "did it appear?",
        f"Two headlines: {headlines}. Give me reporter and date of the earlier one only.",
        f"Which came out first of {headlines}? I need its reporter's name and its date.",
        solve=solve,
    )


@template(wire_desk.TOOL, calls=2)
def source_count(draw: Draw) -> Plan:
    """Number of articles in a paper between two days, and the length of the newest."""
    source = draw.pick(list(SOURCES))
    first, last = draw.pick(_DAYS[:30]), draw.pick(_DAYS[50:])

    def solve() -> Solution:
        page = yield wire_desk.articles_of_source(
            source=source, from_date=first.isoformat(), to_date=last.isoformat()
        )
        row = yield wire_desk.read_article(article_id=page["results"][0]["article_id"])
        return Answer.of(
            f"There were {page['total']}; the newest has {row['words']} words.",
            facts.integer("article_count", page["total"]),
            facts.integer("top_article_words", row["words"], "length of the first article in the list"),
        )

    return Plan.of(
        f"How many articles did the {source} print from {long_date(first)} to {long_date(last)}, and how "
        "many words has the newest of them, the one listed first?",
        f"Count what appeared in the {source} between {first} and {last}, both included, and tell me the "
        "length in words of the top entry of that list.",
        f"{source}, {long_date(first)} to {long_date(last)}: number of articles, and words of the most "
        "recent one (first in the list)?",
        solve=solve,
    )


@template(wire_desk.TOOL, city_atlas.TOOL, rate_board.TOOL, calls=4, unseen=True)
def project_cost_share(draw: Draw) -> Plan:
    """Part of a project's cost that its city pays, in its own currency."""
    headline, percent = draw.pick(_ARTICLES)["headline"], draw.between(5, 95)

    def solve() -> Solution:
        article = yield from _article(headline)
        code = (yield city_atlas.city_details(city_id=article["city_id"]))["currency"]
        share = round(article["cost_million"] * 10_000 * percent)
        cost = yield from exchanged(share, code)
        return Answer.of(
            f"The city pays {cost:.2f} {code}.",
            facts.number("amount", cost, "in the currency of currency_code, to the cent", tolerance=0.01),
            facts.choice("currency_code", code, CODES),
        )

    return Plan.of(
        f'The article "{headline}" names a cost in aurel. The city pays {percent} % of it: how much is that '
        "in the city's own currency, and which currency code is it?",
        f'Take the project of "{headline}". What are {percent} per cent of its cost in local money of that '
        "city? Amount and three-letter code.",
        f'Read "{headline}" and convert {percent} % of the cost to the currency used in that city; tell me '
        "the amount and the code.",
        solve=solve,
    )


@template(wire_desk.TOOL, climate_desk.TOOL, calls=3)
def opening_weather(draw: Draw) -> Plan:
    """Weather on the opening day that an article announces."""
    headline = draw.pick(_ARTICLES)["headline"]
    units, scale = draw.pick((("metric", "Celsius"), ("imperial", "Fahrenheit")))
    end = draw.pick(("high", "low"))

    def solve() -> Solution:
        article = yield from _article(headline)
        row = yield climate_desk.daily_forecast(
            city_id=article["city_id"], date=article["opening_day"], units=units
        )
        return Answer.of(
            f"The {end} is {row[end]} degrees {scale}, with {row['condition']}.",
            temperature(end, row[end], scale),
            facts.choice("condition", row["condition"], CONDITIONS),
        )

    return Plan.of(
        f'The article "{headline}" names an opening day. What daily {end} in {scale} and which conditions '
        "are forecast for it there?",
        f'I want to attend the opening reported in "{headline}". Forecast for that day and city: the {end} '
        f"in degrees {scale}, and the conditions?",
        f'Weather on the opening day of "{headline}", at that place: {end} temperature ({scale}) and '
        "conditions, please.",
        solve=solve,
    )


@template(wire_desk.TOOL, date_reckoner.TOOL, calls=3)
def opening_countdown(draw: Draw) -> Plan:
    """Days until the opening that an article announces."""
    headline, start = draw.pick(_ARTICLES)["headline"], draw.pick(days(-40, 8))
    kind = draw.pick(("days", "working days"))

    def solve() -> Solution:
        opening = (yield from _article(headline))["opening_day"]
        row = yield date_reckoner.days_between(first_date=start.isoformat(), second_date=opening)
        left = row[kind.replace(" ", "_")]
        return Answer.of(
            f"It opens on {spoken(opening)}, in {left} {kind}.",
            facts.integer(f"{kind.replace(' ', '_')}_until", left),
            facts.date("opening_date", opening),
        )

    return Plan.of(
        f'Counting from {long_date(start)}, how many {kind} is it to the opening announced in "{headline}", '
        "and what is the date of the opening?",
        f'How many {kind} after {start} does the project of "{headline}" open, and on what date is that?',
        f'The number of {kind} from {long_date(start)} to the opening that "{headline}" announces, and the '
        "date of that opening, please.",
        solve=solve,
    )


@template(contact_book.TOOL, wire_desk.TOOL, calls=4)
def news_from_contact(draw: Draw) -> Plan:
    """Reporter and topic of the newest article about a contact's city."""
    draw.home()
    covered = {row["city_id"] for row in _ARTICLES}
    friend = draw.pick([row for row in friends(draw.household) if row["city_id"] in covered])["name"]

    def solve() -> Solution:
        home = (yield from contact_named(friend))["city_id"]
        page = yield wire_desk.articles_about_city(city_id=home)
        row = yield wire_desk.read_article(article_id=page["results"][0]["article_id"])
        return Answer.of(
            f"{row['reporter']} wrote it; the topic is {row['topic']}.",
            facts.name("author", row["reporter"]),
            facts.choice("topic", row["topic"], TOPICS),
        )

    return Plan.of(
        f"Who wrote the most recent article about the city where my contact {friend} lives, and which topic "
        "does it belong to?",
        f"My contact {friend} asks what is new in town. For the latest article about that city, tell me the "
        "reporter and the topic.",
        f"Look up the city of {friend} in my contacts and the newest article on it: reporter and topic?",
        solve=solve,
    )


def _card(headline: str) -> Steps[JsonObject]:
    reference = (yield from find(press_archive.find_stories(words=headline), headline=headline))["reference"]
    return dict((yield press_archive.story_card(reference=reference)))


@template(press_archive.TOOL, calls=4)
def longer_story(draw: Draw) -> Plan:
    """Author and date of the longer of two stories."""
    first = draw.pick(_ARTICLES)
    second = draw.pick([row for row in _ARTICLES if row["words"] != first["words"]])

    def solve() -> Solution:
        one = yield from _card(first["headline"])
        two = yield from _card(second["headline"])
        longer, _ = ranked((one, two), lambda row: int(row["length_words"]), most=True)
        day, month, year = map(int, longer["printed"].split("/"))
        printed = date(year, month, day)
        return Answer.of(
            f"{longer['author']} wrote it, printed on {long_date(printed)}.",
            facts.name("author", longer["author"]),
            facts.date("publication_date", printed.isoformat()),
        )

    headlines = f'"{first["headline"]}" and "{second["headline"]}"'
    return Plan.of(
        f"Which of the archived stories {headlines} has more words? Tell me only that one's author and the "
        "date on which it was printed.",
        f"Compare the length of {headlines}. For the longer story: author and date of printing, please.",
        f"I cite the longer of {headlines}. Who wrote that one, and on which date was it printed?",
        solve=solve,
    )


@template(press_archive.TOOL, calls=3)
def outlet_age(draw: Draw) -> Plan:
    """The paper that printed a story, and the paper's age in a year."""
    headline, year = draw.pick(_ARTICLES)["headline"], draw.between(2027, 2060)

    def solve() -> Solution:
        outlet = (yield from _card(headline))["outlet"]
        age = year - (yield press_archive.outlet_card(outlet=outlet))["founded"]
        return Answer.of(
            f"The {outlet} printed it; it will be {age} years old.",
            facts.choice("outlet", outlet, SOURCES),
            facts.integer("years_since_founding", age, f"in {year}"),
        )

    return Plan.of(
        f'Which paper printed "{headline}", and how many years after its founding will {year} be?',
        f'Name the outlet of the archived story "{headline}" and the age in years it reaches in {year}.',
        f'"{headline}": in which paper was that, and what anniversary of its founding (how many years) falls '
        f"in {year}?",
        solve=solve,
    )
