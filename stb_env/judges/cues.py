"""Words that the heuristic judge knows: those of any text, and those that refuse, deny or doubt."""

from __future__ import annotations

_COMMON = """
able about above according across actually after again against all almost along already also although always
among another answer any anything api apis are around ask asked available away back based because been
before being below best better between both bring but call called came can cannot come comes complete
contains could current data details did different does doing done down each either else enjoy enough ensure
error even every everything example explore few finally find first following follows for found free from
further gave get gets give given gives goes going good got great had has have help helpful her here him his
hope how however image include included includes including information instead into item items its itself
just keep know known last later least less let like likely list listed little look looking made main make
makes many may maybe mean means might more most much must name named need needs never new next none nor not
note nothing now number off offer offers often once one only onto other others our out over own part per
perhaps please possible provide provided provides query question quite rather really regarding related
request requested response result results return returned same say says see seem seems several shall she
should show shown shows since some something soon still such sure take taken tell than that the their them
then there these they thing things this those through time title together too took top two under until upon
use used user uses using value values various very via view visit want wanted was way well went were what
when where whether which while who whole whose why will wish with within without would yes yet you your
and com http https www
"""
COMMON = frozenset(_COMMON.split())
"""Words of any text, which say nothing about where it comes from."""

_DENIALS = """
no not never none nothing neither nor without cannot nobody could might unable sorry unfortunately apologies
apologize apologise désolé désolée leider siento
"""
DENIALS = frozenset(_DENIALS.split())
"""Words that deny, regret or weaken the sentence that they stand in; so does any word that ends with n't."""

_DOUBTS = """
alternatively another believe blindly claim claimed contrary correction deny disregard either else fabricated
fake false fiction fictional fictitious guess guessed guesses guessing idea ignore incorrect incorrectly
invalid invented joke joking kidding lie lies maybe mistake mistaken opposite otherwise perhaps possibility
possibly retract rumor rumour scratch uncertain unsure untrue unverified wrong wrongly
"""
DOUBTS = frozenset(_DOUBTS.split())
"""Words that doubt an answer, take it back or offer another one beside it, wherever they stand."""


def is_denial(word: str) -> bool:
    """Return whether a word in small letters denies.

    Examples:
        >>> is_denial("isn't"), is_denial("isn’t"), is_denial("is")
        (True, True, False)
    """
    return word in DENIALS or word.endswith(("n't", "n’t"))
