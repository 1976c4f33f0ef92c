"""Descriptions of what a request lacks: "how old the driver is" is an age, "on which day" a date."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from stb_env.suites.sandbox.answers import fold, plain
from stb_env.suites.sandbox.content.languages import LANGUAGES

_MEANINGS: Mapping[str, Mapping[str, str]] = {
    "detail": {
        "date": r"(?:by|until|from) when|how soon|due|(?:rental|hire|pick ?up|trip) (?:start|begin)\w*|"
        r"(?:starts?|starting|begins?|beginning|pick ?up|from|by)(?: on| from| by)? not given",
        "time": r"when|(?:begin|kick|set)\w* (?:off|at|on)|begin\w*|o clock|from when",
        "origin": r"where (?:\w+ ){0,8}(?:from|start\w*|depart\w*|leav\w*|begin\w*|board\w*|live|located|"
        r"based)|"
        r"(?:departure|origin|starting|home|first|start) (?:\w+ )?(?:city|airport|point|place|town|location)|"
        r"(?:city|airport|place|town) (?:\w+ ){0,5}(?:from|out|leav\w*|depart\w*|start\w*|begin\w*)|"
        r"(?:which|what) (?:city|airport|town|place)|from (?:where|which|what)|(?:leave|depart|travel|"
        r"set out) from|from not given",
        "amount": r"how (?:much|large|big|high)|(?:what|which|a|the|exact) (?:\w+ )?(?:figure|number|sum|"
        r"value)|"
        r"how many (?:aurels?|aur|euros?|dollars?)(?= $)|"
        r"how many(?: aurels?| aur| euros?| dollars?)? (?:should|shall|do|would|to|must|will|can|you|i|are)",
        "person": r"which (?:one|of|two|contact|person|name|is|should|shall|to)|which(?= $)|to whom|who of",
        "currency": r"what you (?:\w+ ){0,3}(?:get|receive|back|return|buy)|(?:where|"
        r"which) (?:\w+ ){0,3}(?:going|travel\w*|"
        r"head\w*|trip|journey|spend\w*)|in ?to (?:what|which)|which (?:foreign|money|country|one)|"
        r"target|"
        r"destination|country|code|what (?:\w+ ){0,4}(?:in)?to",
        "length": r"how (?:many|long)|(?:until|till) (?:when|what|which)|check(?:ing)? out|leav(?:e|ing)|"
        r"departure|"
        r"last (?:night|day)|end date|stay(?:ing)? (?:until|for)",
        "age": r"how old|years old|year of birth|date of birth|birth ?day|birth ?date|born",
    },
    "thing": {
        "city": r"atlas|(?:that|this) name",
        "film": r"titles?|titled|(?:film|reel) index|(?:that|this) name",
        "contact": r"(?:that|this) name|anyone|anybody|somebody|someone|nobody|no one|such entry",
        "event": r"such entry|appointments|meeting|schedule\w*|(?:that|this) (?:title|name)|diary",
        "hotel": r"(?:that|this) name",
        "flight": r"direct\w*|non ?stop|without (?:a |any )?(?:change|stop)\w*|served|service|airline\w*",
        "company": r"listed|ticker|exchange|(?:that|this) name|trad\w+|stock tape",
        "word": r"entry|entries|definition|dictionaries|word hoard|spelling|term",
        "invoice": r"billed|invoiced|bill box|issuer",
    },
    "ability": {
        "remove": r"str(?:ik|uck)\w*|(?:get|pull|cross)\w* (?:\w+ ){0,3}(?:out|off)|tak(?:e|en|"
        r"ing) (?:\w+ ){0,5}(?:out|off|away)|discard\w*|clear\w*|"
        r"trash\w*|removals?",
        "pay": r"settl\w*|clear(?:ing)?|payable",
        "send": r"compos\w*|deliver\w*|messag\w*|mail\w*|forward\w*|outgoing|let (?:\w+ )?have",
        "book": r"reserv\w*|purchas\w*|buying|tickets?|get(?:ting)? you on",
        "translate": r"other languages?|foreign|english only|only english|bilingual|languages|"
        + "|".join(fold(name) for name in LANGUAGES),
        "ultraviolet": r"sun (?:index|burn)|sunburn",
        "drive": r"rout(?:e|es|ing)|by road|driven|motor\w*|street\w*",
    },
}
"""Patterns of what describes it, by kind: "on which day the hire begins" asks for a date."""

_MISTAKEN: Mapping[str, str] = {
    "date": r"\d+ days?|how many days|time of (?:the )?day|days? (?:rate|price)|per day|a day",
    "time": r"(?:which|what|the|a) day (?:\w+ ){0,5}(?:begin|start)\w*|(?:begin|start)\w* with|running time|"
    r"start\w* (?:date|day|place|point|city)|begin\w* (?:date|day)|time zone|how much time|"
    r"(?:by|until|till|since) when|when (?:\w+ ){0,6}(?:due|done|finished)|"
    r"(?:any|next|this|mean|some|first|last)? ?time being|(?:at the|next|this|some|another|same) time|"
    r"how long",
    "origin": r"(?:when|day|days|hour|words|hire|rental) (?:\w+ ){0,5}(?:begin|start)\w*|"
    r"(?:departure|start\w*|begin\w*) (?:date|day|time)|(?:begin|start) (?:with|by|over|the search)",
    "amount": r"(?:phone|no|the|give you a) number|(?:give you|name|quote) (?:a|the) figure",
    "length": r"(?:leav|depart)\w* from|date of departure|how many (?:guests|people|rooms|beds|adults|"
    r"persons)|departure (?:city|airport)",
    "person": r"(?:person|who) (?:who|driv\w*|behind|renting|will|ll)|(?:the|a) person (?:is|who|behind)|"
    r"(?:nickname|another|different|other) (?:\w+ ){0,3}(?:surname|last name)|which (?:list|address|"
    r"account|day|date|text|mail|subject|e mail|email|tool|of my)",
    "currency": r"which (?:amount|account|date|day)",
}
"""Patterns that only look like a detail's."""


@lru_cache(maxsize=256)
def described(kind: str, label: str, terms: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of what names or describes a thing that may be lacking, in plain words.

    Args:
        kind: ``detail``, ``thing`` or ``ability``.
        label: What is lacking.
        terms: Its names.

    Examples:
        >>> bool(described("detail", "age", ("age",)).search(plain("Tell me how old you are.")))
        True
    """
    words = [re.escape(plain(term).strip()) for term in terms]
    return re.compile(rf" (?:{'|'.join([*words, *filter(None, [_MEANINGS[kind].get(label)])])})(?= )")


@lru_cache(maxsize=64)
def mistaken(label: str) -> re.Pattern[str] | None:
    """Return the pattern of what only looks like a description: "11 days" is no date."""
    return re.compile(rf" (?:{_MISTAKEN[label]})(?= )") if label in _MISTAKEN else None
