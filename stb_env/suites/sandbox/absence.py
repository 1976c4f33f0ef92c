"""Whether a text says what a request lacks: a detail that it leaves out, a thing, or the means to do it.

A pure reader of free text. It wants two things close together: words by which people ask for something or say
that it is not there, and words for what that is, or words that describe it ("how old the driver is").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from stb_env.suites.sandbox.answers import fold, plain
from stb_env.suites.sandbox.description import described, mistaken

MOST_SUBJECTS = 2
"""Different subjects that may be called lacking for one fact; an answer with more of them is a guess."""

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

_NO = (
    r"(?:no|not|none|never|neither|nor|nothing|nobody|zero|0|without|unable|fail(?:s|ed)?|unknown|missing|"
    r"lacks?|lacking|absent|hardly)"
)
CUES: Mapping[str, re.Pattern[str]] = {
    "detail": re.compile(
        r" (?:need\w*|requir\w*|wants?|miss(?:ing|es)?|lack\w*|(?:left|leaves?|leaving)|tell|let|know|"
        r"knowing|"
        r"gives?|given|gave|provid\w*|suppl\w*|specif\w*|unspecified|confirm\w*|clarif\w*|send|share|stated?|"
        r"mention\w*|indicat\w*|enter|wait\w*|without|unclear|clear|ambigu\w*|unknown|depend\w*|var(?:y|ies)|"
        r"differ\w*|still|never|ask|questions?|omit\w*|absent|pending|not|no|nor|neither|remain\w*|choose|"
        r"pick(?! up)|"
        r"more than one|several|multiple|two|both|any of|name (?:it|one|the)|fill|"
        r"reply|respond|please|things?|details?|info\w*|which|"
        r"once|until|first|before|unable) "
    ),
    "thing": re.compile(
        rf" {_NO} (?:\w+ ){{0,5}}?(?:exist\w*|f[io]und|find\w*|locat\w*|list(?:s|ed|ing)?|match\w*|"
        rf"results?|hits?|"
        r"entr(?:y|ies)|record\w*|appear\w*|show(?:s|n|ed|ing)?|turn\w*|comes?|came|coming|has|have|had|"
        r"there|know[ns]?|"
        r"heard|contain\w*|includ\w*|serv\w*|trad\w*|recogni[sz]\w*|avail\w*|return\w*|yield\w*|produc\w*|"
        r"see|saw|"
        r"seen|regist\w*|sav(?:e|es|ed)|stor(?:e|es|ed)|bill(?:ed|s)?|issu\w*|such|anywhere|anything|"
        r"anyone|anybody|"
        r"luck|success|trace|sign|operat\w*|offer\w*|fly|flies|flights?|direct|non ?stop|connect\w*|go|goes|"
        r"of that name) |"
        rf" {_NO} (?:even |yet |currently |actually |really |one |to be )?(?:in|on|at|among|amongst|part|"
        rf"with|"
        rf"under|by|from|a|an|"
        r"called|named|titled|one|any|to be found|seem) |"
        r" (?:results?|hits?|match\w*|search\w*|look\w*|came|comes?|return\w*|gave|gives|got|turned|brought|"
        r"yield\w*|found|shows?|has|have|drew|draw\w*) (?:\w+ ){0,4}?(?:no|none|nothing|empty|zero|0|"
        r"blank|dry|nobody|nil|short) | (?:is|are|was|were) (?:none|neither|not one) of "
        r"(?:them|these|those) |"
        rf" {_NO} (?:\w+ )?(?:card|page|mention) (?:for|of|on) |"
        r" (?:zero|0) (?:appointments|events|flights|hotels|entries) |"
        r" (?:unknown|missing|absent|no one|nobody) | (?:0|none|nil|zero|no) $|^ (?:nothing|empty) $"
    ),
    "ability": re.compile(
        r" (?:can|could|able) not | n a | no such (?:column|field|row|line|figure) |"
        r" not in (?:my|the|that|this) (?:repertoire|list|power|range) |"
        r" not (?:\w+ )?(?:able|possible|within|among|part of) | (?:unable|"
        r"impossible|beyond|"
        r"outside|out of (?:my|reach)|limited|merely|only|just|restricted|exclusively|stops? at|yourself|"
        r"by hand|"
        r"manually|unavailable|unsupported|without) |"
        r" (?:no|none|not|nothing|neither|nor|never|lacks?|lacking|missing) (?:\w+ ){0,4}?(?:can|could|"
        r"able|possib\w*|allow\w*|"
        r"lets?|permit\w*|support\w*|offer\w*|provid\w*|includ\w*|cover\w*|contain\w*|have|has|had|gives?|"
        r"given|exist\w*|"
        r"availab\w*|equip\w*|report\w*|kn[eo]wn?|tools?|toolset|toolkit|toolbox|functions?|functionality|ways?|"
        r"means|access|"
        r"options?|features?|capab\w*|abilit\w*|api|data|services?|something|lists?|shows?|return\w*|"
        r"carry|carries|"
        r"power|reach|scope|com(?:e|es)|measure\w*|handle\w*|do|does|tell) |"
        r" (?:none|nothing|no \w+|no \w+ \w+) (?:to|that|for|which|here|i) "
    ),
}
"""What says that something is lacking, by the kind of what is."""

_GIVEN = re.compile(
    r"^ (?:(?:since|as|because|and|but|so|while|although|though|well|yes|ok|okay) )*(?:you (?:(?:have|ve|"
    r"had|only|just|"
    r"already|did|also) )*(?:told|gave|given|named|said|specif\w+|mention\w+|provided|stated|set|asked|"
    r"chose|want\w*)|"
    r"(?:i|we) (?:(?:already|do|only|just) )*(?:have|know|ve got|got)) (?!to )"
)
_NEGATED = re.compile(rf" (?:{_NO}|questions?|only) ")
"""Names what is not lacking: it was told."""
_NEEDLESS = re.compile(
    r" (?:not (?:\w+ )?(?:need|require|matter|have to|necessary|needed|required|relevant|important)|"
    r"need not|needless|"
    r"needn t|no need|plays? no|irrelevant|regardless|no matter|no difference|"
    r"(?:need|require|want)s? neither|nobody needs) (?!any|much|more|anything|further|else)"
)
"""Says of what is named that nobody needs it."""
_FORGET = re.compile(
    r" (?:forget|ignore|disregard|scrap) (?:that |what )?(?:i (?:just )?asked|(?:my|the|that) question)"
)
_REAL = (
    r"(?:events?|entr(?:y|ies)|files?|contacts?|invoices?|bills?|appointments?|flights?|mails?|person|word|"
    r"cit(?:y|ies)|hotels?|rooms?|cars?|films?|compan(?:y|ies))"
)
_FACTS = re.compile(
    rf" (?:(?:does|do|did) not (?:even )?exist|no such(?! (?:column|field|row|line|figure) )|"
    r"not (?:\w+ )?(?:in|among|on|part of) your|"
    rf"(?:there (?:is|s|are|was)|you have|found) no (?:such |open |unpaid )?{_REAL}|"
    rf"not (?:find|locate|see) (?:any |an |a |the |that |this |your )?(?:such )?{_REAL}|"
    r"no (?:\w+ )?(?:seats?|rooms?|funds|money|space|balance|places?) (?:left|available|remain\w*|free)|"
    r"sold out|"
    r"fully booked|insufficient|not (?:\w+ )?enough|too (?:late|low|close|early|little|few)|permission|"
    r"password|locked|declined|expired|not have (?:your|any (?:card|payment))|your (?:card|passport|payment)|"
    r"(?:until|unless|because|since|as) you (?:have not |did not |never )?(?:tell|told|give|gave|given|"
    r"send|provid\w*|"
    r"confirm\w*|specif\w*|say|said|mention\w*)|"
    r"nothing (?:\w+ ){0,3}to (?:cancel|delete|remove|take|strike|wipe|pay|settle|translate)|"
    r"(?:no|zero|0) (?:match\w*|results?|hits?|events?)|which (?:one|of (?:them|the))|(?:completely|"
    r"entirely) empty|"
    r"can not (?:\w+ ){0,5}yet|requires? (?:a|the|your) (?!\w* ?tool)|(?:send|tell|give) me (?:the|your|"
    r"both|which|when)|"
    r"(?:two|several|multiple|more than one) (?:\w+ ){0,2}(?:people|contacts|persons?|matches)|"
    r"i (?:still |first |would )?need (?:to know|your|the (?:\w+ )?(?:date|day|time|name|number|address|"
    r"account|amount))|"
    r"already (?:paid|sent|booked|full|gone|deleted)) "
)
"""Says that it cannot be done for another reason than that nothing does it."""
_MEANS = re.compile(
    r" (?:tools?|toolset|toolkit|toolbox|functions?|functionality|ways?|means|options?|features?|api|"
    r"abilit\w*|capabilit\w*|services?|data|distances?|index|routes?|routing|action|command|endpoint|method|access|possibility|translat\w*|"
    r"dictionary|"
    r"values?|information) "
)
_NO_MEANS = re.compile(
    r" (?:no|not have an?|not have any|lack|lack an?) (?:\w+ ){0,2}(?:tools?|"
    r"functions?|access) "
)
_BECAUSE = re.compile(r" because(?: of)? (.*)")
_PRESENCE = (
    r"(?:\w+ )?(?:entr|such|single|match|result|record|list|hit|page|presence|symbol|ticker|account|"
    r"connection|direct|non"
)
_HAS_NO = (
    r"(?:has|have|had|shows?|with) no|(?:does|do|did) not (?:list|show|give|have|state|contain|provide|"
    r"report|record) (?:an?|any|its|his|her|their)"
)
_OTHER_THAN_IT = r"s (?:\w+ ){1,2}(?:is|are|was) not \w+|(?:is|was) not available (?:from|on|for|that|at)"
"""Says of what is named that it has no such thing as a price, and so that it exists."""
_UNTOLD = re.compile(
    r" can not (?:\w+ )?(?:tell|give|say|name|quote|state|provide|read|report|be (?:cancel\w+|delet\w+|"
    r"remov\w+|paid|settled|booked|moved))(?= )"
    r"(?: (?!because |since |as |there |no |not |nothing )\w+)*(?= )|"
    r" not (?:yet |been )*(?:announced|loaded|opened|posted|published|released)(?: \w+)*(?= )|"
    r" no (?:\w+ )?(?:elevation|fare|number|population|price|quote|year)s?(?= )"
)
"""Says what the speaker cannot tell of a thing, which is not that there is no such thing."""
_BLANK = re.compile(
    r"(?:\s?[:=|]|\s?(?:→|->|=>)|(?=\s[*`(\[]{0,4}[_.…❓]))\s?[*_`(\[]{0,4}"
    r"(?:\?{1,4}|❓|_{2,60}|(?:\.{3}|…)\?|(?:please )?fill (?:this |it )?in)[*_`)\]]{0,4}(?=\s|$|[,;/|])"
)
"""A blank of a form: a label with a question mark or a line in the place of its value."""
_MARK = re.compile(r"^\s*(?:[-*•–+|]|\(?\d{1,2}[.)]|[a-z]\))\s+")
_INLINE = re.compile(r"(?<=[\s(])\(?(?:\d|[a-c])\)\s")
# A colon and a dash end a sentence too: "I cannot do this: ..." is followed by what was asked.
_END = re.compile(r"(?<=[.!?;:])[*_\"”’')]{0,4}\s+|\s[-–—]+\s|—|\s*(?:→|=>)\s*")
_CLAUSE = re.compile(
    r"[,;:()]|\b(?=(?:but|yet|however|though|although|so|while|whereas|because|since|and (?:you|i))\b)"
)
_SHORT = (("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not"))


class _Sentence(NamedTuple):
    """A sentence in plain words.

    Attributes:
        words: It, but for clauses that name what was told or is not needed.
        needless: The clauses that name what is not needed.
        asks: Whether it is a question.
        head: The number of the sentence before the list that it is in, else its own.
    """

    words: str
    needless: str
    asks: bool
    head: int


def says(kind: str, label: str, terms: tuple[str, ...], text: str, query: str = "", facts: int = 1) -> bool:
    """Return whether a text says that something is lacking, and that this is one of the terms.

    Sentences of the query do not count, so that repeating it says nothing.

    Args:
        kind: A key of `CUES`.
        label: What is lacking, a key of `SUBJECTS` of that kind.
        terms: Words for it; one of them, or what describes it, must be in the sentence of a cue or in one
            beside it.
        text: What is read.
        query: What was asked.
        facts: How many things are lacking.

    Examples:
        >>> says("detail", "date", ("date", "day",), "I can look that up. Which day do you mean?")
        True
        >>> says("detail", "age", ("age",), "To rent it I have to know how old the driver is.")
        True
        >>> says("detail", "date", ("date", "day",), "I cannot do that.")
        False
        >>> says("detail", "date", ("date",), "The date, the time, the place and the name are missing.")
        False
    """
    sentences = _sentences(text, query)
    meaning = described(kind, label, terms)
    if any(_FORGET.search(one.words) or meaning.search(one.needless) for one in sentences):
        return False
    if kind == "ability" and any(map(_for_another_reason, sentences)):
        return False
    if kind == "thing":
        named = _attribute(terms)
        sentences = [
            one._replace(words=_NO_MEANS.sub(" ; ", named.sub(" ; ", _UNTOLD.sub(" ; ", one.words))))
            for one in sentences
        ]
    cues = [_has_cue(kind, sentence, terms) for sentence in sentences]
    near = [
        sentence.words
        for index, sentence in enumerate(sentences)
        if any(cues[max(0, index - 1) : index + 2]) or cues[sentence.head]
    ]
    other = mistaken(label)
    near = [other.sub(" ; ", words) for words in near] if other else near
    if not any(map(meaning.search, near)):
        return False
    if kind == "ability" and any(
        _FACTS.search(one.words) and not _MEANS.search(one.words) for one in sentences
    ):
        return False
    known = plain(query)
    listed = [forms for forms in SUBJECTS[kind].values() if any(_has(words, forms[:2]) for words in near)]
    strange = sum(not _has(known, forms) for forms in listed)
    if kind == "thing" and not any(_has(words, terms) for words in near):
        # "No film by that name" is about no contact.
        return not strange
    return strange < MOST_SUBJECTS + facts


def _for_another_reason(sentence: _Sentence) -> bool:
    """Return whether a sentence says that something else stands in the way than that nothing does it."""
    if _FACTS.search(sentence.words) and not _MEANS.search(sentence.words):
        return True
    reason = _BECAUSE.search(sentence.words)
    if reason is None:
        return False
    return not (_MEANS.search(f" {reason[1]}") or CUES["ability"].search(f" {reason[1]}"))


@lru_cache(maxsize=256)
def _attribute(terms: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(plain(term).strip()) for term in terms)
    asset = rf"(?:{_HAS_NO}) (?!{_PRESENCE}|(?:{words}) ))\w+"
    return re.compile(rf" (?:{words}) (?:{asset}|{_OTHER_THAN_IT}) ")


def _has(words: str, terms: Iterable[str]) -> bool:
    return any(plain(term) in words for term in terms)


def _has_cue(kind: str, sentence: _Sentence, terms: tuple[str, ...]) -> bool:
    if (kind == "detail" and sentence.asks) or CUES[kind].search(sentence.words):
        return True
    return (" no " in sentence.words or " not " in sentence.words) and bool(
        _none_of(terms).search(sentence.words)
    )


@lru_cache(maxsize=256)
def _none_of(terms: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(plain(term).strip()) for term in terms)
    return re.compile(rf" (?:no (?:\w+ ){{0,2}}|(?:but|yet|only|just) not (?:\w+ ){{0,2}})(?:{words}) ")


@lru_cache(maxsize=16)
def _sentences(text: str, query: str) -> Sequence[_Sentence]:
    repeated = {plain(normal(part)) for line in query.split("\n") for part in _END.split(line)}
    found: list[_Sentence] = []
    head = 0
    for part, item in _parts(_BLANK.sub(" not given? ", normal(text))):
        if plain(part).strip() and plain(part) not in repeated:
            if not item:
                head = len(found)
            kept, needless = _sorted(part)
            found.append(_Sentence(kept, needless, "?" in part, head))
    return found


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a text, and whether each is in a list."""
    for line in text.split("\n"):
        rest = _MARK.sub("", line)
        for index, piece in enumerate(_INLINE.split(rest)):
            for part in _END.split(piece):
                yield part, index > 0 or rest != line


def _sorted(sentence: str) -> tuple[str, str]:
    """Return the plain words of a sentence that may say what is lacking, and those that say what is not."""
    kept, needless = [" "], [" "]
    for clause in _CLAUSE.split(sentence):
        words = plain(clause)
        if _NEEDLESS.search(words):
            needless.append(words)
        elif "?" in clause or not _GIVEN.search(words) or _NEGATED.search(words):
            kept.append(words.lstrip())
    return "".join(kept), "".join(needless)


def normal(text: str) -> str:
    """Return a text, small and without accents, in which no negation is contracted.

    Examples:
        >>> normal("I can’t; it isn't.")
        'i can not; it is not.'
    """
    text = fold(text).replace("’", "'")
    for short, spelled in _SHORT:
        text = text.replace(short, spelled)
    return text
