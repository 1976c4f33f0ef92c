"""Words by which a speaker denies, doubts, offers, corrects or takes back what he says.

Every pattern is bounded, so that a search is linear in the text. An apostrophe may be curly.
"""

from __future__ import annotations

import re

_UNTRUE = (
    r"(?:wrong|false|untrue|incorrect|inaccurate|mistaken|erroneous|an? (?:\w+ )?(?:lie|mistake|joke|"
    r"fabrication|invention|hoax|hallucination)|lies(?! \w+ (?:the|a|an|it|your|its)\b)|"
    r"nonsense|rubbish|fiction|fictional|fictitious|"
    r"made[ -]?up(?! of)|in error|invented|fabricated|hallucinated|bogus|fake|faked|imaginary|"
    r"imagined|misleading|"
    r"the opposite|the contrary|unreliable|falsehoods?)"
)
_TRUE = (
    r"(?:true|correct|right|accurate|the case|so(?! far\b)|real|valid|the truth|the answer|reliable|"
    r"trustworthy|factual|genuine|what i (?:said|say|wrote|claim\w*|told)|"
    r"what the (?:tools?|data|results?) \w+)"
)
_BE = (
    r"(?:\b(?:is|are|was|were|be|been|being|am|it|that|this|completely|all|entirely|both|sounds?)|"
    r"['’](?:s|re|m))"
)
_POINT = r"(?:this|that|these|those|it|the|what|everything|all|my|any|anything|whatever|previous|each)"

VERACITY = re.compile(
    rf"\b(?:not|never|hardly|no longer)(?: \w+){{0,2}} {_TRUE}\b(?! away\b| now\b)|"
    rf"n['’]t(?: \w+){{0,2}} {_TRUE}\b(?! away\b| now\b)|"
    rf"\b(?:isn['’]t|ain['’]t|wasn['’]t) it\b(?!,)|"
    rf"{_BE}(?: \w+){{0,2}} {_UNTRUE}\b|"
    r"\bi(?: have|['’]ve| had| am| was|['’]m)?(?: \w+)? (?:made (?:\w+ ){0,3}up|invent(?:ed)?|"
    r"fabricated|lied|"
    r"lying|joking|kidding|bluffing|hallucinated|guessed|take (?:\w+ ){1,3}back|retract|withdraw|"
    r"deny|denied|"
    r"erred|made a mistake|doubt)\b|\b(?:lying|lie) if\b|"
    r"\b(?:just|only|merely) (?:kidding|joking|a joke|a guess|guessing)\b|"
    rf"\b(?:scratch|strike|ignore|disregard|forget|discard) {_POINT}\b|"
    r"\bnever ?mind\b|\bno attention\b|"
    r"(?:\bnot|n['’]t) (?:\w+ )?(?:believe|trust|rely|count on|listen)\b|"
    r"\bthe (?:opposite|reverse|contrary|converse)(?: \w+){0,2} (?:is|holds|applies|was)\b|"
    r"\bon second thoughts?\b|\b(?:none|nothing|not (?:one|a word|any|all|a single \w+)) of "
    r"(?:this|that|the above|it|what|which|the following|(?:these|those)(?! [a-z]+s\b))\b"
    r"(?! (?:is|are|should be|constitutes?) (?:\w+ ){0,4}advice\b)|"
    r"\b(?:contrary to|far from|opposite of)(?: \w+){0,2} (?:truth|facts?|true|case)\b|"
    r"\b(?:refute|disprove|debunk|repudiate|contradict|dispute)[sd]?\b|"
    r"\ba (?:\w+ )?(?:myth|lie|falsehood)\b|\bfalse(?:ly)? (?:that|to|stated?|claims?|answer|"
    r"statement)\b|"
    r"\b(?:wrong|incorrect|false|untrue|fictional|invented|fake|made[ -]up|bogus) "
    r"(?:that|to say|answers?|statements?|claims?|numbers?|values?|figures?|information)\b"
)
"""Says of a statement that it is untrue, or takes it back."""

NOT_UNTRUE = re.compile(
    r"(?:\bnot|\bnothing|\bno|n['’]t|\bnever)(?: \w+){0,3} (?:wrong|false|mistaken|incorrect|"
    r"a (?:lie|joke)|kidding|"
    r"joking|made up|invented)\b|"
    r"\blies (?:in|at|on|under|about|between|within|near|\d)\b|"
    r"\b(?:was|were|is|are) not? (?:all )?right now\b|\bif (?:\w+ ){0,4}(?:wrong|false|mistaken)\b"
)
"""Says of a statement that it is not untrue."""

HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|conceivably|supposedly|allegedly|reportedly|"
    r"hypothetically|theoretically|might(?! of)|unsure|uncertain|unverified|unconfirmed|doubtful|dubious|"
    r"guess(?:es|ing|timate)?|speculat\w+|mayhap|perchance|unlikely|questionable|debatable|potentially|"
    r"tentative(?:ly)?|arguabl[ey])\b|"
    r"\bmay (?:\w+ )?(?:be|have|cost|take|not|or|also|well|equal|amount|differ)\b|"
    r"\bno (?:idea|clue)\b|\bi (?:do not|don['’]t) know\b(?! (?:which|what|when|where|who|why|how)\b)|"
    r"\b(?:could|can) (?:also |just as |equally |as )?(?:well )?(?:be|have been|mean|"
    r"equal)\b(?! (?:\w+(?:ed|en|own)|found|had|bought|sold|reached|made|done|paid|held|read|sent|kept)\b)|"
    r"(?:\bnot|n['’]t|\bnever)(?: \w+){0,2} (?:sure|certain|confident|verified|verify|guarantee[d]?|"
    r"swear|vouch|know (?:whether|if|for)|say for|tell for|positive|confirm(?:ed)?)\b|"
    r"\bi (?:suppose|assume|presume|imagine|reckon|wonder|doubt)\b|"
    r"\bthere (?:is|['’]s) (?:some|a) (?:chance|doubt|possibility|probability)\b|"
    r"\bwho knows\b|\b(?:hard|difficult|impossible) to (?:say|tell|know)\b|\bif i (?:remember|"
    r"recall|had)\b|"
    r"\bas far as i (?:remember|recall|can tell)\b|\bmost likely\b|\blet['’]?s (?:say|assume|pretend)\b|"
    r"\bit['’]?s (?:a )?(?:toss|fifty)|\b(?:suppose|imagine|pretend|assume)(?: for \w+ \w+)? that\b|"
    r"^\W*(?:suppose|imagine|pretend|assume)\b|\bin theory\b|\b(?:some|people|others|they|rumou?rs?) "
    r"(?:\w+ )?(?:say|claim|believe|think|has it)\b|\bit (?:is|was) (?:said|claimed|rumou?red|alleged)\b|"
    r"\bi (?:am|['’]m|was) (?:only )?(?:guessing|unsure|uncertain)\b|\btake (?:this|it) with\b|"
    r"\b(?:sources?|accounts?|opinions?) (?:differ|vary|disagree)\b|\bwas i to guess\b|"
    r"\beither\b[^.;\n]{0,120}\bor\b|"
    r"(?<!only )(?<!just )(?<!exactly )(?<!every )\bone of (?:these|those|the following|them|two)\b|"
    r"\bin doubt\b"
)
"""Says that the speaker does not know, or lets others say it."""

ALTERNATIVE = re.compile(
    r"\b(?:alternatively|alternately|or else|or otherwise|or maybe|or perhaps|or possibly|or rather|"
    r"or it (?:is|was|could|might|may)|or even|failing that|then again|or,? (?:if|in) \w+|"
    r"(?:another|an alternative|a second|a different|the other|one more|a further) "
    r"(?:possible |plausible |potential )?"
    r"(?:possibility|option|answer|candidate|guess|reading|interpretation|solution|result))\b|"
    r"\balternatives?\b(?=\W*(?:answers?|is|are|:|$))|\bpossible (?:answers?|values?|results?)\b|"
    r"\bor(?=\s*[:,])"
)
"""Offers something beside what was said."""

CORRECTION = re.compile(
    r"\b(?:correction\b|corrected\s*:|make that\b|make it\b(?=\W*\d)|no,? wait\b|wait,? no\b|"
    r"i meant?\b(?! to\b)|"
    r"i (?:should have|ought to have) said\b|oops\b|whoops\b|let me correct\b|hold on\b|i misspoke\b|"
    r"erratum\b|edit\s*:|my mistake\b|on reflection\b|wait\s*[,:.!–—-])"
)
"""Puts something else in the place of what was said."""

CORRECTS = re.compile(
    r"^\W*(?:(?:but|and|well|oh|no|hm+|so|yet),? )?(?:actually|in (?:fact|reality|truth|"
    r"actual fact)|really|"
    r"sorry|rather|the truth (?:is|being)|truth is|truthfully|(?:the )?(?:real|true|right|correct|"
    r"actual) \w+|"
    r"it (?:is|was) really|better|no)\b"
)
"""Opens a clause that may put something else in the place of what was said."""

NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|rather than|instead of|hardly|barely|scarcely|by no means|"
    r"in no way|"
    r"under no circumstances|no longer|no way|anything but|far from being|other than|except(?: for)?|"
    r"fails? to|ceased? to|refus\w+ to)\b|n['’]t\b"
)
"""Makes a clause say that something is not so."""

