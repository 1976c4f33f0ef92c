"""Whether an answer says a value of somebody or something else than the query asks about.

"In Thornhaven it is 28.5 mm" does not answer what it is in Pellbury. What else there is of the kind is known:
the cities, companies and languages of the world, and what the calls returned beside what the query names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from stb_env.jsontypes import Json, JsonMapping
from stb_env.reading.statement import Statement, index_at, statement_at
from stb_env.suites.sandbox import checks
from stb_env.suites.sandbox.answers import Place, fold, plain
from stb_env.suites.sandbox.content.companies import companies
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.languages import LANGUAGES
from stb_env.suites.sandbox.content.places import cities_by_name
from stb_env.suites.sandbox.mentions import Mention, Text, content, read
from stb_env.suites.sandbox.records import Records

Fact = JsonMapping

Kind = Mapping[str, Sequence[str]]
"""All names of a kind of thing, by their first words."""

_NAME = re.compile(r"\b[A-Z]\w+|(?<=[\"“])[a-z]\w+")
_BESIDE = re.compile(
    r"\b(?:than|over|unlike|from|to|via|as|versus|vs|against|beats?|and|or|not|through|into|near|with|"
    r"behind|ahead of|before|after|followed by|compared with|instead of)(?: the| in| at| of| for)? $"
)
"""Stands before a name of which a value is not said, only compared or counted from."""
_GOES_ON = re.compile(r"\W*(?:(?:it|they|is|was|are|costs?|comes|weighs?|has|at|for|with|on|in)\b|\d)")
_WORD = re.compile(r"[^\W\d_]+")
_CHOICE = re.compile(r"\b(?:otherwise|else)\b")
"""Names two things of which one will do."""
_SHORT = 3
_MOST = 60


def elsewhere(
    answer: str,
    query: str,
    facts: Iterable[Fact],
    records: Records,
) -> str:
    """Return how an answer says a value of something else, or an empty string.

    Args:
        answer: The final answer.
        query: The query.
        facts: The facts of the task, all of which the answer gives.
        records: What the calls of the episode returned.
    """
    facts = [fact for fact in facts if fact["type"] in checks.FOUND]
    known = plain(f"{query} {[fact['value'] for fact in facts]}")
    if _CHOICE.search(query) or _names_more(answer, known, records):
        crossed = _crossed(read(answer, query), query, facts, records)
        if crossed:
            return crossed
    # Few names are spelled in another way than where they are known, and only those need stems to compare.
    strange = content(frozenset(map(fold, _NAME.findall(answer))).difference(known.split()))
    if not strange or not strange - _about(known):
        return ""
    named = list(_others(plain(query), plain(answer), known, records))
    if not named:
        return ""
    text = read(answer, query)
    for fact in facts:
        found = checks.FOUND[fact["type"]](fact, text, query, [one for one in facts if one is not fact])[0]
        clauses = [statement_at(text.said, mention.start) for mention in found]
        strangers = [_stranger(text, clause, named) for clause in clauses if clause.stance == "asserted"]
        if strangers and all(strangers):
            return f'read it of {strangers[0].strip()}: "{clauses[0].text[:80]}"'
    return ""


def _crossed(text: Text, query: str, facts: Sequence[Fact], records: Records) -> str:
    """Return how a value is said of another record than the one that has it, or an empty string."""
    named = records.labels(text.folded)
    asked = fold(query)
    values = fold(f"{[fact['value'] for fact in facts]}")
    if not any(label not in values and (label not in asked or len(named) > 1) for label in named):
        return ""
    for fact in facts:
        others = [one for one in facts if one is not fact]
        own = checks.FOUND[fact["type"]](fact, text, query, others)[0]
        own = [one for one in own if statement_at(text.said, one.start).stance == "asserted"]
        found = [_other(text, one, asked, values, named, records) for one in own]
        if found and all(found):
            clause = statement_at(text.said, own[0].start).text
            return f'read it of {found[0]}: "{clause[:80]}"'
    return ""


def _other(
    text: Text,
    one: Mention,
    asked: str,
    values: str,
    named: Mapping[str, set[tuple[int, str]]],
    records: Records,
) -> str:
    """Return the label of another record that the clause of a value has, and none of its own record."""
    here = _named(text, one, named)
    if not here:
        return ""
    holders = records.holders(text.folded, Place(one.start, one.end))
    right = {label: (record.call, name) for record in holders for name, label in record.labels}
    mine = set(right.values())
    if not right:
        right = {label: place for label, places in named.items() if label in asked for place in places}
    for label, before in here.items():
        if label in values or label in right or (_BESIDE.search(before) and " from " not in before):
            continue
        for place in named[label]:
            # Where no record has the value, only what one call returned together is alike.
            alike = {own for own, found in right.items() if found == place or (mine and found[1] == place[1])}
            if alike and alike.isdisjoint(here) and (label not in asked or place in mine):
                return label
    return ""


def _named(text: Text, one: Mention, named: Iterable[str]) -> Mapping[str, str]:
    """Return the labels that the clause of a value has, each with what stands before it there.

    A clause without a subject ("is worth 12 AUR") goes on about what the one before it names.
    """
    index = index_at(text.said, one.start)
    sentence = text.said[index].sentence
    while True:
        clause = text.said[index].text
        found = {label: clause[:place] for label in named if (place := _whole(clause, label)) >= 0}
        index -= 1
        if found or index < 0 or text.said[index].sentence != sentence or not _GOES_ON.match(clause):
            return found


def _whole(text: str, label: str) -> int:
    """Return where a text has a label as words of its own, or -1."""
    found = re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text)
    return found.start() if found else -1


def _names_more(answer: str, known: str, records: Records) -> bool:
    """Return whether an answer has a word of the results that the query has not."""
    more = _more(answer, known)
    if not more:
        return False
    said = records.text.casefold()
    return any(word in said for word in more)


@lru_cache(maxsize=128)
def _more(answer: str, known: str) -> tuple[str, ...]:
    """Return the words of an answer that the query has in no form."""
    # Short words are in any text, and those that the query has as they stand need no stems to compare.
    words = frozenset(word for word in _WORD.findall(fold(answer)) if len(word) > _SHORT)
    return tuple(
        word for word in words.difference(known.split()) if content(frozenset([word])) - _about(known)
    )


@lru_cache(maxsize=256)
def _about(known: str) -> frozenset[str]:
    return content(frozenset(known.split()))


def _stranger(text: Text, clause: Statement, named: Iterable[tuple[frozenset[str], str]]) -> str:
    """Return what else a clause names where it names nothing of the kind that the query does."""
    words = plain(clause.text)
    index = index_at(text.said, clause.start)
    if index and text.folded[text.said[index - 1].end : clause.start].startswith(":"):
        # "In Velish: ..." says of all behind it what it is of.
        words = plain(f"{text.said[index - 1].text} {clause.text}")
    for mine, other in named:
        if other in words and not any(one in words for one in mine):
            place = clause.text.find(other.strip())
            if not _BESIDE.search(clause.text[: max(place, 0)]):
                return other
    return ""


def _others(query: str, words: str, known: str, records: Records) -> Iterator[tuple[frozenset[str], str]]:
    """Yield what else an answer names of each kind that the query names, with what that names of it."""
    for kind in _kinds():
        others = [name for name in _named_in(words, kind) if name not in known]
        mine = frozenset(_named_in(query, kind)) if others else None
        if mine:
            seen = plain(" ".join(f"{call.arguments} {response}" for call, response in records.returned))
            yield from ((mine, name) for name in others if name not in seen)
    for values in _returned(records).values():
        values.discard("")
        mine = frozenset(value for value in values if value in query)
        if mine:
            yield from ((mine, value) for value in values if value in words and value not in known)


def _named_in(words: str, kind: Kind) -> Iterable[str]:
    """Return the names of a kind that a text has."""
    return [name for word in dict.fromkeys(words.split()) for name in kind.get(word, ()) if name in words]


def _returned(records: Records) -> Mapping[tuple[str, str], set[str]]:
    """Return the names that each call returned, by its name and theirs."""
    found: dict[tuple[str, str], set[str]] = {}
    for call, response in records.returned:
        for key, value in _texts(response):
            values = found.setdefault((call.name, key), set())
            if len(values) < _MOST and 3 < len(value) < _MOST and value[0].isalpha():
                values.add(plain(value) if value != value.lower() else "")
    return found


def _texts(value: Json, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, name)
    elif isinstance(value, list | tuple):
        for item in value[:_MOST]:
            yield from _texts(item, key)
    elif isinstance(value, str):
        yield key, value


@per_edition()
def _kinds() -> Sequence[Kind]:
    names = (cities_by_name(), [row["name"] for row in companies().values()], LANGUAGES)
    return [_by_word(map(plain, kind)) for kind in names]


def _by_word(names: Iterable[str]) -> Kind:
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found.setdefault(name.split()[0], []).append(name)
    return found
