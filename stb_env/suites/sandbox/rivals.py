"""Rivals of a value: others of its kind in the answer, and which of them take its place.

A second value is no contradiction where words tie it to something else, or where a record that the calls
returned explains it: an origin, a runner-up, another attribute. Where nothing but the value differs, the
answer gives two values for one thing, and so gives none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stb_env.reading.moments import in_span
from stb_env.reading.statement import Statement, index_at, statement_at
from stb_env.suites.sandbox import listing
from stb_env.suites.sandbox.answers import Place
from stb_env.suites.sandbox.contraries import hits
from stb_env.suites.sandbox.mentions import MOST_VALUES, WORKING, Mention, Text, content, mirrored, stems
from stb_env.suites.sandbox.vocabulary import TIES

MOST_TIED = 2
"""Competitors that may be named for comparison; an answer that names more of them lists candidates."""
_LEADS = frozenset({"no", "without", "not", "a", "an", "any", "the", "but"})
_WITHOUT = re.compile(
    r"\b(?:no|without|not)\s(?:an? |any |the )?$|\b(?:all|every\w*|any\w*)\b[^.,;]{0,24}\bbut\s(?:the )?$"
)
_TOKEN = re.compile(r"[^\W\d_]+")
_CONCLUDES = re.compile(r"\b(?:so|hence|thus|therefore|answer)\b")
_BEHIND = 16
"""Letters behind a value in which its unit and what it is of stand."""
_RATE = re.compile(r"\ban? (?:day|night|week|month|year|hour|minute|piece|person|head|ticket|seat|copy)\b")
_LETTERS = re.compile(r"[^\W\d_]")
_AMOUNT = re.compile(r"\d\.\d|\d{3}(?![-\d])")
_YEAR = re.compile(r"\b(?:in|for|by|of|year) (?:the year )?((?:18|19|20)\d\d)(?![\w-])")
_ANY_YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")
_PAIR = re.compile(r"[\"']\s?:")
_INSTEAD = re.compile(r"\binstead\b(?! of)")
_ELSE = frozenset({"instead", "els", "otherwis", "rather"})
_DASHES = frozenset("-–—")
_LABEL = re.compile(r"[^:|\n]{2,60}(?::|\|)")
_LIST_GAP = re.compile(r"[\s,;/&|*_\"'“”-]*(?:and|or|plus)?[\s\"'“”*_]*(?:the )?$")
_LEAD = re.compile(r"\b(?:of|between|among|both|compar\w+|for|from|than|neither)\s+(?:the )?$")


def settle(
    text: Text, own: Sequence[Mention], rivals: Iterable[Mention], small: int = 1, spare: int = 0
) -> str:
    """Return why a value is not given, or an empty string where it is.

    Args:
        text: The answer.
        own: Where it has the value.
        rivals: Where it has others of the kind.
        small: Pairs of raw data that are an answer and no dump.
        spare: How many other values of the kind were asked for that the answer has not; as many others may
            stand in their place.
    """
    stances = [(mention, _stance(text, mention, small)) for mention in own]
    if not stances:
        return "read nothing"
    given = [mention for mention, stance in stances if stance == "asserted"]
    if not given:
        mention, stance = stances[0]
        return f'read it {stance}: "{_around(text, mention)}"'
    for mention, stance in stances:
        if stance == "denied":
            return f'read it denied: "{_around(text, mention)}"'
    return _contested(text, given, rivals, spare)


def _contested(text: Text, given: Sequence[Mention], rivals: Iterable[Mention], spare: int) -> str:
    tied = 0
    seen: set[str] = set()
    rivals = list(rivals)
    bare = _without(text, [*given, *rivals]) if rivals else text
    known = [rival for rival in rivals if rival.known]
    places = [(one.start, one.end) for one in given]
    others = [(one.start, one.end) for one in rivals]
    twice = mirrored(text) if any(rival.asked for rival in rivals) else ""
    if twice:
        return f'read it twice, with other figures: "{twice}"'
    for rival in rivals:
        statement = statement_at(text.said, rival.start)
        if statement.stance in ("denied", "retracted", "asked", "quoted"):
            continue
        if not rival.asked:
            seen.add(rival.said)
            if len(seen) > MOST_VALUES:
                return f"read more than {MOST_VALUES} values"
        doubted = statement.framed and statement.stance == "hedged"
        if listing.compared(text.folded, places, others, (rival.start, rival.end)):
            continue
        if (
            not (statement.framed or statement.corrects)
            and _explained(text, bare, given, rival)
            and (not rival.known or _picked(text, bare, given, known))
        ):
            continue
        excused = rival.asked and not doubted
        listed = [_listed(text, one, rival) for one in given]
        if any(listed) and not all(listed):
            # "Born in Ulm. Ulm and Bonn are 412 km apart": the list is what something else is said of.
            listed = [_AMOUNT.search(statement.text) is None]
        loose = any(listed) if excused else not _tied(bare, given, rival)
        offered = statement.stance == "alternative" and (statement.framed or not rival.asked)
        if offered and not statement.framed and _RATE.search(text.folded, rival.end, rival.end + _BEHIND):
            # "242.88 AUR, or 9.72 AUR a copy" gives the one beside the other.
            offered = False
        if _INSTEAD.search(statement.text) and not text.asked & _ELSE:
            return f'read {rival.said} in its place: "{_around(text, rival)}"'
        if loose and spare and not rival.known and not offered:
            spare -= 1
        elif loose or offered or (statement.corrects and not rival.asked):
            return f'read as well {rival.said}: "{_around(text, rival)}"'
        tied += rival.known and not rival.asked
        if tied > MOST_TIED:
            return f"read more than {MOST_TIED} competitors"
    again = rivals or len(given) > 1 or text.folded.count(given[0].said) > 1
    twice = mirrored(text, one=True) if again else ""
    return f'read it twice, with other figures: "{twice}"' if twice else ""


def _labels(text: Text, mention: Mention) -> frozenset[str]:
    """Return what the label of a line, or else the head of its column, says that a mention stands in."""
    start = text.folded.rfind("\n", 0, mention.start) + 1
    label = _LABEL.match(text.folded, start, mention.start)
    return stems(label[0] if label else listing.head(text.folded, mention.start))


def _without(text: Text, found: Iterable[Mention]) -> Text:
    """Return a text in which the mentions themselves are no words."""
    folded = text.folded
    for mention in found:
        folded = f"{folded[: mention.start]}{';' * (mention.end - mention.start)}{folded[mention.end :]}"
    return text._replace(folded=folded)


def _stance(text: Text, mention: Mention, small: int) -> str:
    statement = statement_at(text.said, mention.start)
    if statement.stance == "quoted":
        raw = statement.text
        alone = sum(part.stance == "quoted" for part in text.said) == 1
        is_small = alone and raw.count("{") + raw.count("[") == 1 and len(_PAIR.findall(raw)) <= small
        return "asserted" if is_small else "pasted"
    before = text.folded[max(0, mention.start - 40) : mention.start]
    if before.rpartition(" ")[0].rpartition(" ")[2] in _LEADS and _WITHOUT.search(before):
        return "denied"
    if statement.stance == "denied" and not statement.framed and mention.end <= statement.scope:
        return "spoken of"
    return "asserted" if mention.again and statement.stance == "alternative" else statement.stance


def _sentence(text: Text, mention: Mention) -> tuple[int, int]:
    number = statement_at(text.said, mention.start).sentence
    parts = [part for part in text.said if part.sentence == number]
    return parts[0].start, parts[-1].end


def _reach(text: Text, given: Sequence[Mention], rival: Mention) -> tuple[int, int, Statement]:
    """Return from where to where words belong to a value, and its clause."""
    start, stop = _sentence(text, rival)
    before = max((one.end for one in given if start <= one.start < rival.start), default=start)
    clause = statement_at(text.said, rival.start)
    after = min((one.start for one in given if rival.start < one.start < clause.end), default=clause.end)
    if not _LETTERS.search(clause.text):
        # "- 15:00: Choir practice" says what is at 15:00 only behind the colon.
        after = max(after, min((one.start for one in given if rival.start < one.start < stop), default=stop))
    elif rival.known and not _LETTERS.search(
        text.folded[clause.start : rival.start] + text.folded[rival.end : clause.end]
    ):
        # "Yoghurt, the next, has 37.7 g": what follows the name is said of it.
        after = max(after, min((one.start for one in given if rival.start < one.start < stop), default=stop))
    return before, after, clause


def _explained(text: Text, bare: Text, given: Sequence[Mention], rival: Mention) -> bool:
    """Return whether what the calls returned says what a value is of, and the words beside it say so, too."""
    before, after, _ = _reach(text, given, rival)
    frame = frozenset[str]().union(*(_frame(bare, one, before, max(after, rival.end)) for one in given))
    beside = Place(before, rival.start), Place(rival.end, max(after, rival.end))
    places = [Place(one.start, one.end) for one in given]
    return text.records.explain(text.folded, places, Place(rival.start, rival.end), beside, frame)


def _picked(text: Text, bare: Text, given: Sequence[Mention], others: Sequence[Mention]) -> bool:
    """Return whether a clause says of the given value what neither its record nor those of the others do.

    A list of all that there is does not.
    """
    clauses = {statement_at(bare.said, one.start) for one in given}
    theirs = {statement_at(bare.said, one.start) for one in others}
    listed = frozenset[str]().union(*(stems(bare.folded[one.start : one.end]) for one in theirs))
    listed |= text.records.around(text.folded, [Place(one.start, one.end) for one in given])
    return any(_CONCLUDES.search(one.text) or _told(bare, one) - listed for one in clauses - theirs)


def _told(bare: Text, clause: Statement) -> frozenset[str]:
    """Return what a clause says of the value in it; "I hired the cheaper, the Barge" says it before that."""
    said = stems(bare.folded[clause.start : clause.end])
    index = index_at(bare.said, clause.start)
    before = bare.said[index - 1]
    if said or not index or before.sentence != clause.sentence:
        return said
    return stems(bare.folded[before.start : before.end])


def _tied(text: Text, given: Sequence[Mention], rival: Mention) -> bool:
    """Return whether the words around a value tie it to something else than the given one."""
    before, after, clause = _reach(text, given, rival)
    if _named_apart(text, given, rival) or _ends(text.folded, given, rival):
        return True
    if _of_another_year(text, given, rival, clause):
        return True
    part = f"{text.folded[before : rival.start]} ; {text.folded[rival.end : after]}"
    if WORKING.search(part):
        return True
    words = frozenset(_TOKEN.findall(part))
    frame = frozenset[str]().union(*(_frame(text, one, before, max(after, rival.end)) for one in given))
    if words & TIES - frame:
        return True
    senses = _senses(text, clause)
    if all(_contrary(senses, _senses(text, statement_at(text.said, one.start))) for one in given):
        return True
    if _RATE.search(part) and not any(_RATE.search(statement_at(text.said, one.start).text) for one in given):
        return True
    return bool(content(words) - content(frame) - text.asked)


def _named_apart(text: Text, given: Sequence[Mention], rival: Mention) -> bool:
    """Return whether a value stands under another label than the given one."""
    label = _labels(text, rival)
    return bool(label) and all(own and label.isdisjoint(own) for own in (_labels(text, one) for one in given))


def _ends(folded: str, given: Sequence[Mention], rival: Mention) -> bool:
    """Return whether a time is the end of a span, and the given one is told outside of any."""
    return (
        ":" in rival.said
        and in_span(folded, rival.start, rival.start)
        and any(":" in one.said and not in_span(folded, one.start, one.end) for one in given)
    )


def _senses(text: Text, clause: Statement) -> frozenset[tuple[int, int]]:
    return frozenset((hit.group, hit.sense) for hit in hits(text.folded[clause.start : clause.end]))


def _contrary(senses: frozenset[tuple[int, int]], own: frozenset[tuple[int, int]]) -> bool:
    """Return whether two clauses have different senses of a group, as "opened" and "closing" are."""
    both = {group for group, _ in senses} & {group for group, _ in own}
    return any(
        {sense for one, sense in senses if one == group}.isdisjoint(
            sense for one, sense in own if one == group
        )
        for group in both
    )


def _years(clause: Statement) -> frozenset[str]:
    return frozenset(_YEAR.findall(clause.text))


def _of_another_year(text: Text, given: Sequence[Mention], rival: Mention, clause: Statement) -> bool:
    """Return whether a value is told of another year ("138 in 2026"), or is such a year itself."""
    mine = [years for one in given if (years := _years(statement_at(text.said, one.start)) - {one.said})]
    years = _years(clause)
    if rival.said in years:
        amounts = not any(_ANY_YEAR.fullmatch(one.said) for one in given)
        return amounts and all(rival.said not in one for one in mine)
    return bool(mine and years) and all(years.isdisjoint(one) for one in (text.asked, *mine))


def _frame(text: Text, one: Mention, before: int, after: int) -> frozenset[str]:
    """Return the words around a given value, but for those that stand around the other one."""
    start, end = _sentence(text, one)
    if start <= before and after <= end:
        return frozenset(_TOKEN.findall(f"{text.folded[start:before]} {text.folded[after:end]}"))
    return frozenset(_TOKEN.findall(text.folded[start:end]))


def _listed(text: Text, one: Mention, rival: Mention) -> bool:
    """Return whether a value of the query stands in one list with the given one, as if both were meant."""
    first, second = sorted((one, rival), key=lambda mention: mention.start)
    between = text.folded[first.end : second.start]
    if WORKING.search(statement_at(text.said, rival.start).text):
        return False
    if "|" in between and listing.tabled(text.folded, rival.start, rival.end):
        # The cells of a row are of different things.
        return False
    if between.strip() in _DASHES and ":" in first.said and ":" in second.said:
        # "09:30-13:30" is a span of time, and both ends of it are meant.
        return False
    if len(between) >= 24 or not _LIST_GAP.fullmatch(between):
        return False
    return _LEAD.search(text.folded, max(0, first.start - 16), first.start) is None


def _around(text: Text, mention: Mention) -> str:
    return statement_at(text.said, mention.start).text[:80]
