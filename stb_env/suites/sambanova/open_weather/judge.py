"""Judge whether the last request of an episode is the one that was asked for.

Where the default differs from the original evaluator, the evaluator has a defect:

- An answer in XML, an address in double quotes and an option after the address crash there. They are fine.
- It adds defaults by looking for their names anywhere in the text, so that they depend on the city's name.
- It compares answers, whose clock moves between prediction and label, and whose top-level keys say nothing of
  how alike two requests are. Here the requests themselves are compared: what is asked for, the place, however
  it is named (a city, its coordinates, its zip code), and what the optional parameters come to.
- It takes what a goal leaves open for the default. Here units, format and number of places are up to whoever
  answers where the label does not have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stb_env.core.request import Slow
from stb_env.judges.judge import Case
from stb_env.suites.sambanova.common.agreement import Agreement, agreement
from stb_env.suites.sambanova.common.verdicts import is_done, is_executable, made_calls, verdict_on_agreement
from stb_env.suites.sambanova.open_weather.api import SERVICE
from stb_env.suites.sambanova.open_weather.places import Place, place_key
from stb_env.suites.sambanova.open_weather.report import language_code
from stb_env.suites.sambanova.open_weather.service import DEFAULTS, place_of
from stb_env.tools import ToolCall
from stb_env.verdict import Verdict

_OPEN = frozenset({"units", "mode", "limit"})
"""Parameters that are up to whoever answers where a goal does not name them."""


class RequestJudge:
    """Compares the last call of an episode with the accepted ones.

    The one part of a verdict is the request; precision, recall and F1 are those over the items of `meaning`.
    """

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict; yields nothing.

        Raises:
            DataError: A label of the task is no valid command.
        """
        yield from ()
        calls, labels = made_calls(case), case.task.goal["labels"]
        reason, agreed = "nothing was called", Agreement()
        if calls and is_done(calls[-1]):
            last = SERVICE.as_typed(ToolCall(calls[-1].name, calls[-1].arguments))
            got = meaning(last.name, last.arguments if isinstance(last.arguments, Mapping) else {})
            reason = ""
            agreed = max((_compared(got, wanted(label)) for label in labels), key=lambda each: each.f1)
        elif calls:
            reason = calls[-1].result.error
        act = SERVICE.typed_label(labels[0]).name
        parts = {f"act:1 {act}": agreed.complete}
        return verdict_on_agreement(
            self.name, agreed, executable=is_executable(calls), reason=reason, parts=parts
        )


def meaning(name: str, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return what a call asks for, with defaults filled in, so that equal requests are equal.

    Examples:
        >>> meaning("coordinates_of_place", {"q": "New  York"})
        {'path': '/geo/1.0/direct', 'place': 'new york', 'limit': 1}
        >>> meaning("weather_by_zip", {"zip": "94301"}) == meaning("weather_by_city", {"q": "palo alto"})
        True
    """
    endpoint = SERVICE.by_name.get(name)
    if endpoint is None:
        return {}
    place = {name: str(arguments.get(name, "")) for name in endpoint.required}
    options = {name: arguments.get(name, DEFAULTS[name]) for name in endpoint.optional}
    if "lang" in options:
        options["lang"] = language_code(str(options["lang"]))
    return {"path": endpoint.path, "place": _place(endpoint.path, place), **options}


def _place(path: str, given: Mapping[str, str]) -> object:
    """Return what tells a place from any other; for what is no place, the text itself."""
    if path.startswith("/geo"):
        return place_key(given["q"])
    found = place_of(given)
    return found.id if isinstance(found, Place) else dict(given)


def _compared(got: Mapping[str, object], label: Mapping[str, object]) -> Agreement:
    """Compare what is asked for with a label; what the label leaves open is not looked at."""
    return agreement(
        {name: value for name, value in got.items() if name in label or name not in _OPEN}, label
    )


@lru_cache(maxsize=1_024)
def wanted(label: str) -> dict[str, object]:
    """Return what a label asks for, without what it leaves open.

    Raises:
        DataError: It is no valid command.

    Examples:
        >>> wanted("curl 'https://api.openweathermap.org/data/2.5/air_pollution?lat=1&lon=2&appid={API_KEY}'")
        {'path': '/data/2.5/air_pollution', 'place': 4688345}
    """
    endpoint, arguments = SERVICE.label(label)
    asked = meaning(endpoint.name, arguments)
    return {name: value for name, value in asked.items() if name in arguments or name not in _OPEN}
