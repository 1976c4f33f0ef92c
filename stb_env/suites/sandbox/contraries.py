"""Words that exclude each other where they say what a value is of: highest and lowest, opens and closes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

ANY = frozenset({"number", "names", "code", "date", "time"})
NAMES = frozenset({"names", "code"})
SAID = NAMES | {"date"}


class Group(NamedTuple):
    """Senses that exclude each other.

    Attributes:
        senses: Each with its words and phrases, between commas.
        behind: Whether they count only directly behind a number ("40 pages").
        types: The types of facts that they are said of.
        labelled: Whether only the label of a fact asks for one, not the query.
        trailing: Whether they reach back: "it is at 10:00, but it was cancelled".
        implied: A pattern of queries that ask for more than the plain thing; for all others the first sense
            is asked for. None where only words in a label or query ask for one.
    """

    senses: tuple[str, ...]
    behind: bool = False
    types: frozenset[str] = ANY
    labelled: bool = False
    implied: str | None = None
    trailing: bool = False


GROUPS: tuple[Group, ...] = (
    # What is at one end, or at the other.
    Group((
        "highest, maximum, max, high, largest, biggest, greatest, peak, strongest",
        "lowest, minimum, min, low, smallest, fewest, slightest, weakest",
    )),
    Group((
        "most, best, top",
        "least, worst, rated lower, rated worse, fewer members, fewest, bottom, last in the list,"
        "last on the list",
    )),
    Group((
        "cheapest, least expensive, costs least, cost least, costs the least, lowest price, lowest fare",
        "dearest, most expensive, priciest, costliest, costs most, costs the most, highest price,"
        "highest fare",
    )),
    Group((
        "cheaper, less expensive, lower-priced, more affordable",
        "dearer, more expensive, pricier, costlier, aur more, aurel more",
    ), types=SAID),
    Group(("longest, lengthiest", "shortest, briefest")),
    Group(("longer, lengthier", "shorter, briefer"), types=SAID),
    Group(("oldest, eldest", "youngest")),
    Group(("older, elder", "younger"), types=SAID),
    Group(("wettest, rainiest", "driest")),
    Group(("warmest, hottest", "coldest, coolest")),
    Group(("nearest, closest", "farthest, furthest")),
    Group(("heaviest", "lightest")),
    Group((
        "newest, most recent, latest, youngest, top, first in the list",
        "oldest, earliest, bottom, end of the list",
    )),
    Group((
        "first, earliest, opens with, starts with, begins with, opener",
        "last, final, closes with, ends with, finishes with, closer, second, third",
    ), types=NAMES),
    Group(("first, earliest", "last, final, latest"), types=ANY - NAMES),
    Group(("earlier, came first", "later, came second"), types=SAID),
    # Times and dates of one thing.
    Group((
        "opens, opening, opening time, opened",
        "closes, closing, closing time, shuts",
        "sunrise, rises, dawn",
        "sunset, sets, sundown",
        "departs, depart, departure, leaves, sails, departing, leaving, leave",
        "arrives, arrive, arrival, reaches, lands, arriving",
        "check-in, check in, checking in",
        "check-out, check out, checkout, checking out",
    ), labelled=True),
    Group((
        "renews, renewal, renew, renewed",
        "bound until, bound, minimum term, contract date, contract",
        "ends for good, expires, cancelled",
    )),
    Group((
        "born, birth, birthday",
        "died, death, came out, released, published, printed, founded, married",
    ), labelled=True),
    Group((
        "delivery, delivered, arrives, comes",
        "sent, shipped, dispatched, posted, sent off",
    ), labelled=True),
    Group(("closed", "opened, created"), labelled=True, types=frozenset({"date"})),
    # What is counted or measured.
    Group((
        "articles, article, stories, reports, pieces",
        "words, word",
        "pages, page",
        "sections",
    ), behind=True),
    Group((
        "inhabitants, people, residents, citizens, live, population, souls",
        "households, families, houses, homes, buildings, dwellings, cars, voters",
    ), behind=True),
    Group((
        "working days, business days, workdays, working",
        "calendar days, calendar, days in all",
    ), behind=True),
    Group((
        "calendar days, days", "working days, business days, workdays",
    ), behind=True, implied=r"working|business|weekday"),
    Group(("points, point", "goals, goal", "matches, games"), behind=True),
    Group(("scored", "conceded, let in, against")),
    Group(("free, available, vacant, spare, remaining", "taken, booked, occupied, reserved, sold, filled",
           "waiting, waiting list", "in all"), behind=True),
    Group(("electricity, power", "gas", "water", "heating")),
    Group(("profit, earnings", "revenue, sales, turnover", "loss", "costs")),
    Group(("fat", "protein", "fibre, fiber", "carbohydrate, carbohydrates, carbs", "sugar", "salt")),
    Group(("platform", "number of stops, stops on the way, coaches, carriages"), labelled=True),
    Group(("median", "mean", "deviation")),
    Group((
        "refund, refunded, back, returned", "cost, costs, price, pay, fee, charge, surcharge"
    ), labelled=True, types=frozenset({"number"})),
    Group(("elevation, height, altitude", "as the crow flies, straight line, distance",)),
    Group(("as the crow flies, straight line, straight-line", "by road, by car, by rail, on foot")),
    Group((
        "ends, ended, end, run out, ran out, expired", "begins, began, begun, begin, starts, started, start",
        "bought, purchased", "left",
    ), types=frozenset({"date", "time"})),
    Group(("ride, rode, ridden, cycled", "ran, run, running", "swam, swim, swum", "walked, walk, hiked")),
    Group(("hold, bought, own, holding, holds", "sold")),
    Group(("economy", "premium", "business cabin, business class, business", "standard", "panorama",
           "second class, second-class", "first class, first-class")),
    Group(("defender, defenders", "goalkeeper, keeper", "midfielder, midfielders", "forward, striker")),
    Group(("hardback", "paperback", "e-book", "audiobook")),
    # Who or what it is.
    Group((
        "coach, coaches, trainer, manager",
        "player, captain, striker, referee, owner, president",
    ), labelled=True),
    Group(("agent, assigned, assignee", "customer, reporter, author"), labelled=True),
    Group((
        "director, directed, directs, director of",
        "cast, actor, actress, actors, stars, starring, plays, acts",
        "producer, produced, screenwriter, scripted",
    ), labelled=True),
    Group((
        "author, wrote, written, writer, reporter",
        "translator, translated, editor, edited, illustrator, illustrated, photographer",
    ), labelled=True),
    Group((
        "album, record, lp", "track, song, opens with, starts with, begins with, opener, opening, opens"
    ), labelled=True),
    Group(("home, at home", "away, away match, away game")),
    # What a state is.
    Group((
        "open, outstanding, unpaid, pending",
        "is done, are done, is completed, are completed, completed, finished, ticked off, is paid, are paid,"
        "been paid, paid already, already paid, is settled, are settled, is closed, are closed",
    ), types=NAMES),
    Group((
        "open", "closed from, shut from, closed between, closed all, shut all, stays shut, stays closed",
    ), types=frozenset({"time"}), implied=r"\bclosed\b|\bshut\b"),
    Group((
        "granted", "was denied, was refused, was rejected, was declined, is denied, is refused",
    ), implied=r"\b(?:if|whether|try|allow\w*|accept\w*|possible|can|yes|refus\w*)\b"),
    Group(("unread", "read")),
    # What nobody asks for unless a query has a word of it.
    Group((
        "still",
        "cancelled, canceled, called off, postponed, put off, taken off, cut from, reassigned, replaced,"
        "ticked off, crossed off, discontinued, scrapped, struck, withdrawn, pulled from, already done,"
        "dropped,"
        "removed, deleted, completed, have passed, has passed, is lost, got lost",
    ), implied=r"cancel|remov|delet|call\w* off|replac|postpon|reschedul|\bend|expire|return|change|shift|"
       r"move|refund|drop|give up|complet", trailing=True),
    Group((
        "still",
        "used to, formerly, no longer, anymore, any more, resigned, dismissed, sacked",
    ), implied=r"used to|former|no longer|any ?more", trailing=True),
    Group((
        "still", "is over, was over, are over, is full, was full, is fully booked",
    ), implied=r"\bover\b|\bfull\b", types=ANY - {"date", "time"}),
    Group((
        "now, today, currently",
        "last year, last week, last month, last spring, last summer, last autumn, last winter, last season,"
        "years ago, weeks ago, months ago, back then, in the past, at that time, would have been",
    ), implied=r"\b(?:last|ago|was|were|did|had|been|would)\b"),
    Group(("one way", "round trip, both ways, there and back, return trip, two ways, return ticket,"
        "return fare"), implied=r"round|both|back"),
    Group((
        "only",
        "of another, by another, for another, with another, in another, to another, from another,"
        "of a different, by a different, for a different, with a different, by someone else,"
        "by somebody else, of someone else, of somebody else, the other one, another parcel, another ticket,"
        "another hotel, another city, another book, another film, another person, another account,"
        "another company, another train, another flight, another mail, another list, another file,"
        "another player, another team, another branch, another car, another order, another contact",
    ), implied=r"\bother|\banother|differ|\belse"),
    Group((
        "all",
        "apart from, outside of, outside these, outside this, outside that, aside from, leave out, leave the,"
        "left out, not counting",
    ), implied=r"apart|without|leave|except"),
    Group((
        "exactly",
        "from before, from after, sometime before, sometime after, some time before, some time after,"
        "shortly before, shortly after, long before, long after",
    ), implied=r"before|after"),
    Group((
        "in all, altogether, together",
        "per person, per head, per day, per night, per month, per ticket, per piece, per seat, per item,"
        "a day, a night, a month, a head, a piece, each, apiece, a person, per passenger, per adult,"
        "a ticket",
    ), behind=True, labelled=True, types=frozenset({"number"}),
       implied=r"\beach\b|\bper\b|\ba (?:day|night|month)\b|nightly|monthly|daily"),
    Group((
        "in all, altogether, together, in total, total, sum, comes to, for all, times",
        "monthly price, monthly cost, monthly fee, nightly price, nightly rate, daily price, daily rate,"
        "price of one, cost of one, one costs, each costs, one month costs, each ticket, every ticket,"
        "each of them costs, a single one costs, unit price",
    ), types=frozenset({"number"}),
       implied=r"\b(?:each|per|for one|a (?:day|night|month))\b|nightly|monthly|daily|unit|single"),
    Group((
        "for all of it",
        "just for, only for, merely for, belongs to a, belong to a, for completeness",
    ), implied=r"only|just|belong"),
    Group((
        "a part", "whole company, whole firm, entire company, whole attendance, whole value, full attendance",
    ), implied=r"whole|entire|full"),
    Group(("then", "today is, today's date"), implied=r"today", types=frozenset({"date"})),
    Group((
        "of one",
        "sum over, sum of, total over, whole week, whole month, whole year, entire week, entire month",
    ), implied=r"\b(?:sum|total|whole|all|altogether|together|add|overall|entire|median|mean|average|plus)"),
)  # fmt: skip
"""Groups of senses; a word may be in several of them."""

_PLAIN = (
    "in total, opening hours, opening times, closing price, closing prices, at least, at most, last name,"
    "first name,"
    "full name, last close, last price, first class, second class, no longer than, longer than a, lets you,"
    "apart from that, apart from this, high season, low season, in the end, year end, top up, most likely,"
    "most affordable, most economical, most recent, of course, each of, each other, first of all, free of,"
    "for a day, record of, on record, first record, working day's, first recorded, back to, at last"
)
"""Phrases that have a word of a group but not its sense."""

TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*")


class Hit(NamedTuple):
    """A word or phrase of a sense in a text."""

    group: int
    sense: int
    start: int
    end: int


@lru_cache(maxsize=512)
def hits(folded: str) -> tuple[Hit, ...]:
    """Return the words and phrases of a folded text that belong to a sense, the longest at each place.

    Examples:
        >>> [(hit.start, hit.end) for hit in hits("the lowest here, at least 12")]
        [(4, 10)]
    """
    found = []
    done = 0
    for match in TOKEN.finditer(folded):
        if match.start() < done or match[0] not in _LEXICON:
            continue
        for phrase, senses in _LEXICON[match[0]]:
            end = match.start() + len(phrase)
            if folded.startswith(phrase, match.start()) and not folded[end : end + 1].isalpha():
                found += [Hit(group, sense, match.start(), end) for group, sense in senses]
                done = end
                break
    return tuple(found)


def _lexicon() -> dict[str, list[tuple[str, list[tuple[int, int]]]]]:
    phrases: dict[str, list[tuple[int, int]]] = {phrase.strip(): [] for phrase in _PLAIN.split(",")}
    for number, group in enumerate(GROUPS):
        for sense, spellings in enumerate(group.senses):
            for phrase in spellings.split(","):
                phrases.setdefault(phrase.strip(), []).append((number, sense))
    made: dict[str, list[tuple[str, list[tuple[int, int]]]]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        first = TOKEN.match(phrase)
        if first:
            made.setdefault(first[0], []).append((phrase, phrases[phrase]))
    return made


_LEXICON = _lexicon()
SEVERAL = next(number for number, group in enumerate(GROUPS) if "in all" in group.senses[0])
"""The group of what several cost together, and one of them."""