HARMLESS = re.compile(
    r"\bnot (?:only|just|merely|solely|far|to mention|least|including|included|counting|bad|much|"
    r"many|long|"
    r"surprisingly|expensive|necessar\w+|required|needed)\b|"
    r"(?:\bnot|n['’]t)(?: \w+){0,3} (?:until|till|before|any (?:earlier|later|sooner|less|"
    r"further|more than))\b|"
    r"\b(?:no|not|never|none|nothing|nobody|cannot|hardly)\b(?:[ -][\w'’]+){0,8} than\b|"
    r"n['’]t(?: [\w'’]+){0,8} than\b|"
    r"(?:\b(?:not|never|no|nobody)|n['’]t)(?: [a-z]+){0,4} "
    r"(?:above|below|under|beneath|beyond|past)\b(?= \W{0,3}\d)|"
    r"(?:\bnot|n['’]t)(?: \w+)? (?:need|have to|worry|forget|hesitate|miss|matter|mind|exceed|"
    r"change[ds]?)\b|"
    r"\b(?:that|which|who) (?:is|are|was|were|does|do|has|have|can)(?:n['’]t| not)(?: \w+){1,3} "
    r"(?:is|are|was|were)\b|"
    r"\bneed(?:n['’]t| not)\b|\bwhy not\b|\bif not\b|\bor not\b|\bwhether\b|"
    r"\bcan['’]?t? ?(?:not)? (?:help|wait)\b|"
    r"\bother than that\b|\bexcept(?: for)? that\b|\bfar from\b(?! being)"
)
"""A negation that leaves what the clause says as it is."""

LABELLED = re.compile(
    r"^\W*(?:wrong|false|untrue|incorrect|lies?|fake|nonsense|not true|made[ -]?up)\s{0,3}:"
)
"""Opens a text that is said to be untrue."""
POSTPONED = re.compile(
    r"^\W*(?:not|wrong|false|untrue|fictional|invented|fabricated|made[ -]up|fake|imaginary|lies?|psych|"
    r"incorrect|bullshit|nonsense)\W*$"
)
"""A whole clause that takes back what stands before it."""
FOLLOWS = re.compile(r"\b(?:following|follows|below|next (?:sentence|statement|line)|hereafter|coming)\b")
"""Points at what is still to come."""
THAT = re.compile(
    r"\W{0,3}(?:that|whether|if|to say|to claim|to state|to think)\b|\s{0,3}[:,–—-]?\s{0,3}[\"“'‘«]"
)
"""What a verdict on a statement is followed by where the statement comes after it."""

_WORDS = """
not never neither nor cannot hardly barely scarcely no none nothing nobody than instead except other
or if unless far means way longer fail fails failed cease ceases ceased refuse refuses refused wrong
false falsely untrue incorrect incorrectly inaccurate mistaken erroneous lie lies lied lying mistake
error joke jokes joking kidding bluffing fabrication fabricated invention invent invented hoax
hallucination hallucinated nonsense rubbish bullshit psych fiction fictional fictitious made madeup
bogus fake faked imaginary imagined misleading opposite contrary converse reverse unreliable
falsehood falsehoods guess guessed guesses guessing guesstimate retract withdraw deny denied erred
doubt scratch strike ignore disregard forget discard nevermind attention thought thoughts refute
refuted disprove disproved debunk debunked repudiate repudiated contradict contradicted contradicts
dispute disputed disputes myth maybe perhaps possibly probably presumably conceivably supposedly
allegedly reportedly hypothetically theoretically might unsure uncertain unverified unconfirmed
doubtful dubious speculate speculating speculation speculative mayhap perchance unlikely
questionable debatable potentially tentative tentatively arguable arguably may could can suppose
assume presume imagine reckon wonder hope wish chance possibility probability knows hard difficult
impossible likely let lets toss fifty pretend theory rumor rumour rumors rumours say claim said
claimed rumored rumoured alleged either alternatively alternately otherwise failing another
alternative alternatives possible correction corrected make wait mean meant oops whoops correct
misspoke erratum edit reflection hold should ought actually fact reality truth truthfully really
sorry rather real true right actual better again these those them anything believe think differ vary
disagree back option answer answers candidate reading interpretation solution trust rely count
listen
"""
WORDS = frozenset(_WORDS.split())
"""One of them, or ``n't``, is in every text that has any cue; most texts have none."""

_TOKEN = re.compile(r"[a-z]+")
_MAY = re.compile(r"(?<!\d )\bmay (?!\d)")


def any_in(text: str) -> bool:
    """Return False where a text in small letters has no cue.

    Examples:
        >>> any_in("the sun rises at 06:10."), any_in("maybe at 06:10"), any_in("it doesn't")
        (False, True, True)
    """
    if "n't" in text or "n’t" in text:
        return True
    found = WORDS.intersection(_TOKEN.findall(text))
    # Most often "may" is a month.
    return bool(found) and (found != {"may"} or _MAY.search(text) is not None)
