"""Instructions and pages as a shopper reads them: wishes, offers and prices."""

from __future__ import annotations

import re
from typing import NamedTuple

from stb_env.suites.sambanova.web_shop.session import BACK
from stb_env.suites.sambanova.web_shop.terms import terms

_BOUND = re.compile(r",? (?:and )?price (?:lower|less) than ([\d.]+) dollars")
_CHOICES = re.compile(r"^(.*) with ([\w ]+: .+)$", re.DOTALL)
_REST = re.compile(r" (?:with|that|which) ")
# What people say around the thing that they want.
_SMALL_TALK = frozenset(
    terms(
        "i am i'm im looking look for need want would like find me show help get please order buy can you my "
        "old one broke so friend give place shop size color that has have is are with and also from some any"
    )
)
_PRICE = re.compile(r"\$([\d.]+)(?: to \$([\d.]+))?")
_BUTTON = re.compile(r"\[(?:clicked )?button\] (.*) \[(?:clicked )?button_\]")


class Wish(NamedTuple):
    """The content of an instruction.

    Attributes:
        query: Its words without small talk, as one would type them into the search bar.
        head: Those that name the thing, before all that it should have or be.
        words: Stems of the query.
        choices: Values of options that it names.
        bound: The highest price, or infinity.
    """

    query: str
    head: str
    words: frozenset[str]
    choices: tuple[str, ...]
    bound: float

    @classmethod
    def of(cls, instruction: str) -> Wish:
        """Read an instruction.

        Examples:
            >>> text = "i need a red lamp with size: 3 feet, and price lower than 20.00 dollars"
            >>> wish = Wish.of(text)
            >>> wish.head, wish.choices, wish.bound
            ('red lamp', ('3 feet',), 20.0)
        """
        bound = _BOUND.search(instruction)
        text = _BOUND.sub("", instruction)
        asked = _CHOICES.match(text)
        choices = tuple(part.split(": ", 1)[-1] for part in asked[2].split(", and ")) if asked else ()
        text = asked[1] if asked else text
        query = _telling(text)
        head = _telling(_REST.split(text, maxsplit=1)[0])
        return cls(query, head, frozenset(terms(query)), choices, float(bound[1]) if bound else float("inf"))


class Offer(NamedTuple):
    """A product as a page of results shows it.

    Attributes:
        link: What to click.
        title: Its name.
        price: What it costs at most.
    """

    link: str
    title: str
    price: float


def lines_of(page: str) -> list[str]:
    r"""Return the lines of a page in either text mode, without the marks of what can be clicked.

    Examples:
        >>> lines_of("Instruction:\na lamp\n[button] Search [button_]\n") == lines_of(
        ...     "Instruction: [SEP] a lamp [SEP] Search"
        ... )
        True
    """
    lines = (line.strip() for line in page.replace(" [SEP] ", "\n").split("\n"))
    return [_BUTTON.sub(r"\1", line) for line in lines if line]


def body_of(page: str) -> str:
    r"""Return what a page says below the instruction, which stands on every page.

    Examples:
        >>> body_of("Instruction: [SEP] a lamp [SEP] Back to Search [SEP] < Prev [SEP] Shines.")
        '< Prev\nShines.'
    """
    lines = lines_of(page)
    return "\n".join(lines[lines.index(BACK) + 1 :] if BACK in lines else lines)


def offers(page: str) -> list[Offer]:
    """Return the products of a page of results."""
    lines = lines_of(page)
    return [
        Offer(link.lower(), title, price_of(price))
        for link, title, price in zip(lines, lines[1:], lines[2:], strict=False)
        if price.startswith("$")
    ]


def price_of(text: str) -> float:
    """Return the highest price that a text names first.

    Examples:
        >>> price_of("Price: $5.0 to $7.5"), price_of("free")
        (7.5, 0.0)
    """
    found = _PRICE.search(text)
    return float(found[2] or found[1]) if found else 0.0


def _telling(text: str) -> str:
    return " ".join(word for word in text.split() if any(term not in _SMALL_TALK for term in terms(word)))
