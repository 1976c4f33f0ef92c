"""Whether an answer says that a deed was not done that the state shows done: denied, put off or offered."""

from __future__ import annotations

import re
from itertools import groupby

from stb_env.suites.sandbox.answers import fold
from stb_env.suites.sandbox.mentions import Text, stems

_BARE = (
    "create|set|add|book|save|log|send|mail|put|enter|make|start|move|change|update|delete|remove|pay|order|"
    "buy|cancel|post|submit|do|reserve|rent|write|open|close|assign|transfer|exchange|erase|call off|return|"
    "overwrite|confirm|schedule|switch|turn|apply|record|complete|register|hire|pin|note|reopen|carry out"
)
_DONE = (
    "created|set|added|booked|saved|logged|sent|mailed|put|entered|made|started|moved|changed|updated|deleted|"
    "removed|paid|ordered|bought|cancelled|canceled|posted|submitted|done|reserved|rented|written|wrote|"
    "opened|closed|assigned|transferred|exchanged|erased|called off|returned|scheduled|switched|turned|"
    "recorded|took|gave|completed|registered|raised|shared|renamed|rescheduled|postponed|replaced|placed|ran|"
    "hired|pinned|noted|reopened|reacted|carried out"
)
_NOT = (
    r"(?:(?:have|had|did|could|ca|wo|would|do|was)n['’]t|(?:have|had|did|could|will|would|do|was|am) not|"
    r"cannot|never)"
)
_UNDONE = re.compile(
    rf"\bi(?:['’]d rather not| {_NOT}(?: yet| actually| been| able to){{0,2}}) (?:{_BARE}|{_DONE})\b|"
    rf"\b(?:i(?:['’]ve| have)?|and|so) (?:{_DONE}) (?:nothing|none)\b|"
    rf"\b(?:no|not any) \w+ (?:has|have) been (?:{_DONE})\b|"
    rf"\bdid(?:n['’]t| not) (?:{_BARE}) (?:it|them|that)\b|"
    rf"\b(?:is|are|has been|have been)(?:n['’]t| not)(?: yet| been){{0,2}} (?:{_DONE}|in (?:your|the))\b|"
    rf"\b(?:has|have)(?:n['’]t| not)(?: yet)? been(?: yet)? (?:{_DONE})\b|"
    rf"\b(?:could|can)(?:n['’]t| not) be (?:\w+ed|{_DONE})\b|\b(?:was|is|['’]s) nothing to \w+"
)
"""Says that something was not done."""
_LEFT = re.compile(
    r"\bi(?:['’]ve| have)? (?:left|kept) ([^.;\n]{1,60}?) (?:as (?:it|they) (?:was|were|is|are|stood)|alone|"
    r"untouched|unchanged)\b|"
    r"\b(?:did not|didn['’]t|have not|haven['’]t) touch(?:ed)? ([^.;\n]{1,40})|"
    r"([^.;\n]{1,60}?) i (?:left|kept) (?:as (?:it|they) (?:was|were|is|are)|alone|untouched|unchanged)\b"
)
"""Says that something was left as it was."""
_STILL_UNDONE = re.compile(
    rf"\b(?:is|are|has been|have been)(?:n['’]t| not)(?: yet| been){{0,2}} ({_DONE})\b|"
    rf"\b(?:did not|didn['’]t|have not|haven['’]t) ({_BARE}|{_DONE})\b([^.;,\n]*)"
)
"""Says of one deed that it is not done."""
_CHOICE = re.compile(
    r"(?i)\b(?:if|unless|otherwise|else|instead|whether|where|in case|only|should|but|try)\b"
)
"""Leaves open in a query which deed is to be done."""
_OFFERED = re.compile(
    r"\b(?:shall|should) i\b|\buntil you (?:confirm|tell|say)|\bplease confirm\b|"
    r"\b(?:give|say) (?:me )?the word\b|"
    r"\bif you (?:tell me|confirm(?:ed)?|want me to|say so|give)\b|\bare you sure (?:that )?you want\b|"
    rf"\b(?:do|would) you (?:want|like) me to (?:{_BARE})\b|\bi(?:['’]m| am) ready to\b|"
    rf"\bi(?:['’]ll| will) (?:{_BARE})\b[^.\n]{{0,60}}\b(?:once|when|as soon as|after|if)\b|"
    r"\b(?:do|have to do) (?:it|this|that) yourself\b"
)
"""Offers a deed, or asks whether to do it."""
_HINT = re.compile(
    r"n['’]t\b|\b(?:not|never|cannot|nothing|none|rather|left|kept|shall|should|until|confirm|word|if you|"
    r"sure|would you|do you|ready|i['’]ll|i will|yourself)\b"
)
"""What each of the others has at least one of."""
_ELSE = re.compile(
    r"\b(?:else|others?|rest|remaining|another|any\w*|again|twice|also|too|as well|further|more|extra|second|"
    r"before|duplicates?|instead|only|first|different)\b"
)
"""Speaks of something beside the deed."""
PASSIVE = re.compile(
    rf"\b(?:is|are|was|were|been|got|now|being|it['’]s|all)(?: now| already)? (?:{_DONE}|marked)\b"
)
"""Says of something that it was done."""
_CLAIMED = re.compile(
    rf"\bi(?:['’]ve| have)?(?: then| also| now| therefore| just| have){{0,2}} (?:{_DONE})\b|"
    rf"{PASSIVE.pattern}|^\W*(?:and )?(?:{_DONE})\b"
)
_IT = frozenset({"it", "things", "them", "everything", "all", "that", "this"})


def undone(text: Text) -> str:
    """Return where an answer says that nothing was done, or not all of it, or an empty string.

    Args:
        text: The answer to a query whose deeds are all done.

    Examples:
        >>> from stb_env.suites.sandbox.mentions import read
        >>> undone(read("I have not booked the class yet.", "Book the class."))
        'read that it is not done: "i have not booked the class yet"'
        >>> undone(read("The class is booked; I haven't booked anything else.", "Book the class."))
        ''
        >>> undone(read("I reacted to the post. I did not pin it.", "React to the post and pin it."))
        'read that it is not done: "i did not pin it"'
    """
    if not _HINT.search(text.folded):
        return ""
    reason = ""
    claimed = False
    for _, parts in groupby(text.said, key=lambda part: part.sentence):
        clauses = list(parts)
        claimed = claimed or any(
            part.stance == "asserted" and _CLAIMED.search(part.text) and not _UNDONE.search(part.text)
            for part in clauses
        )
        sentence = text.folded[clauses[0].start : clauses[-1].end]
        if _ELSE.search(sentence):
            continue
        told = f'read that it is not done: "{sentence[:80]}"'
        if _spares(text, sentence) and not _CHOICE.search(text.query):
            # Where all is to be done, who did a part of it and left the other has not done it.
            return told
        if _UNDONE.search(sentence) or _OFFERED.search(sentence) or _spares(text, sentence):
            reason = reason or told
    return "" if claimed else reason


def _spares(text: Text, sentence: str) -> bool:
    """Return whether a sentence says of something in the query that it was left, or not done."""
    left = _LEFT.search(sentence)
    if left:
        said = left[1] or left[2] or left[3]
        return said in _IT or bool(stems(said) & text.asked)
    denied = _STILL_UNDONE.search(sentence)
    if not denied or not stems(denied[1] or denied[2]) & text.asked:
        return False
    told = stems(denied[3] or "")
    return not told or bool(told & stems(fold(text.query)))
