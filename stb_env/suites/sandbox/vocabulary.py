"""Words that stand around values: what they tie them to, what they call them, and what says nothing."""

from __future__ import annotations

_TIES_WORDS = """
next second third runner followed following previous previously earlier later other others rest
compared comparison versus vs than after before from instead original originally formerly initially
remaining against ahead behind over under above below beat beats beaten while whereas via through
starting departing leaving return back subtotal tax fee discount deposit per each every times plus
minus sum divided multiplied average range limit maximum minimum budget requested asked query only
lower higher cheaper dearer more less fewer closest nearest rather usual usually normal normally
until till base rate factor half double twice round rounded rounding today yesterday tomorrow off
excluding including included excluded outside away would still daily weekly monthly nightly yearly
leaves departs
"""
TIES = frozenset(_TIES_WORDS.split())
"""They tie a value to something else than what was asked for."""

_GENERIC_WORDS = """
maybe perhaps guess guessing likely unsure suppose presume imagine assume believe think thought
seems a an the this that these those it its they them their there he she his her him you your i my
we our us me is are was were be been being am do does did done has have had having will would shall
should can could may might must and or but nor so if as at by for in into of on onto to with within
without about up out off then thus hence also too again still now just even well please note here hi
hello ok okay yes no not answer answers value values figure figures number numbers result results
total amount price cost costs comes come equals equal makes make made get gets got give gives given
giving say says said tell tells told find finds found look looked looks check checked see seen show
shows shown return returned report reports reported call called tool tools api service system data
source output response information info question request asked ask correct right real actual true
final exact precise same one ones thing things what which who when where how why all any some both
either another alternative option possibility candidate candidates options possibilities next's
however though although because since whatever let know like need want wanted help sure certainly
course glad happy hope welcome anything else something everything sum stands standing instead's
truth fact reality double triple actually sorry wait correction aur ve ll re
isn aren wasn weren don doesn didn hasn haven hadn won wouldn couldn shouldn
"""
GENERIC = frozenset(_GENERIC_WORDS.split())
"""Words of any answer, whatever it is about."""
_DENYING_WORDS = """
not no non never nor neither none nothing without except wrong false untrue incorrect old former fake maybe
perhaps possibly probably about or either guess instead but rather other another approx circa roughly around
nearly almost excluding rejected denied else someone
"""
DENIALS = frozenset(_DENYING_WORDS.split())
"""Words that take a value back or put another beside it, even where the query has them."""
_NOUN_WORDS = """
a an the of in at on for by its my your total amount price cost number value result answer time date
day year name code title count sum local exact full per night month week years days months hours people
persons times pieces degrees film song album book hotel restaurant city channel team ceo actor actress author
writer coach dr mr mrs ms prof tel phone from vs seats tickets units pts points words uses
"""
NOUNS = frozenset(_NOUN_WORDS.split())
"""What any value may be called or counted in."""
