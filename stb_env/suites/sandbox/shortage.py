"""What a request lacks, as an item of an answer names it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stb_env.jsontypes import JsonMapping
from stb_env.suites.sandbox import absence
from stb_env.suites.sandbox.answers import plain, stem
from stb_env.suites.sandbox.mentions import read
from stb_env.suites.sandbox.pretence import pretends
from stb_env.suites.sandbox.vocabulary import DENIALS, GENERIC, NOUNS, TIES

Fact = JsonMapping

MOST_LACKING = 8
"""Words that say what is lacking."""

_JOINED = re.compile(r"[/|,;]|\b(?:or|and)\b")
_HEAD = "(?:(?:of day|date|time|day|city|name|number) )?"
_NEEDLESS = re.compile(
    r"\b(?:no|not|nothing)\b.*\b(?:needed|required|necessary|missing|lacking|lacks)\b|\b(?:true|false|wrong)\b"
)
"""Says that nothing is lacking, or that something is not so."""
_HARMLESS = frozenset(
    {"no", "without", "or", "from", "starting", "departing", "leaving", "return", "off", "to"}
)
_TURNING = (DENIALS | TIES | {"least", "max", "last", "if", "best", "longer"}) - _HARMLESS
"""Words that make something else of what is lacking."""
_AROUND_WORDS = """
no without missing unknown not found such any given specified exact target source start starting tool tools
function feature ability able way option data information access entry record to of the a an for from in on at
into with or and by s is are was it you your want wanted need needed which what how where when who whom one
called named titled issued listed existing exist exists available possible making doing stay trip rental
driver departure arrival travel destination check pick up event task mail transfer point route
"""
_AROUND = NOUNS | frozenset(_AROUND_WORDS.split())
"""What an item may say beside what is lacking, whatever that is."""
_ALSO = {"person": "recipient addressee", "translate": "dictionary"}
"""What else may be called lacking, by label."""


def names(fact: Fact, text: str, query: str) -> bool:
    """Return whether an item names what is lacking, nothing else that may lack, and no value in its place.

    Args:
        fact: What is lacking.
        text: The item, folded.
        query: The query.

    Examples:
        >>> from stb_env.suites.sandbox.facts import lacking
        >>> day = lacking("detail", "date")
        >>> [names(day, said, "Book it.") for said in ("travel date", "no date is needed", "date, age")]
        [True, False, False]
    """
    said, asked = plain(text), plain(query)
    own = _own_names(fact, said)
    rest = _without(said, own, around=True)
    if rest == said or said.count(" ") > MOST_LACKING + 1 or _NEEDLESS.search(said):
        return False
    if re.search(r"[.!:;]\s+\w+\s+\w+\s+\w", text.partition(":")[2] or text):
        return False
    if any(_without(part, own) == part for part in map(plain, _JOINED.split(text))):
        return False
    if fact["kind"] == "thing" and _is_half(plain(fact["value"][0]), said):
        return False
    cues = absence.CUES[fact["kind"]]
    left = cues.sub(" ; ", rest)
    if fact["kind"] != "ability" and pretends(read(text, ""), "", fact):
        return False
    if fact["kind"] == "ability" and left == rest and _claims(said, own):
        return False
    subjects = absence.SUBJECTS[fact["kind"]].items()
    others = (word for label, words in subjects if label != fact["label"] for word in words)
    if any(plain(word) in left and plain(word) not in asked for word in others):
        return False
    bare = _without(cues.sub(" ; ", said), own)
    strange = {*bare.split()} - _AROUND - ({*asked.split()} - GENERIC) - {";"}
    guessed = any(any(map(str.isdigit, word)) for word in {*bare.split()} - {*asked.split()})
    claimed = any(map(_is_participle, strange))
    return not (guessed or claimed or {*bare.split()} & _TURNING) and len(strange) < 2


def _own_names(fact: Fact, said: str) -> list[str]:
    """Return the names of what is lacking, and the words of an item that are another form of one.

    Of a detail that is left out, a value is a guess ("ALD" where the currency is); of a thing, its kind does
    not say which one there is not, where it has a name.
    """
    common = absence.SUBJECTS[fact["kind"]][fact["label"]]
    known = [name for name in fact["value"] if fact["kind"] != "detail" or not name[0].isupper()]
    if fact["kind"] == "thing":
        known = [name for name in known if name not in common] or known
    forms = frozenset(stem(name) for name in known if " " not in name)
    return [
        *known,
        *_ALSO.get(fact["label"], "").split(),
        *(word for word in said.split() if stem(word) in forms),
    ]


def _is_half(name: str, said: str) -> bool:
    """Return whether a text has some words of a name and not all of them, as another name has."""
    words = {*name.split()} - NOUNS
    return bool(words & {*said.split()}) and not words <= {*said.split()}


def _without(words: str, names: Iterable[str], *, around: bool = False) -> str:
    """Return words without some names, the longest first, and without the noun beside each where asked."""
    before, behind = (r"(?: \w+)?", _HEAD) if around else ("", "")
    for name in sorted(map(plain, names), key=len, reverse=True):
        words = re.sub(f"{before}{re.escape(name)}{behind}", " ; ", words)
    return words


def _claims(said: str, names: Iterable[str]) -> bool:
    """Return whether all that is said of an ability is that it was used."""
    used = [word for name in names if plain(name) in said for word in plain(name).split()]
    return all(map(_is_participle, used))


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or word in ("paid", "sent")
