"""What a reply claims to have done: acts of a few kinds, and which tools are acts of that kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from stb_env.judges.account import words_of

_ACTS = {
    "add": "add book create set schedule register reserve record open arrange put sign make order save",
    "change": (
        "modify change update reschedule postpone edit amend alter move shift set adjust switch reset save"
    ),
    "delete": "delete remove cancel erase clear drop close unset",
    "send": "send email mail forward write notify inform",
}
_DONE = re.compile(
    r"\b(?:(?:has|have|had|['’]ve)(?: now| just| already| also| successfully| been){0,3}|"
    r"(?:is|are|was|were|been)(?: now| already)? successfully|successfully|i(?: just| now| also| then)?) "
    r"(?P<verb>[a-z]{3,}(?:ed|t|en|ade|ut))\b(?! successful|(?<=signed) (?:in|into|on|out)\b)|"
    r"\b(?P<late>[a-z]{3,}ed) successfully\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:is|are|was|were|should(?: now)? be)(?: now| already)? (?P<verb>[a-z]{3,}ed)\b", re.IGNORECASE
)
_NAMED = {
    "AppointmentRegistration": {"add"},
    "ForgotPassword": {"change", "send"},
    "TimedSwitch": {"add", "change"},
}
"""Tools that are not named for what they do."""
_NOTHING = re.compile(r"\b(?:nothing|none|neither|nobody)(?: else)? $", re.IGNORECASE)
_LASTING = {"delete", "change", "send"}
"""What is in a state after it; an alarm that is set may have been set long ago."""
_IRREGULAR = {
    "sent": "send",
    "written": "write",
    "wrote": "write",
    "made": "make",
    "put": "put",
    "set": "set",
    "unset": "unset",
    "reset": "reset",
}


def unfounded(text: str, names: Iterable[str], heard: str) -> Iterator[str]:
    """Yield the acts that a text claims and of which no call is a kind.

    Args:
        text: What is said to be so.
        names: Names of the tools that were called.
        heard: What was said and returned; who repeats an act from there claims nothing.

    Examples:
        >>> list(unfounded("Your account has been deleted successfully.", ["QueryBalance"], "my balance?"))
        ['deleted']
        >>> list(unfounded("Your visit has been rescheduled.", ["ModifyRegistration"], ""))
        []
        >>> list(unfounded("The alarm should be deleted now.", ["QueryAlarm"], "Is my alarm set?"))
        ['deleted']
    """
    done = {kind for name in names for kind in kinds_of(name)}
    if {"add", "delete"} <= done:
        done.add("change")
    for match in _DONE.finditer(text):
        if _NOTHING.search(text, 0, match.start()):
            continue
        verb = (match["verb"] or match["late"]).lower()
        kinds = kinds_in(verb)
        if kinds and not kinds & done and verb not in heard.lower():
            yield verb
    for match in _STATE.finditer(text):
        kinds = kinds_in(match["verb"].lower())
        if kinds and kinds <= _LASTING and not kinds & done and match["verb"].lower() not in heard.lower():
            yield match["verb"]


def claims(text: str) -> Iterator[tuple[frozenset[str], str]]:
    """Yield each act that a text claims: of which kinds it is, and the verb.

    Examples:
        >>> [(*kinds, verb) for kinds, verb in claims("I removed it. Your visit has been booked.")]
        [('delete', 'removed'), ('add', 'booked')]
    """
    verbs = [match["verb"] or match["late"] for match in _DONE.finditer(text)]
    for verb in (*verbs, *(match["verb"] for match in _STATE.finditer(text))):
        if kinds := kinds_in(verb.lower()):
            yield kinds, verb


@lru_cache(maxsize=1024)
def kinds_of(name: str) -> frozenset[str]:
    """Return the kinds of act that a tool is.

    Examples:
        >>> [sorted(kinds_of(name)) for name in ("CancelRegistration", "TimedSwitch", "QueryRegistration")]
        [['delete'], ['add', 'change'], []]
    """
    named = _NAMED.get(name) or (kind for word in words_of(name) for kind in kinds_in(word))
    return frozenset(named)


@lru_cache(maxsize=4096)
def kinds_in(word: str) -> frozenset[str]:
    """Return the kinds of act that a verb is a word for, whatever its form."""
    forms = _forms(word)
    return frozenset(kind for kind, verbs in _ACTS.items() if forms & set(verbs.split()))


def undone(names: Iterable[str]) -> frozenset[str]:
    """Return the verbs for acts, in the past, of which no tool is a kind.

    Examples:
        >>> "sent" in undone(["DeleteMeeting"]), "deleted" in undone(["DeleteMeeting"])
        (True, False)
    """
    return _without(frozenset(kind for name in names for kind in kinds_of(name)))


@lru_cache(maxsize=64)
def _without(done: frozenset[str]) -> frozenset[str]:
    verbs = {verb for kind, words in _ACTS.items() if kind not in done for verb in words.split()}
    past = (form for verb in verbs for form in (verb, f"{verb}ed", f"{verb}d"))
    irregular = (form for form, verb in _IRREGULAR.items() if verb in verbs)
    found = frozenset((*past, *irregular))
    return frozenset(form for form in found if not kinds_in(form) & done)


def _forms(word: str) -> set[str]:
    """Return what a verb in the past may be the past of, itself included."""
    stem = word.removesuffix("ed")
    single = stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem
    return {word, stem, single, f"{stem}e", f"{stem.removesuffix('i')}y", _IRREGULAR.get(word, word)}
