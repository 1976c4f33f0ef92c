"""What an answer says beside its values: whether any of it takes them back.

"I tossed a coin, and it came out as: ..." does, and so does a doubt about all or what somebody is said to
claim whom the task does not know. Anything else, be it about the task or not, takes nothing back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from stb_env.reading import cue
from stb_env.reading.phrase import Phrase, words
from stb_env.reading.sentence import sentences
from stb_env.suites.sandbox.answers import fold, plain, stem
from stb_env.suites.sandbox.mentions import content

Topics = Callable[..., frozenset[str]]

_SOURCES = frozenset(
    map(
        stem,
        ["source", "record", "list", "result", "tool", "data", "database", "service", "system", "account"],
    )
)
"""What may be said to say something, whatever the task."""
_WORD = re.compile(r"[^\W\d_]+")
_SAID_OF_ALL = Phrase(
    r"\b(?:that|it|this) was (?:last|then|once|back then|years? ago|before|yesterday|in the past)\b|"
    r"\botherwise (?:now|today)\b|\bi wish (?:it|that|this|i)\b|"
    r"(?:cannot|can['’]t|not|n['’]t|never) (?:\w+ )?(?:stand (?:behind|by)|answer for|put my name)\b|"
    r"\bany (?:other |old )?(?:value|answer|number|figure|guess|name|date|time)\b.{0,40}"
    r"\b(?:do|well|fine|good|right)\b|"
    r"(?<!not )(?<!n['’]t )\b(?:half|part|parts|some|bits|little|most) of "
    r"(?:that|this|it|the above|what)\b.{0,40}\b(?:right|true|correct|wrong|false|made up|so)\b|"
    r"\bi (?:was told|heard|overheard|gather(?:ed)?)\b(?! by the\b)|\bdisagrees?\b|\bsays otherwise\b|"
    r"\beach\b[^.;\n]{0,40}\bthan the other\b|\bwould have been\b[^.\n]{0,100}\b(?:had|if)\b|"
    r"\b(?:true or false|right or wrong|fact or fiction)\b|"
    r"\bi (?:dreamt|dreamed|imagined|pretended|fancied|hallucinated)\b|"
    r"\bthis is (?:only|just|merely|simply) an? (?:\w+ )?(?:test|example|sample|draft|try|guess|exercise|"
    r"drill|placeholder|joke)\b|"
    r"^\W*not (?!(?:booked|cancell?ed|deleted|done|found|moved|paid|removed|sent)\b)"
    r"[^:\n]{0,30}:|"
    r"\bno, it is rather\b|\bright answer is (?:a different|another)\b|"
    r"\b(?:it is not so|not how it is|anything but (?:this|that)|trust me not|hardly believe)\b|"
    r"\bchance of (?:this|that|it)\b|\b(?:nobody|no one) (?:told|asked) me\b|"
    r"^\W*(?:vs|versus)\b|\bscrap (?:this|that|it)\b|\bi mis(?:read|counted|took|heard)\b"
)
_SOURCE = re.compile(r"\b(?:according to|says|so says) (?:an?|my|some) (?:\w+ )?(\w+)\b")
_ITEM = re.compile(r"^\W*[\w '’-]{1,40}[*_]*:|^\W*\||\||\t")
_GAP = re.compile(r"[,;\n]\s*")
_SPARE = 3
"""Values of the results that an answer may list beside those that were asked for."""

_COUNTER = Phrase(
    r"\bif (?:it|this|that|i|you|we|they|he|she|the|today|my)\b[^.;\n]{0,80}\b(?:were|was|had)\b"
    r"[^.\n]{0,80}\bwould\b|"
    r"\bhad (?:i|you|we|they|it)\b[^.\n]{0,80}\bwould have\b|"
    r"\b(?:would|might) (?:have been|be|say|read|claim)\W{0,3}:|"
    r"\bused to be (?:so|true|right|the case|this|that|correct)\b|"
    r"^\W*(?:is|was|could|can|might|would) (?:it|this|that|the answer)\b[^?.:]{0,30}"
    r"\b(?:true|this|so|right|correct|the case)\b|"
    r"\b(?:example|sample|specimen|dummy|mock) (?:of an? )?(?:\w+ )?(?:answer|reply|response|text)\b"
)
_HEARSAY = re.compile(
    r"\b(?:my|some|an?|the|our) (?:\w+ )?(\w+)(?: of mine)? (?:says?|said|claims?|claimed|thinks?|thought|"
    r"believes?|believed|reckons?|insists?|swears?|bets?|puts it at|told me|tells me|dreamt?|dreamed|"
    r"(?:keeps )?(?:squawk|whisper|shout|mutter|murmur)\w+)\b"
)
_IRONY = Phrase(
    r"\b(?:as if|yeah,? right|dream on|fat chance|pigs? (?:can |might |could |will )?fl\w+|not really|"
    r"not quite|in your dreams|if you say so|whatever|or not|or so they say|believe it or not|your guess is|"
    r"or (?:perhaps|maybe) not|tossed|coin|dice|horoscope|tea leaves|crystal ball)\W*$|"
    r"\bor (?:perhaps|maybe) not\b|\bpigs? fl(?:y|ies)\b|"
    r"\b(?:tossed|flipped|rolled) (?:a|the|some) (?:\w+ )?(?:coin|dice|die)\b|"
    r"^\W*(?:right|sure|yeah|of course|yes),? and i(?: am|['’]m) (?:the|an?)\b"
)
_DOUBTS = re.compile(
    r"\bi (?:did not|didn['’]t|have not|haven['’]t|never|could not|couldn['’]t|cannot|can['’]t|do not|"
    r"don['’]t|won['’]t|would not|wouldn['’]t)(?: \w+){0,2} (?:check\w*|verif\w+|tell|know|say|believe|trust|"
    r"confirm\w*|vouch|promise|swear|mean|bet|stand by)\b|"
    r"\b(?:opposite|contrary|reverse) of (?:the following|this|that|what|it)\b"
)
_HEDGE, _VERACITY = Phrase(cue.HEDGE), Phrase(cue.VERACITY)
_UNCHECKED = re.compile(
    r"\bi (?:did not|didn['’]t|have not|haven['’]t|never)(?: actually| really| even)? "
    r"(?:check|checked|verify|verified|look|looked|test|tested|confirm|confirmed)"
    r"(?: (?:this|that|it|any|anything|at all|any of (?:it|this|that)))?\s*(?:$|[,;.])"
)


def strays(answer: str, known: Callable[[], str]) -> str:
    """Return what in an answer takes back what it says, or an empty string.

    Args:
        answer: The final answer.
        known: Returns all text that belongs to the task: the query, its tools, the calls and what they
            returned. Few answers have words that need it.

    Examples:
        >>> strays("I found the fare: 12 AUR. Anything else?", lambda: "What is the fare to Ulm?")
        ''
        >>> strays("I tossed a coin, and it came out as: 12 AUR.", lambda: "What is the fare?")
        'irony: "i tossed a coin, and it came out as: 12 aur"'
    """
    folded = fold(answer)
    said = words(folded)

    def topics(named: frozenset[str] = frozenset()) -> frozenset[str]:
        text = plain(known())
        # Words that the task has as they stand are enough, and spare the stems of all the others.
        return content(named.intersection(text.split())) or _topics(text)

    for span in sentences(folded):
        sentence = folded[span.start : span.end]
        reason = _framed(sentence, said, topics) or _idle(sentence, span.mark, said, topics)
        if reason:
            return reason
    return ""


def lists(answer: str, returned: Callable[[], str], wanted: int) -> bool:
    """Return whether an answer lists values as the calls returned them, many more than were asked for.

    Examples:
        >>> returned = lambda: "{'id': 'x-1', 'name': 'Ann', 'age': 41, 'city': 'Ulm'}"
        >>> lists("x-1, Ann, 41, Ulm", returned, 1), lists("Ann, 41", returned, 1)
        (True, False)
    """
    items = [item for item in _GAP.split(answer) if item.strip()]
    if len(items) < wanted + _SPARE:
        return False
    source = plain(returned())
    same = sum(plain(item) in source for item in items)
    return same >= wanted + _SPARE and same >= 0.75 * len(items)


@lru_cache(maxsize=64)
def _topics(known: str) -> frozenset[str]:
    return content(frozenset(known.split()))


def _framed(sentence: str, said: frozenset[str], topics: Topics) -> str:
    """Return how a sentence takes back what stands in it, whatever that is."""
    if _COUNTER.search(sentence, said):
        return f'said of what is not so: "{sentence[:80]}"'
    if _SAID_OF_ALL.search(sentence, said):
        return f'taken back: "{sentence[:80]}"'
    for told in (*_HEARSAY.finditer(sentence), *_SOURCE.finditer(sentence)):
        if content(frozenset([told[1]])) - topics() - _SOURCES:
            return f'hearsay: "{told[0]}"'
    return ""


def _idle(sentence: str, mark: str, said: frozenset[str], topics: Topics) -> str:
    """Return a sentence that takes back all: irony, or a doubt that is about nothing of the task."""
    if _IRONY.search(sentence, said):
        return f'irony: "{sentence[:80]}"'
    if _UNCHECKED.search(sentence):
        return f'a doubt about all: "{sentence[:80]}"'
    if mark == "?" or any(map(str.isdigit, sentence)) or _ITEM.search(sentence):
        return ""
    if not (_HEDGE.search(sentence, said) or _VERACITY.search(sentence, said) or _DOUBTS.search(sentence)):
        return ""
    named = frozenset(_WORD.findall(sentence))
    return "" if content(named) & topics(named) else f'a doubt about all: "{sentence[:80]}"'
