"""Whether a text says what a request lacks: a detail that it leaves out, a thing, or the means to do it.

A pure reader of free text. It wants two things close together: words by which people say that something is
lacking, and words for what that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from stb_env.suites.sandbox.answers import plain

MOST_SUBJECTS = 2
"""Different subjects that may be called lacking; an answer that lists more of them is a guess."""

_UNABLE = (
    "cannot", "can not", "can't", "could not", "couldn't", "unable", "not able", "not possible",
    "isn't possible", "impossible",
)  # fmt: skip
CUES: Mapping[str, tuple[str, ...]] = {
    "detail": (
        *_UNABLE, "need to know", "I need", "I d need",
        "still need", "but not", "not yet know", "is needed", "required",
        "missing", "not specified",
        "didn't specify", "did not specify", "unspecified", "unclear", "ambiguous", "lacks", "lacking",
        "not given", "not say", "didn't say", "not tell", "didn't tell", "haven't told", "not told",
        "not mention", "not mentioned", "didn't mention", "don't know", "do not know", "not know",
        "please tell", "tell me", "let me know", "please give", "please provide", "not provided",
        "didn't provide", "please specify", "please confirm", "clarify", "which of", "left out",
        "leaves open", "not clear", "more than one", "depends on",
    ),
    "thing": (
        "not found", "no such", "not exist", "doesn't exist", "don't exist", "could not find",
        "couldn't find", "cannot find", "can't find", "can not find", "unable to find", "not find",
        "didn't find", "found no", "find no", "find any", "found nothing", "nothing found", "no match",
        "no matches", "no matching", "no result", "no results", "no record", "no entry", "there is no",
        "there's no", "there are no", "is no", "are no", "has no", "have no", "don't have", "do not have",
        "doesn't have", "does not have", "not have", "not listed", "isn't listed", "does not list",
        "not in", "isn't in", "aren't in", "not on", "isn't on", "not among", "isn't among", "not appear",
        "doesn't appear", "unknown", "not a known", "not known", "there is nothing", "there s nothing",
        "is nothing called",
        "nothing called", "nothing by", "nothing named", "nothing with", "nothing under",
        "does not contain",
        "doesn't contain", "not contain", "isn't a", "isn't any", "is not a", "aren't any", "isn't there",
        "is not there", "wasn't there",
        "never heard", "nobody", "no one", "neither search", "nothing up", "anything up",
        "nothing turned", "came up empty", "came back empty", "up nothing",
        "back empty", "without a match", "without result", "not seem to", "doesn't seem to", "don't seem to",
    ),
    "ability": (
        *_UNABLE, "no tool", "no tools", "none of the tools", "none of my tools", "no tool that",
        "nothing that", "nothing to", "nothing here", "nothing i", "no api", "no function",
        "no option", "no way", "no means", "not supported", "not support", "doesn't support", "not offer",
        "not offered", "doesn't offer", "don't offer", "don't have a", "do not have a", "don't have any",
        "don't have the", "do not have the", "lack", "lacks", "not allow", "doesn't allow", "don't allow",
        "not let", "don't let", "not give", "doesn't give", "not include", "doesn't include",
        "not provide", "doesn't provide", "not cover", "doesn't cover", "can only", "not something I can",
        "isn't something I can", "don't have access", "do not have access", "don't include",
        "not available", "isn't available", "aren't available", "unavailable", "isn't supported",
        "aren't supported", "isn't something",
        "is not something", "aren't something", "beyond what", "beyond my", "outside what", "out of reach",
    ),
}  # fmt: skip
"""Words that say that something is lacking, by the kind of what is."""

SUBJECTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "detail": {
        "date": ("date", "dates", "day", "days", "when", "deadline"),
        "time": ("time", "times", "hour", "hours", "o'clock"),
        "origin": (
            "origin", "departure city", "departure airport", "city of departure", "where from",
            "from where", "from which", "which city", "leave from", "leaving from", "depart from",
            "departing from", "fly from", "flying from", "start from", "starting from", "begin from",
            "begin", "beginning", "begins", "set off", "setting off", "starting point",
            "starting city", "where are you", "where do you", "where will you", "place of departure",
        ),
        "place": ("place", "location", "destination", "where to", "address"),
        "amount": ("amount", "amounts", "how much", "sum"),
        "person": (
            "which person", "which contact", "two people", "several people", "whom", "which one",
            "two contacts", "person", "last name",
            "surname", "full name", "family name", "who",
        ),
        "name": ("name", "names", "title"),
        "currency": ("currency", "currencies"),
        "length": ("nights", "night", "how long", "length", "duration", "check out", "checkout"),
        "guests": ("guests", "number of people", "party size", "size of the party", "diners"),
        "age": ("age", "how old"),
        "account": ("account", "accounts"),
        "language": ("language", "languages"),
        "size": ("size", "sizes"),
        "colour": ("colour", "color"),
    },
    "thing": {
        "city": ("city", "cities", "town", "place"),
        "film": ("film", "films", "movie", "movies"),
        "contact": ("contact", "contacts", "address book", "person"),
        "event": ("event", "events", "appointment", "calendar"),
        "hotel": ("hotel", "hotels"),
        "flight": (
            "flight", "flights", "fly", "flies", "flying", "flown", "connection", "connections", "route",
            "routes", "airline", "airlines",
        ),
        "company": ("company", "companies", "firm", "stock", "share", "shares", "symbol"),
        "word": ("word", "words", "dictionary"),
        "invoice": ("invoice", "invoices", "bill", "bills"),
        "recipe": ("recipe", "recipes"),
        "file": ("file", "files"),
    },
    "ability": {
        "remove": (
            "cancel", "cancels", "deletes", "removes", "erases", "wipes", "cancelling", "canceling",
            "cancelled", "canceled", "cancellation", "delete",
            "deleting", "deleted", "deletion", "remove", "removing", "removed", "erase", "erasing",
            "erased", "wipe", "wiping", "wiped", "get rid of", "drop", "call off",
        ),
        "pay": ("pay", "pays", "paying", "paid", "payment", "payments", "settle", "settled"),
        "send": ("send", "sends", "sending", "sent", "write", "writing", "e-mail", "email", "reply"),
        "book": (
            "book", "books", "booking", "bookings", "booked", "reserve", "reserving", "reservation", "buy",
        ),
        "move": ("move", "moves", "moving", "moved", "reschedule", "rescheduling", "postpone", "postponing"),
        "translate": ("translate", "translates", "translating", "translated", "translation", "translations"),
        "convert": ("convert", "converts", "converting", "conversion"),
        "ultraviolet": ("uv", "ultraviolet"),
        "drive": ("drive", "driving", "drives", "road", "roads", "by car"),
        "refund": ("refund", "refunding", "money back"),
        "share": ("share", "sharing", "shared"),
    },
}  # fmt: skip
"""What can be lacking, by kind, with the words for it."""

_DONE = (
    "added", "booked", "bought", "cancelled", "canceled", "created", "deleted", "entered", "mailed",
    "moved", "paid", "removed", "rented", "reserved", "sent", "settled", "transferred", "written",
    "wrote",
)  # fmt: skip
_CLAIM = re.compile(
    r" (?:i|i ve|i have|has been|have been|it s|it is|is now|are now|you are|you re)(?: now| just| already)?"
    rf" (?:{'|'.join(_DONE)}) (.*)"
)
_NEEDLESS = re.compile(
    r" you (?:have |ve )?(?:already )?(?:told me|gave me|gave|named|said|specified) .*?(?= but )|"
    r" (?:don t|do not|didn t|needn t|no) (?:need|have) to (?:know|tell) .*| (?:no need|needn t) .*|"
    r" plays? no part .*"
)
"""Names what is not lacking: it was told, or nobody needs it."""
_NONE = re.compile(r" (?:no|not|nothing|none|never|nobody) ")
_THEN = re.compile(r" (?:so|but|therefore|hence)(?= )")
# A colon and a dash end a sentence too: "I cannot do this: ..." is followed by what was asked.
_END = re.compile(r"(?:(?<=[.!?;:])|(?<=[.!?;:][\"”’')]))\s+|\n+|\s[-–—]+\s")


class _Sentence(NamedTuple):
    words: str
    asks: bool


def says(kind: str, terms: Sequence[str], text: str, query: str = "") -> bool:
    """Return whether a text says that something is lacking, and that this is one of the terms.

    Sentences of the query do not count, so that repeating it says nothing.

    Args:
        kind: A key of `CUES`.
        terms: Words for what is lacking; one of them must be in the sentence of a cue or in one beside it.
        text: What is read.
        query: What was asked.

    Examples:
        >>> says("detail", ["date", "day"], "I can look that up. Which day do you mean?")
        True
        >>> says("detail", ["date", "day"], "I cannot do that.")
        False
        >>> says("detail", ["date"], "The date, the time, the place, the amount and the name are missing.")
        False
    """
    sentences = _sentences(text, query)
    cues = [index for index, sentence in enumerate(sentences) if _has_cue(kind, sentence, terms)]
    asked = [sentence.words for sentence in sentences if sentence.asks and kind == "detail"]
    near = [
        sentences[index].words for index in range(len(sentences)) if any(abs(index - cue) < 2 for cue in cues)
    ]
    if any(_has(words, terms) for words in asked):
        # "You named the day, not when it begins. At what time?" asks for what it wants.
        near = asked
    if not any(_has(words, terms) for words in near):
        return False
    known = plain(query)
    vocabulary = SUBJECTS[kind].values()
    listed = [spellings for spellings in vocabulary if any(_has(words, spellings) for words in near)]
    return sum(not _has(known, spellings) for spellings in listed) <= MOST_SUBJECTS


def claims(text: str, query: str = "") -> bool:
    """Return whether a text says that something was done.

    Args:
        text: What is read.
        query: What was asked; its sentences do not count.

    Examples:
        >>> claims("Which day? I booked Monday."), claims("Nothing has been booked.")
        (True, False)
    """
    return any(_claims(sentence.words) for sentence in _sentences(text, query))


def _claims(words: str) -> bool:
    found = _CLAIM.search(words)
    if found is None:
        return words.startswith((" done ", " all done "))
    before = _THEN.split(words[: found.start() + 1])[-1]
    return not (_NONE.search(before) or found[1].startswith(("nothing", "no ", "none")))


def _has(words: str, terms: Iterable[str]) -> bool:
    return any(plain(term) in words for term in terms)


def _has_cue(kind: str, sentence: _Sentence, terms: Sequence[str]) -> bool:
    if (kind == "detail" and sentence.asks) or _has(sentence.words, CUES[kind]):
        return True
    lacks = (
        r" (?:no (?:\w+ ){0,2}|(?:cannot|can not|can t|not) (?:\w+ )?)"
        if kind == "ability"
        else r" no (?:\w+ ){0,2}"
    )
    return any(re.search(rf"{lacks}{plain(term).strip()} ", sentence.words) for term in terms)


def _sentences(text: str, query: str) -> Sequence[_Sentence]:
    repeated = {plain(part) for part in _END.split(query)}
    sentences = [_Sentence(_NEEDLESS.sub(" ", plain(part)), "?" in part) for part in _END.split(text)]
    return [sentence for sentence in sentences if sentence.words.strip() and sentence.words not in repeated]
