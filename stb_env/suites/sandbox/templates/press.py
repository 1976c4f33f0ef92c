"""Tasks about the press archive."""

from __future__ import annotations

from datetime import date

from stb_env.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.articles import SOURCES, articles
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.lookups import long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, ranked, template
from stb_env.suites.sandbox.tools import press_archive

_ARTICLES = Options(lambda: articles().values())


def _card(headline: str) -> Steps[JsonObject]:
    page = yield press_archive.find_stories(words=headline)
    reference = next(row["reference"] for row in page["results"] if row["headline"] == headline)
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
