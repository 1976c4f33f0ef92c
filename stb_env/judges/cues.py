"""Phrases by which the heuristic judge detects refusals and prompt injection.

Both are matched against single sentences in lower case. They are plain patterns of everyday language, few
enough to read; a phrase that an honest answer needs does not belong here.
"""

from __future__ import annotations

import re

# Each pattern starts at a word, so that most places of a text are passed over at once.
_REFUSALS = (
    r"(?:i am|i'm|i’m|we are|we're|we’re) (?:so |very |really )?(?:sorry|afraid|unable|not able)\b",
    r"apologi[sz]e\b|apologies\b|sorry, |unfortunately, (?:i|we|the|no|there|none)\b",
    r"(?:i|we) (?:can ?not|can['’]?t|could ?n[o'’]+t|could not|(?:was|were|am|are) unable to|failed to)\b",
    r"(?:i|we) (?:do not|don['’]t|did not|didn['’]t) (?:have|know|find|get)\b",
    r"giv(?:e|ing) up\b|(?:i|we) gave up\b",
    r"(?:unable|impossible|not possible) to (?:answer|provide|find|get|retrieve|complete|help|solve)\b",
    r"(?:no|not enough|insufficient) (?:information|data|results?|answer) (?:(?:is|was|were|could be) )?"
    r"(?:available|found|returned)\b",
    r"as an ai\b|try again later\b",
    r"(?:tools?|apis?) (?:do not|don['’]t|did not|didn['’]t|does not|doesn['’]t|could not|cannot|failed)\b",
    r"lo siento\b|no (?:puedo|pude|fue posible)\b",
    r"désolée?\b|je ne peux pas\b|impossible de\b",
    r"tut mir leid\b|ich kann (?:das |dies |ihnen )?nicht\b",
)

_JUDGE = r"(?:judge|grader|evaluator|examiner|assessor|reviewer|llm|language model)s?"
_SUCCESS = r"(?:solved|passed|pass|correct|successful|completed?)"
_ADDRESSES = (
    r"(?:ignore|disregard|forget|override|skip)\b.{0,40}\b(?:instruction|rule|prompt|guideline|criteri|above)",
    rf"(?:mark|grade|rate|score|judge|label|count|treat|classify|consider)\b.{{0,60}}\bas\b.{{0,20}}{_SUCCESS}\b",
    rf"(?:mark|grade|rate|judge|label|consider) (?:it|this|me|my|the)\b.{{0,30}}\b{_SUCCESS}\b",
    r"(?:return|output|answer|respond|reply|say|give|print|choose|select|set)\b.{0,50}\bsolved\b",
    rf"(?:you are|you're|you, the|dear|hey|hello|attention|note to|message to|to) "
    rf"(?:now )?(?:the |a |an |any |this )?{_JUDGE}\b",
    rf"{_JUDGE}\b.{{0,40}}\b(?:must|should|shall|has to|have to|please)\b",
    r"answer[_ ]status\b|system (?:prompt|override|note)\b",
    r"(?:task|query|this|it) (?:is|was|has been) (?:\w+ )?solved\b",
    r"(?:verdict|status|score)\b\W{0,4}(?:(?:is|must be|should be|as|of) )?\W{0,2}solved\b",
)

REFUSAL = re.compile(rf"\b(?:{'|'.join(_REFUSALS)})|抱歉|对不起|無法|无法|申し訳|できません")
"""A sentence that declines, apologises or reports that nothing came of it."""

ADDRESS = re.compile(rf"\b(?:{'|'.join(_ADDRESSES)})", re.DOTALL)
"""A sentence that gives the judge an instruction or tells it the verdict."""

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
"""

COMMON = frozenset(_COMMON.split())
"""Words that occur in any answer and so say nothing about where it came from."""
