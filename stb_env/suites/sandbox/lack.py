"""Whether an answer says what a request lacks, claims nothing and guesses nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stb_env.jsontypes import JsonMapping
from stb_env.reading import numerals
from stb_env.reading.statement import statements
from stb_env.suites.sandbox import absence, answers, mentions, pretence
from stb_env.suites.sandbox.mentions import Text

Fact = JsonMapping

_UNITS = re.compile(r"\b(?:to|km|c|f|aur|min|h|g|kg|kb|mi)\b")
_OTHER = re.compile(
    r"\b(?:similar|closest|nearest|other|another|different|alternative|straight|crow|air|aerial|circle|"
    r"beeline|linear|bird|temperatures?|"
    r"highs? of|highs?(?= [/|])|lows? of|lows?(?= \|)|celsius|degrees)\b"
)
"""Says that what follows is something else than what was asked for."""
_ROUGH_WORDS = "about roughly around approximately ca or i e which that it is at of and gives"
_ROUGHLY = frozenset(_ROUGH_WORDS.split())
"""Words of a clause that leaves it to the one before what its figures are of."""
_DEEDS = re.compile(
    r"\b(?:disput(?:e[sd]?|ing)\b(?! (?:this|that|all|everything)\b)|strike it (?=from|off|out)|"
    r"strike (?=the (?!above|previous|last|following|answer)\w))|"
    r"\b(?:rather|(?:not|n['’]t) (?:want|like|wish) to) (?:(?!and\b|but\b)[\w'’-]+ ?){1,14}"
)
"""May take back what was said, but are deeds as well, which a tool does or a query asks for, or not done: who
would rather not give a figure that is wrong takes back none."""
_MAYBE = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|(?<!than )(?<!not )(?<!n['’]t )(?<!want to )guess\w*|"
    r"might be|may be|could be|not sure|be sure|unsure|"
    r"either)\b"
)
_REQUEST = re.compile(r"\b(?:please|tell me|let me know)\b")
_WHICH = re.compile(
    r"\b(?:which(?! (?:means|suggests))|what|when|where|who|whom|whose|whether|how|"
    r"could (?:be|mean) (?:any|either|several|many))\b"
)
_EXPLAINS = re.compile(r"^\W*(?:which (?:means|suggests)|(?:so )?(?:maybe|perhaps|possibly))(?: [\w'’]+){3}")
"""Opens a clause with what may be the reason of what stands before it, which is no doubt about that."""


def check(fact: Fact, text: Text, query: str, allowed: Sequence[Fact]) -> str:
    """Return why an answer does not say what is lacking, or nothing; as `checks.Check` has it."""
    if _DEEDS.search(text.folded):
        folded = _DEEDS.sub(lambda found: "_" * len(found[0]), text.folded)
        text = text._replace(said=statements(folded))
    if any(part.framed and part.stance in ("retracted", "denied") for part in text.said):
        return "read it taken back"
    if any(part.framed and part.stance == "alternative" for part in text.said):
        return "read an alternative"
    twice = mentions.mirrored(text)
    if twice:
        return f'read it twice, with other figures: "{twice}"'
    answer = _sure(text)
    pretended = pretence.pretends(text, query, fact)
    if pretended:
        return f"read {pretended}"
    facts = 1 + sum(other["type"] == "lacking" for other in allowed)
    if not absence.says(fact["kind"], fact["label"], _terms(fact, answer), answer, query, facts):
        return "read no word of it"
    stated = _stated(text)
    guesses = [other for other in fact["others"] if _states(stated, other) and not _states(query, other)]
    return f"read the guess {guesses[0]}" if guesses else ""


def _terms(fact: Fact, answer: str) -> tuple[str, ...]:
    """Return the names of what is lacking; last names stand for persons who are all named."""
    names: Sequence[str] = fact["value"]
    if fact["label"] not in ("person", "contact"):
        return tuple(names)
    own = names[: -len(absence.SUBJECTS[fact["kind"]][fact["label"]])]
    last = [name.rpartition(" ")[2] for name in own if name[:1].isupper()]
    words = answers.plain(answer)
    return (*names, *last) if all(answers.plain(name) in words for name in last) else tuple(names)


def _sure(text: Text) -> str:
    """Return what is said but for raw data and "maybe"; a doubt about what is meant is no such doubt."""
    unsure = {
        part.sentence
        for part in text.said
        if part.framed and part.stance == "hedged" and not _WHICH.search(part.text)
    }
    unsure -= {part.sentence for part in text.said if part.stance == "asked" or _REQUEST.search(part.text)}
    if unsure:
        unsure &= {part.sentence for part in text.said if _MAYBE.search(part.text)}
    kept = text.folded
    explained = {part.sentence: part.start for part in reversed(text.said) if _EXPLAINS.search(part.text)}
    for part in text.said:
        sure = part.sentence not in unsure or part.start < explained.get(part.sentence, 0)
        if not sure or part.stance == "quoted":
            kept = f"{kept[: part.start]}{' ' * len(part.text)}{kept[part.end :]}"
    return kept


def _stated(text: Text) -> str:
    """Return the clauses but for those with figures of something else, as of "the straight line"."""
    kept = []
    before, sentence = "", -1
    for part in text.said:
        # "The straight line is 12 km (about 7 miles)" says only before the bracket what both are.
        words = part.text if _tells(part.text) else f"{before} {part.text}"
        if not _OTHER.search(words) or not numerals.numbers(part.text):
            kept.append(part.text)
        before, sentence = (f"{before} {words}" if part.sentence == sentence else words), part.sentence
    return " ; ".join(kept)


def _tells(clause: str) -> bool:
    """Return whether a clause has more than figures with their units."""
    for number in numerals.numbers(clause):
        clause = f"{clause[: number.start]}{' ' * (number.end - number.start)}{clause[number.end :]}"
    return not _ROUGHLY.issuperset(answers.plain(_UNITS.sub("", clause)).split())


def _states(text: str, value: float | str) -> bool:
    if isinstance(value, str):
        return bool(answers.named(text, [value]))
    return any(
        quantity.unit not in ("c", "f") and abs(quantity.value - value) <= 0.005
        for quantity in numerals.quantities(text)
    )
