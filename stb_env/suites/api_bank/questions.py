"""What an agent's text asks of the user: told from its words, in the same way every time."""

from __future__ import annotations

import re
from collections.abc import Set
from enum import Enum

from stb_env.judges.account import words_of
from stb_env.suites.api_bank.claim import kinds_in


class Question(Enum):
    """What a text asks for."""

    NONE = "none"
    """It asks nothing."""
    OFFER = "offer"
    """Whether there is anything else to do."""
    CONFIRMATION = "confirmation"
    """Whether to go on, or whether something is right."""
    DETAILS = "details"
    """Something that the agent has to know."""
    ANNOUNCEMENT = "announcement"
    """Nothing, but the agent says that it will do something first."""


_OFFER = re.compile(
    r"(any|some)thing (else|more)|what else|(any|some) (other|more|further) |\bfurther (help|assist|question)"
    r"|else (I|we) can|(help|assist) you with|(can|may|could) I (help|assist) you"
    r"|(is|are) there (another|other)\b|let me know if|feel free to",
    re.IGNORECASE,
)
_CONFIRMATION = re.compile(
    r"\b(shall|should|may) I\b|(do|would) you (like|want|wish) (me )?to|is (that|this|it|everything) "
    r"(right|correct|ok|okay|fine|all right)|\bare (these|those|they) (right|correct)|are you sure"
    r"|do I have (that|this|it|everything) right"
    r"|(can|could|please) (you )?(please )?confirm (that|this|the|it|if)\b"
    r"|\b(right|correct|ok|okay)\?\s*$|may I go ahead|shall we|\bdid you mean",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(another|a different|different (one|day|date|time)|a new one|other|longer|narrower|wider|broader|"
    r"again|else)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(also|too|as well|in addition|instead)\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"\?|(please|kindly) (provide|give|tell|share|specify|let me know|enter|send|choose|name)"
    r"|\bI('ll| will| also| just)? need (your|the|to know|a|some|more)"
    r"|\btell me (your|the|which|what|when|where|who)",
    re.IGNORECASE,
)
_ANNOUNCEMENT = re.compile(
    r"\b(one|just a|a) (moment|second|minute)\b(?! (?!please|while|and|let|until)[a-z])"
    r"|\bplease (wait|hold)|\bhold on\b"
    r"|\blet me (first |now |just )?"
    r"(check|look|see|log|get|find|search|do|set|book|try|fetch|verify|start|handle)\b"
    r"|\bI('ll| will) (now|first)\b",
    re.IGNORECASE,
)


def question_of(text: str) -> Question:
    """Return what a text asks for.

    An offer at the end of a text that asks for details is politeness: the details count.

    Examples:
        >>> question_of("Which day suits you? And is there anything else?").name
        'DETAILS'
        >>> question_of("Your alarm is set. Is there anything else I can do for you?").name
        'OFFER'
        >>> question_of("You see Dr. Brandt on 9 May. Is that correct?").name
        'CONFIRMATION'
        >>> question_of("One moment, please.").name, question_of("It cost 42.").name
        ('ANNOUNCEMENT', 'NONE')
    """
    asked = [sentence for sentence in _sentences(text) if _REQUEST.search(sentence)]
    kinds = {_kind(sentence) for sentence in asked}
    for kind in (Question.DETAILS, Question.CONFIRMATION, Question.OFFER):
        if kind in kinds:
            return kind
    return Question.ANNOUNCEMENT if _ANNOUNCEMENT.search(text) else Question.NONE


def offers_another(text: str, acts: Set[str]) -> bool:
    """Return whether a text that asks whether to go on offers to do something else than was asked for.

    Args:
        text: What the agent says.
        acts: Kinds of act that the user wants; see `kinds_of`.

    Examples:
        >>> offers_another("The alarm is off. Shall I set another one?", {"delete"})
        True
        >>> offers_another("It is reserved. Would you like me to cancel it?", set())
        True
        >>> offers_another("Shall I cancel it?", {"delete"}), offers_another("Shall I go ahead?", set())
        (False, False)
    """
    asked = [sentence for sentence in _sentences(text) if _CONFIRMATION.search(sentence)]
    return bool(asked) and all(_is_another(sentence, acts) for sentence in asked)


def _is_another(sentence: str, acts: Set[str]) -> bool:
    kinds = {kind for word in words_of(sentence) for kind in kinds_in(word)}
    if _ELSE.search(sentence):
        return True
    return not kinds & acts and bool(kinds or _BESIDE.search(sentence))


def _sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[?!.])\s+|\n+", text) if part.strip()]


def _kind(sentence: str) -> Question:
    if _OFFER.search(sentence):
        return Question.OFFER
    return Question.CONFIRMATION if _CONFIRMATION.search(sentence) else Question.DETAILS
