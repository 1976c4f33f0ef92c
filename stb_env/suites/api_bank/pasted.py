"""Results that a reply hands over as they came, without a word about them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stb_env import jsontext
from stb_env.jsontypes import Json

_LEAD = re.compile(r"^[^:\d]{1,60}:\s*")
_LEADS = re.compile(r":\s*$")
_ITEM = re.compile(r"[,;\n]\s*")
_FEW, _SEVERAL = 3, 2


class Pasted:
    r"""What can be pasted of an episode.

    Args:
        responses: What its calls returned.

    Examples:
        >>> pasted = Pasted([{"token": "q7"}, 2739.25])
        >>> pasted.without('Here it is:\n{"token": "q7"}\n2739.25'), pasted.without("2739.25")
        ('', '2739.25')
        >>> Pasted([["light", "smart lamp", "blinds"]]).is_list("Regarding that: light, smart lamp, blinds.")
        True
    """

    def __init__(self, responses: Iterable[Json]) -> None:
        self._texts = [each if isinstance(each, str) else jsontext.dumps(each) for each in responses]
        self._folded = "\n".join(self._texts).casefold()

    def without(self, text: str) -> str:
        """Return a text without lines of raw data and, where it has any, without leads and bare results."""
        lines = text.splitlines()
        kept = [line for line in lines if not _is_raw(line)]
        if len(kept) == len(lines) and sum(line.strip() in self._texts for line in lines) < _SEVERAL:
            return text
        return "\n".join(line for line in kept if line.strip() not in self._texts and not _LEADS.search(line))

    def is_list(self, text: str) -> bool:
        """Return whether a text is a bare list of words and numbers out of the results."""
        items = [item.strip(" .") for item in _ITEM.split(_LEAD.sub("", text.strip(), count=1))]
        return len(items) >= _FEW and all(item.casefold() in self._folded for item in items)


def _is_raw(line: str) -> bool:
    begun, ended = line.strip()[:1], line.strip()[-1:]
    return (begun, ended) in {("{", "}"), ("[", "]")} and '"' in line
