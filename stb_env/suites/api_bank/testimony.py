"""What an episode bears out: of a reply, all that is said of its calls and of what they returned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from stb_env import jsontext
from stb_env.jsontypes import Json, JsonMapping
from stb_env.judges.account import Acts, asserted, faults, words_of
from stb_env.judges.judge import Case
from stb_env.reading.statement import statements
from stb_env.suites.api_bank.agreement import Known
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.claim import undone, unfounded
from stb_env.suites.api_bank.deeds import Deed, deeds_of, disowned, finds_nothing, missed
from stb_env.suites.api_bank.figures import Figures
from stb_env.suites.api_bank.owners import misplaced
from stb_env.suites.api_bank.replies import heard, results
from stb_env.suites.api_bank.roles import Roles
from stb_env.suites.api_bank.strangers import strangers
from stb_env.tools import FINISH

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Testimony:
    """Holds replies against an episode.

    Args:
        case: The episode.
    """

    def __init__(self, case: Case) -> None:
        calls = [call for call in case.calls if call.name != FINISH]
        # What a search for tools returns says what they could do, and not what was done.
        self._calls = [call for call in calls if call.name != SEARCHER]
        self._names = [call.name for call in calls]
        self._heard = heard(case.task)
        self._said = [*self._heard, *map(_written, results(case))]
        self._lived = [*self._heard, *(_written(call.result.response) for call in self._calls)]
        self._known = [*self._lived, *(_written(call.arguments) for call in self._calls)]
        self._roles = Roles(self._calls)
        told = _written([call.result.response for call in self._calls]).lower()
        self.returned = "\n".join(self._said)
        self.acts = Acts(
            # A word of a result is quoted, not done: who "is not travelling" is no failure to travel.
            frozenset(verb for name in self._names if (verb := words_of(name)[0]) not in told),
            failed=any(call.result.error for call in calls),
            several=any(_is_choice(call.result.response) for call in self._calls),
            empty=any(not call.result.response for call in calls),
            undone=undone(self._names) - {words_of(name)[0] for name in self._names},
        )

    @cached_property
    def _deeds(self) -> list[Deed]:
        return deeds_of(self._calls)

    def wrong(self, text: str, recorded: Sequence[JsonMapping], asked: str) -> Iterator[str]:
        """Yield what is wrong with a reply.

        Args:
            text: The reply.
            recorded: The recorded calls of its turn.
            asked: What the user said in its turn.
        """
        yield from map(str, faults(text, self.returned, self.acts))
        figured = [part for call in recorded for part in _figured_with(call)]
        known = Known(self._said, figured)
        told = _told(text)
        unborne = (
            *known.mismeasured(told),
            *known.unnamed(told),
            *Figures(self._known, figured).unsupported(told),
        )
        yield from (f"the reply says {word!r}, which nothing bears out" for word in unborne)
        yield from (
            f"the reply speaks of something else: {strange!r}" for strange in strangers(text, self.returned)
        )
        claimed = "\n".join(said.text for said in asserted(text))
        yield from (
            f"the reply says {verb!r}, which no call did"
            for verb in unfounded(claimed, self._names, "\n".join(self._lived))
        )
        yield from (
            f"the reply says {words!r} of something else than the calls"
            for words in self._roles.confused(told)
        )
        yield from (f"the reply says {words!r} of another" for words in misplaced(told, self._calls))
        yield from (f"the calls did otherwise: {clause!r}" for clause in disowned(text, self._deeds))
        if not finds_nothing(text):
            return
        names = {call["name"] for call in recorded}
        turn = deeds_of(call for call in self._calls if call.name in names)
        yield from (f"the calls found it: {clause!r}" for clause in missed(text, turn, asked))


def _told(text: str) -> str:
    """Return a text with blanks in the place of what is denied, asked, quoted or taken back."""
    for said in statements(text):
        if said.stance not in ("asserted", "alternative", "hedged"):
            text = f"{text[: said.start]}{' ' * len(said.text)}{text[said.end :]}"
    return text


def _figured_with(call: JsonMapping) -> list[Json]:
    """Return what a reply can reckon with: a result, and the numbers of a formula."""
    result = call["result"]
    formula = str(result.get("input")) if call["name"] == "Calculator" else ""
    return [*result.values(), *(float(number) for number in _NUMBER.findall(formula))]


def _written(value: Json) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)


def _is_choice(result: Json) -> bool:
    if isinstance(result, Mapping):
        return any(_is_choice(each) for each in result.values())
    return isinstance(result, list) and len(result) > 1
