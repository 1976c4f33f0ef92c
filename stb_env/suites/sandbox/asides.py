"""What an answer says beside its values: whether any of it takes them back.

A list of the ways to take something back is never complete. So it is asked the other way round: words that
lead up to a value, and sentences without any, that speak of the answer or of somebody must be about the task
(the query, the tools and what they returned have the words) or be what people say when they report. "I tossed
a coin, and it came out as: ..." is neither. What speaks of neither, as friendly advice does, is harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from stb_env.reading import cue
from stb_env.reading.sentence import sentences
from stb_env.suites.sandbox.answers import fold, plain, stem
from stb_env.suites.sandbox.mentions import content

Topics = Callable[..., frozenset[str]]

_REPORT_WORDS = """
hello hi dear thanks thank welcome glad happy pleased enjoy enjoyable nice good great wonderful lovely
pleasant safe trip travel travels journey stay day evening week weekend meal show concert luck
congratulations hope hopes wish wishes cheers bye regards sorry unfortunately afraid apologies apologize
regret best well soon feel free ask assist assistance help helpful questions follow further other others more
additional details else anything something nothing need needs change changes adjust look looked looking
lookup search searched searching compare compared comparison check checked checking confirm confirmed
confirmation book booked booking reserve reserved reservation order ordered buy bought pay paid payment send
sent mail mailed post posted add added save saved create created make made move moved set update updated
cancel cancelled canceled close closed open opened delete deleted remove removed rent rented sign signed log
logged try tried attempt attempted done finished complete completed success successful successfully work
worked works available availability price prices priced cost costs fare fares fee fees total totals sum
amount amounts money rate rates exchange currency currencies discount cheap cheaper cheapest expensive date
dates day days time times hour hours minute minutes today tomorrow yesterday year years month months week
weeks start starts end ends begin begins early earlier earliest late later latest first last next previous
current currently new old older oldest young youngest long longest short shortest high highest low lowest
most least many much several couple both two three four five step steps working calculation calculated
computed computation formula breakdown detail detailed summary short brief overview note remark caveat
reminder rounded rounding exact approximately based according per source sources record records list lists
listed entry entries table row rows item items name names title number numbers figure figures value values
fact facts requested request required wanted asked answer answers question outcome status state now already
still yet again also only alone same different similar together left remaining remain remains untouched
unchanged otherwise affected touch touched existing exist exists found find finds return returned returns
show shows shown display displayed read reads give gives given provide provided tell tells told see seen get
gets got use used using take taken took lies lie located place city option options chosen choose chose pick
picked select selected result results tool tools data database service system api account accounts here below
above following quick full final overall combined altogether yourself instead able trouble runner followed
ahead behind gave expected expect patience hesitate worry problem problems success fits enough remember
upcoming come comes apply applies extra way around refuse refused refusal reject rejected decline declined
accept accepted allow allowed
"""
_REPORT = frozenset(map(stem, _REPORT_WORDS.split()))
_IDLE = frozenset(
    map(stem, ["used", "otherwise", "lies", "lie", "different", "same", "last", "more", "work"])
)
_NO_TOPIC = frozenset(map(stem, ["opposite", "example"]))
_WORD = re.compile(r"[^\W\d_]+")
_SAID_OF_ALL = re.compile(
    r"\b(?:that|it|this) was (?:last|then|once|back then|years? ago|before|yesterday|in the past)\b|"
    r"\botherwise (?:now|today)\b|\bi wish (?:it|that|this|i)\b|"
    r"(?:cannot|can['’]t|not|n['’]t|never) (?:\w+ )?(?:stand (?:behind|by)|answer for|put my name)\b|"
    r"\bany (?:other |old )?(?:value|answer|number|figure|guess|name|date|time)\b.{0,40}"
    r"\b(?:do|well|fine|good|right)\b|"
    r"\b(?:half|part|parts|some|bits|little|most) of (?:that|this|it|the above|what)\b.{0,40}"
    r"\b(?:right|true|correct|wrong|false|made up|so)\b|"
    r"\bi (?:was told|heard|overheard|gather(?:ed)?)\b(?! by the\b)|\bdisagrees?\b|\bsays otherwise\b|"
    r"\beach\b[^.;\n]{0,40}\bthan the other\b|\bwould have been\b[^.\n]{0,100}\b(?:had|if)\b|"
    r"\b(?:true or false|right or wrong|fact or fiction)\b|"
    r"\bi (?:dreamt|dreamed|imagined|pretended|fancied|hallucinated)\b|"
    r"\bthis is (?:only|just|merely|simply) an? (?:\w+ )?(?:test|example|sample|draft|try|guess|exercise|"
    r"drill|placeholder|joke)\b|^\W*not\b[^:\n]{0,30}:"
)
_SOURCE = re.compile(r"\b(?:according to|says|so says) (?:an?|my|some) (?:\w+ )?(\w+)\b")
_ITEM = re.compile(r"^\W*[\w '’-]{1,40}[*_]*:|^\W*\||\||\t")
_LEAD = re.compile(r"[^:\n]{1,300}:(?=\s|$)")
_ANSWERED = re.compile(
    r"^\W*(?:(?:unfortunately|sadly|sorry|the (?:short |plain )?answer is|but)\W+){0,2}"
    r"(?:yes|no|not|i['’]m afraid (?:not|so)|"
    r"(?:it|they|he|she|you|there) (?:is|was|are|were|do|does|did|has|have|had|can|could|will|would)"
    r"(?:n['’]t)?)\b(?=\W*[,:])|"
    r"^[^:\n]*\b(?:but|so|unfortunately|sadly),? (?:yes|no|not)(?=\W*:)|"
    r"^\W*i(?:['’]ve| have)? [a-z]+ (?:it|this|that|them|both) (?:up |out )?for you\b"
)
"""Opens a lead with the answer to a question of yes or no, or tells that the work is done."""
_REFUSED = re.compile(
    r"\W*(?:i|we) (?:(?:could|ca|was|did|do)n['’]t|(?:could|was|am|did|do) not|cannot) "
    r"(?!sure|certain|know)[a-z]+"
)
"""Says that the speaker did not do what he was asked."""
_GAP = re.compile(r"[,;\n]\s*")
_SPARE = 3
"""Values of the results that an answer may list beside those that were asked for."""
_LABEL = 2
"""Words of a label ("Total price:"), which may be any."""

_COUNTER = re.compile(
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
    r"believes?|believed|reckons?|insists?|swears?|bets?|told me|tells me|dreamt?|dreamed)\b"
)
_IRONY = re.compile(
    r"\b(?:as if|yeah,? right|dream on|fat chance|pigs? (?:can |might |could |will )?fl\w+|not really|"
    r"not quite|in your dreams|if you say so|whatever|or not|or so they say|believe it or not|your guess is|"
    r"or (?:perhaps|maybe) not|tossed|coin|dice|horoscope|tea leaves|crystal ball)\W*$|"
    r"\bor (?:perhaps|maybe) not\b|\bpigs? fl(?:y|ies)\b|"
    r"\b(?:tossed|flipped|rolled) (?:a|the|some) (?:\w+ )?(?:coin|dice|die)\b"
)
_DOUBTS = re.compile(
    r"\bi (?:did not|didn['’]t|have not|haven['’]t|never|could not|couldn['’]t|cannot|can['’]t|do not|"
    r"don['’]t|won['’]t|would not|wouldn['’]t)(?: \w+){0,2} (?:check\w*|verif\w+|tell|know|say|believe|trust|"
    r"confirm\w*|vouch|promise|swear|mean|bet|stand by)\b|"
    r"\b(?:opposite|contrary|reverse) of (?:the following|this|that|what|it)\b"
)
_UNCHECKED = re.compile(
    r"\bi (?:did not|didn['’]t|have not|haven['’]t|never)(?: actually| really| even)? "
    r"(?:check|checked|verify|verified|look|looked|test|tested|confirm|confirmed)"
    r"(?: (?:this|that|it|any|anything|at all|any of (?:it|this|that)))?\s*(?:$|[,;.])"
)
_REFERS = re.compile(
    r"\b(?:i|my|me|we|our|us|he|his|she|her|they|their|it|its|this|that|these|those|there|above|below|"
    r"following|said|says?|told|tells?)\b|n['’]t\b|\b(?:not|no|none|never|neither)\b"
)
"""Speaks of the answer or of somebody, or denies; "Pack an umbrella!" does neither and takes nothing back."""
_SPEAKS = re.compile(
    r"\b(?:i|my|me|we|our|us|he|his|she|her|this|that|these|those|above|below|following|said|says?|told|"
    r"tells?)\b|^\W*they\b|\b(?:it|none|nobody|nothing|neither)\W*$"
)
"""Speaks of the answer or of somebody; "Neither of them is at sea level" only of the world."""
_NEGATIVE = re.compile(
    r"\b(?:not|no|none|neither|never|nobody|nothing|hardly|anything but|no longer)\b|n['’]t\b"
)
_PERSON = re.compile(
    r"\b(?:whoever|anyone who|everyone who|those who|nobody|no one)\b[^.\n]{0,60}"
    r"\b(?:say|tell|claim|think|believe)s?\b"
)


def strays(answer: str, known: Callable[[], str], *, lacking: bool = False) -> str:
    """Return what in an answer has nothing to do with its task, or an empty string.

    Args:
        answer: The final answer.
        known: Returns all text that belongs to the task: the query, its tools, the calls and what they
            returned. Few answers have words that need it.
        lacking: Whether the answer has to say that something cannot be done.

    Examples:
        >>> strays("I found the fare: 12 AUR. Anything else?", lambda: "What is the fare to Ulm?")
        ''
        >>> strays("I tossed a coin, and it came out as: 12 AUR.", lambda: "What is the fare?")
        'an unrelated lead: "i tossed a coin, and it came out as"'
    """
    folded = fold(answer)

    def topics(words: frozenset[str] = frozenset()) -> frozenset[str]:
        text = plain(known())
        # Words that the task has as they stand are enough, and spare the stems of all the others.
        return content(words.intersection(text.split())) or _topics(text)

    for span in sentences(folded):
        sentence = folded[span.start : span.end]
        reason = _framed(sentence, topics, lacking=lacking) or _idle(
            sentence, span.mark, topics, lacking=lacking
        )
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
    items = [plain(item) for item in _GAP.split(answer) if item.strip()]
    if len(items) < wanted + _SPARE:
        return False
    source = plain(returned())
    same = sum(item in source for item in items)
    return same >= wanted + _SPARE and same >= 0.75 * len(items)


@lru_cache(maxsize=64)
def _topics(known: str) -> frozenset[str]:
    return content(frozenset(known.split()))


def _framed(sentence: str, topics: Topics, *, lacking: bool) -> str:
    """Return how the words before a value, or around it, take it back."""
    if _COUNTER.search(sentence):
        return f'said of what is not so: "{sentence[:80]}"'
    if _PERSON.search(sentence):
        return f'said by nobody: "{sentence[:80]}"'
    if _SAID_OF_ALL.search(sentence):
        return f'taken back: "{sentence[:80]}"'
    for told in (*_HEARSAY.finditer(sentence), *_SOURCE.finditer(sentence)):
        if content(frozenset([told[1]])) - topics() - _REPORT:
            return f'hearsay: "{told[0]}"'
    lead = _LEAD.match(sentence)
    if lead is None:
        return ""
    answered = _ANSWERED.match(lead[0])
    rest = lead[0][answered.end() :] if answered else lead[0]
    words = _WORD.findall(rest)
    if len(words) <= _LABEL or lead[0].count("(") > lead[0].count(")"):
        return ""
    said = content(frozenset(words))
    about = said & topics() - _NO_TOPIC
    reported = said & (_REPORT - _IDLE - _NO_TOPIC)
    unrelated = said and not (answered or about | reported) and _REFERS.search(lead[0])
    refused = (answered or lacking) and _REFUSED.match(rest)
    if unrelated or (not (about or refused) and _NEGATIVE.search(rest)):
        return f'an unrelated lead: "{lead[0][:-1][:80]}"'
    return ""


def _idle(sentence: str, mark: str, topics: Topics, *, lacking: bool) -> str:
    """Return a sentence that says nothing of the task: irony, a doubt about all, or anything else."""
    if _IRONY.search(sentence):
        return f'irony: "{sentence[:80]}"'
    if _UNCHECKED.search(sentence):
        return f'a doubt about all: "{sentence[:80]}"'
    if mark == "?" or any(char.isdigit() for char in sentence) or _ITEM.search(sentence):
        return ""
    words = frozenset(_WORD.findall(sentence))
    told = content(words)
    if told & topics(words):
        return ""
    if cue.HEDGE.search(sentence) or cue.VERACITY.search(sentence) or _DOUBTS.search(sentence):
        return f'a doubt about all: "{sentence[:80]}"'
    refused = lacking and _NEGATIVE.search(sentence)
    if told and not refused and mark != "!" and _SPEAKS.search(sentence) and not told & (_REPORT - _NO_TOPIC):
        return f'an unrelated sentence: "{sentence[:80]}"'
    return ""
