"""What calls did, and replies by which they did not, did it to something else, or found nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from stb_env import jsontext
from stb_env.jsontypes import Json
from stb_env.judges.account import words_of
from stb_env.judges.cues import COMMON
from stb_env.reading.statement import Statement, statements
from stb_env.suites.api_bank.claim import claims, kinds_in, kinds_of
from stb_env.suites.api_bank.leaves import leaves
from stb_env.trajectory import CallRecord

_WORD = re.compile(r"[^\W\d_]{4,}")
_STEM = 5
_CODE = 6
"""Letters of a text that two calls do not share by chance."""
_VERBS = frozenset(
    ("add", "book", "cancel", "delete", "get", "modify", "open", "query", "record", "search", "send")
)
_STILL = re.compile(
    r"\bstill (?:there|on\b|in\b|at\b|set|rings?|stands?|active|exists?|valid|listed|scheduled|booked|open|"
    r"reminds?|goes|go\b|be\b|has\b|shows?)|\bwill still\b|\bstays as it is\b|\bremains?\b(?! (?:to|of)\b)|"
    r"\b(?:stays?|stands)\b (?:on\b|in (?:place|your)|set|active|booked|open|valid)|"
    r"\bleft (?:alone|in place|on\b)|\bwas left\b"
)
"""Says that something is there as before."""
_KEPT = re.compile(
    r"\b(?:left|kept) (?:it|them|that|this|the|your|everything|as|untouched|unchanged)\b|"
    r"\buntouched\b|\bunchanged\b|"
    r"\b(?:has|have|is|are|was|were)(?:n['’]t| not)(?: yet| been)* (?:touched|changed|affected)\b"
)
"""Says that something was not changed."""
_FIELD = re.compile(
    r"\b(?:time|date|day|place|location|room|topic|title|content|text|doctor|attendees?|details?|everything)\b"
)
_OTHER = re.compile(
    r"\b(?:others?|else|rest|remaining|another|separate|nothing|no longer|any ?more|none|only|same|if|unless|"
    r"would|until|because|out)\b"
)
_IT = re.compile(r"\b(?:it|that|this|one|them|they|ones|both)\b")
_NOT = re.compile(
    r"\bi (?:did not|didn['’]t)(?=\s*(?:[:;.!–—-]|$))|\bbounced\b|"
    r"\b(?:was|is|were)(?: not|n['’]t) possible\b"
)
_UNDONE = re.compile(
    r"\b(?:has|have|had|was|were|is|are)(?:n['’]t| not)(?: yet| actually| been)* (?P<verb>[a-z]{4,}ed|sent)\b"
)
_UNMADE = re.compile(
    r"\b(?:i|we)(?: have|['’]ve| had| did)?(?: not|n['’]t)(?: yet| even| actually)* "
    r"(?P<verb>[a-z]{4,})\b|"
    r"\b(?:nothing |no (?:\w+ ){1,2})(?:was|were|has been|have been|got) (?P<none>[a-z]{4,})\b"
)
_REJECTED = re.compile(
    r"\b(?:was|were|been|got) (?:rejected|refused|declined|skipped|ignored|discarded|turned down)\b"
)
_ABSENT = re.compile(r"\b(?:is|are|was|were)(?: not|n['’]t) (?:in|on|among|part of) (?:the|your|my|our)\b")
_BUT = re.compile(r"\b(?:others?|else|further|more|besides|but|except|apart|beyond|again|until|unless|if)\b")
_NONE = re.compile(
    r"\b(?:no|not any|n['’]t any|zero) (?!other|further|more|additional|longer|second|"
    r"extra|such|need|problem)"
    r"(?:\w+ ){0,2}?(?P<noun>[a-z]{4,}?)(?:s|es)?"
    r"(?=\s*(?:[,.;!]|$)| (?:in|for|on|at|with|has|have|was|were|is|are|under|called|named|from|of|between|"
    r"available|found|exists?|listed|set|recorded)\b)"
)
_EMPTY = re.compile(
    r"\b(?:brought|turned|came) up (?:nothing|empty|no\b(?! (?:other|further|more)))|"
    r"\b(?:returned|gave) nothing\b(?! (?:else|more|further|other))"
)
_NO_DATA = re.compile(
    r"\b(?:no|not any|n['’]t any|n['’]t have) (?:figures?|data|information|results?|records?|values?|"
    r"numbers?|answers?|entry|entries) (?:\w+ )?(?:for|on|about|of|under) (?P<what>[^,.;\n]{3,60})"
)


class Deed(NamedTuple):
    """One call, as far as words can tell it from others.

    Attributes:
        kinds: Which kinds of act it is; none where it looked something up.
        nouns: Stems of what its tool is about.
        words: Stems of all that it took and returned, too.
        found: Whether it looked something up and found it.
    """

    kinds: frozenset[str]
    nouns: frozenset[str]
    words: frozenset[str]
    found: bool = False


def deeds_of(calls: Iterable[CallRecord]) -> list[Deed]:
    """Return calls as deeds; a log-in is none. What was done to a thing is about what was found of it."""
    calls = [call for call in calls if "Token" not in call.name]
    deeds = [_deed(call) for call in calls]
    known = list(zip(deeds, calls, strict=True))
    return [
        deed._replace(words=deed.words | _union(one.words for one, found in known if _tells(found, call)))
        for deed, call in known
    ]


def disowned(text: str, deeds: Iterable[Deed]) -> Iterator[str]:
    """Yield the clauses of a reply by which something is as before that was changed, or was done to another.

    Examples:
        >>> alarm = Deed(frozenset({"delete"}), frozenset({"alarm"}), frozenset({"alarm"}))
        >>> list(disowned("I found your alarm, but left it in place.", [alarm]))
        ['but left it in place']
        >>> list(disowned("Your alarm is gone. The other alarms remain.", [alarm]))
        []
    """
    deeds = list(deeds)
    done = [deed for deed in deeds if deed.kinds]
    before, sentence = "", -1
    for part in statements(text):
        before, sentence = (before if part.sentence == sentence else ""), part.sentence
        if done and part.stance not in ("asked", "quoted"):
            yield from (part.text for wrong in (_is_undone, _is_elses) if wrong(part, done, deeds))
            if _is_left(part.text.lower(), before, done, deeds):
                yield part.text
        before = f"{before} {part.text.lower()}"


def finds_nothing(text: str) -> bool:
    """Return whether a reply has words for that, whatever it says of what.

    Examples:
        >>> finds_nothing("There are no flights."), finds_nothing("There is one flight.")
        (True, False)
    """
    said = text.lower()
    return any(pattern.search(said) for pattern in (_NONE, _EMPTY, _NO_DATA))


def missed(text: str, deeds: Iterable[Deed], asked: str) -> Iterator[str]:
    """Yield the clauses of a reply by which nothing was found where something was.

    Args:
        text: The reply.
        deeds: What the calls of its turn did.
        asked: What the user said.

    Examples:
        >>> flight = Deed(frozenset(), frozenset({"fligh"}), frozenset({"fligh", "tokyo"}), found=True)
        >>> list(missed("There are no flights to Tokyo. No meals are listed.", [flight], "Flights to Tokyo?"))
        ['There are no flights to Tokyo']
    """
    found = [deed for deed in deeds if deed.found]
    if not found or any("delete" in deed.kinds for deed in deeds):
        return
    nouns = _union(deed.nouns for deed in found)
    words = _union(deed.words for deed in found)
    for part in statements(text):
        if part.stance in ("asked", "quoted"):
            continue
        said = part.text.lower()
        if any(match["noun"][:_STEM] in nouns | _stems(asked) for match in _NONE.finditer(said)):
            yield part.text
        if _EMPTY.search(said) and _stems(said) & words:
            yield part.text
        data = _NO_DATA.search(said)
        if data and _stems(data["what"]) & _stems(asked) & words:
            yield part.text


def _is_undone(part: Statement, done: list[Deed], _: list[Deed]) -> bool:
    said = part.text.lower()
    if _NOT.search(said) or _is_unmade(said, done):
        return True
    undone = _UNDONE.search(said)
    if not undone or _OTHER.search(said):
        return False
    return any(undone["verb"][:_STEM] in deed.words for deed in done)


def _is_unmade(said: str, done: list[Deed]) -> bool:
    """Return whether a clause denies an act of a kind that was done, of what it was done to."""
    stems = _stems(said)
    own = _union(deed.words for deed in done)
    if _REJECTED.search(said) and stems & own:
        return True
    added = _union(deed.words for deed in done if "add" in deed.kinds)
    if _ABSENT.search(said) and stems & added and not _OTHER.search(said):
        return True
    unmade = _UNMADE.search(said)
    if not unmade or _BUT.search(said.partition(",")[0]):
        return False
    kinds = kinds_in(unmade["verb"] or unmade["none"])
    about = _union(deed.words for deed in done if deed.kinds & kinds)
    return bool(stems & about or (about and _IT.search(said)))


def _is_left(said: str, before: str, done: list[Deed], deeds: list[Deed]) -> bool:
    kept = _KEPT.search(said) is not None
    still = kept or _STILL.search(said) is not None
    kinds = {"delete"} if still else set()
    kinds |= {"change"} if kept and not _FIELD.search(said) else set()
    changed = [deed for deed in done if deed.kinds & kinds]
    if not changed:
        return False
    own = _union(deed.words for deed in changed)
    others = _union(deed.words for deed in deeds if deed not in changed)
    if not _stems(said) & (own | others):
        # What a clause without a noun is about stands before it in its sentence.
        said = f"{before} {said}"
    stems = _stems(said)
    if _OTHER.search(said):
        return False
    if stems & (own - others):
        return True
    return not stems & (others - own) and bool(_IT.search(said) or stems & own)


def _is_elses(part: Statement, done: list[Deed], deeds: list[Deed]) -> bool:
    """Return whether an act is claimed of what another call was about, and of nothing that it was done to."""
    if part.stance != "asserted":
        return False
    stems = _stems(part.text)
    for kinds, verb in claims(part.text):
        own = _union(deed.words for deed in done if deed.kinds & kinds)
        others = _union(deed.words for deed in deeds if not deed.kinds & kinds) - own
        if own and stems - {verb.lower()[:_STEM]} & others and not stems & own:
            return True
    return False


def _deed(call: CallRecord) -> Deed:
    kinds = frozenset(() if call.result.error else kinds_of(call.name))
    nouns = frozenset(word[:_STEM] for word in words_of(call.name) if word not in _VERBS)
    given = dict(call.arguments) if isinstance(call.arguments, Mapping) else {}
    words = nouns | _stems_in({key: value for key, value in given.items() if key != "token"})
    if isinstance(call.result.response, dict | list):
        words |= _stems_in(call.result.response)
    return Deed(kinds, nouns, words, found=not kinds and bool(call.result.response) and not call.result.error)


def _tells(found: CallRecord, call: CallRecord) -> bool:
    """Return whether a look-up returned something that a call took which changes things, such as a number."""
    if kinds_of(found.name) or not kinds_of(call.name) or not isinstance(call.arguments, Mapping):
        return False
    returned = jsontext.dumps(found.result.response)
    taken = (value for name, value in call.arguments.items() if name != "token")
    return any(value in returned for value in leaves(list(taken), str) if len(value) >= _CODE)


def _stems_in(value: Json) -> frozenset[str]:
    keys = (str(key) for record in leaves(value, dict) for key in record)
    return frozenset(_stems(" ".join([*leaves(value, str), *(key.replace("_", " ") for key in keys)])))


def _union(sets: Iterable[Set[str]]) -> set[str]:
    return {each for one in sets for each in one}


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if word not in COMMON}
