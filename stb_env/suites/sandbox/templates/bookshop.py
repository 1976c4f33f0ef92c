"""Tasks about buying books."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.books import FORMATS, books
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import spine_and_co

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
