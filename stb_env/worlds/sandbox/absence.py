"""Whether a text says what a request lacks: a detail that it leaves out, a thing, or the means to do it.

A pure reader of free text. It wants two things close together: words by which people say that something is
lacking, and words for what that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from stb_env.worlds.sandbox.answers import plain

MOST_SUBJECTS = 2
"""Different subjects that may be called lacking; an answer that lists more of them is a guess."""

_UNABLE = (
    "cannot", "can not", "can't", "could not", "couldn't", "unable", "not able", "not possible",
    "isn't possible", "impossible",
)  # fmt: skip
CUES: Mapping[str, tuple[str, ...]] = {
    "detail": (
        *_UNABLE, "need to know", "I need", "is needed", "required", "missing", "not specified",
        "didn't specify", "did not specify", "unspecified", "unclear", "ambiguous", "lacks", "lacking",
        "not given", "not say", "didn't say", "not tell", "didn't tell", "haven't told", "not told",
        "not mention", "not mentioned", "didn't mention", "don't know", "do not know", "not know",
        "please tell", "tell me", "let me know", "please give", "please provide", "not provided",
        "didn't provide", "please specify", "please confirm", "clarify", "which of", "left out",
        "leaves open", "not clear", "more than one", "depends on",
    ),
    "thing": (
        "not found", "no such", "not exist", "doesn't exist", "don't exist", "could not find",
        "couldn't find", "cannot find", "can't find", "can not find", "unable to find", "not find", "didn't find",
        "found no", "find no", "find any", "found nothing", "nothing found", "no match", "no matches", "no matching",
        "no result", "no results", "no record", "no entry", "there is no", "there's no", "there are no",
        "is no", "are no", "has no", "have no", "don't have", "do not have", "doesn't have", "does not have",
        "not have", "not listed", "isn't listed", "does not list", "not in", "isn't in", "aren't in",
        "not on", "isn't on", "not among", "isn't among", "unknown", "not a known", "not known",
    ),
    "ability": (
        *_UNABLE, "no tool", "no tools", "none of the tools", "none of my tools", "no api", "no function",
        "not supported", "not support", "doesn't support", "not offer", "doesn't offer", "not offered",
        "don't have", "do not have", "lack", "lacks", "no way", "not allow", "don't allow", "doesn't allow",
        "not let", "don't let", "not available", "isn't available", "there is no", "there's no", "no means",
        "nothing here", "not give", "don't give", "doesn't give",
    ),
}  # fmt: skip
"""Words that say that something is lacking, by the kind of what is."""

SUBJECTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "detail": {
        "date": ("date", "dates", "day", "days", "when", "deadline"),
        "time": ("time", "times", "hour", "hours", "o'clock"),
        "origin": (
            "origin", "departure city", "departure airport", "city of departure", "where from", "from where",
            "from which", "which city", "leave from", "leaving from", "depart from", "departing from",
            "fly from", "flying from", "start from", "starting from", "starting point", "starting city",
            "place of departure",
        ),
        "place": ("place", "location", "destination", "where to", "address"),
        "amount": ("amount", "amounts", "how much", "sum"),
        "person": (
            "which person", "which contact", "which one", "two contacts", "person", "last name", "surname",
            "full name", "family name", "who",
        ),
        "name": ("name", "names", "title"),
        "currency": ("currency", "currencies"),
        "length": ("nights", "night", "how long", "length", "duration", "check out", "checkout"),
        "guests": ("guests", "people", "persons", "party size", "size of the party", "diners"),
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
        "flight": ("flight", "flights", "connection", "connections", "route"),
        "company": ("company", "companies", "firm", "stock", "share", "shares", "symbol"),
        "word": ("word", "words", "dictionary"),
        "invoice": ("invoice", "invoices", "bill", "bills"),
        "recipe": ("recipe", "recipes"),
        "file": ("file", "files"),
    },
    "ability": {
        "remove": (
            "cancel", "cancelling", "canceling", "cancelled", "canceled", "cancellation", "delete",
            "deleting", "deleted", "deletion", "remove", "removing", "removed", "erase", "call off",
        ),
        "pay": ("pay", "paying", "paid", "payment", "payments", "settle", "settled"),
        "send": ("send", "sending", "sent", "write", "writing", "e-mail", "email", "reply"),
        "book": ("book", "booking", "bookings", "booked", "reserve", "reserving", "reservation", "buy"),
        "move": ("move", "moving", "moved", "reschedule", "rescheduling", "postpone", "postponing"),
        "translate": ("translate", "translating", "translated", "translation", "translations"),
        "convert": ("convert", "converting", "conversion"),
        "ultraviolet": ("uv", "ultraviolet"),
        "drive": ("drive", "driving", "drives", "road", "roads", "by car"),
        "refund": ("refund", "refunding", "money back"),
        "share": ("share", "sharing", "shared"),
    },
}  # fmt: skip
"""What can be lacking, by kind, with the words for it."""

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")


class _Sentence(NamedTuple):
    words: str
    asks: bool


def says(kind: str, terms: Iterable[str], text: str, query: str = "") -> bool:
    """Return whether a text says that something is lacking, and that this is one of the terms.

    Whole sentences of the query do not count, so that repeating it says nothing.

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
    cues = [index for index, sentence in enumerate(sentences) if _has_cue(kind, sentence)]
    near = [
        sentences[index].words for index in range(len(sentences)) if any(abs(index - cue) < 2 for cue in cues)
    ]
    if not any(_has(words, terms) for words in near):
        return False
    asked = plain(query)
    vocabulary = SUBJECTS[kind].values()
    listed = [spellings for spellings in vocabulary if any(_has(words, spellings) for words in near)]
    return sum(not _has(asked, spellings) for spellings in listed) <= MOST_SUBJECTS


def _has(words: str, terms: Iterable[str]) -> bool:
    return any(plain(term) in words for term in terms)


def _has_cue(kind: str, sentence: _Sentence) -> bool:
    return (kind == "detail" and sentence.asks) or _has(sentence.words, CUES[kind])


def _sentences(text: str, query: str) -> Sequence[_Sentence]:
    repeated = [plain(part) for part in _SENTENCE.findall(query)]
    found = []
    for part in _SENTENCE.findall(text):
        words = plain(part)
        for known in repeated:
            words = words.replace(known, " ")
        if words.strip():
            found.append(_Sentence(words, "?" in part))
    return found
