"""Cuts dialogues into the samples that the paper's figures rest on (Li et al., 2023, section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall, Utterance


@dataclass(frozen=True, slots=True)
class Sample:
    """One thing that a model is asked for: the next call, or the reply after a call.

    Attributes:
        dialogue: Name of its dialogue.
        level: Level of its dialogue.
        id: Its number. In levels 1 and 2 the k-th call is number 2k, and what follows it 2k + 1; in level 3
            calls are numbered from 0, and the reply at the end comes after the last.
        history: What was said and called before, as recorded.
        target: The recorded call or reply.
        call: Place of the target among the calls of its dialogue; of the last call before it for a reply.
        apis: Names of the APIs that the dialogue calls anywhere, each once.
    """

    dialogue: str
    level: int
    id: int
    history: tuple[Utterance | GoldCall, ...]
    target: GoldCall | Utterance
    call: int
    apis: tuple[str, ...]

    @property
    def wants_call(self) -> bool:
        """True if a call is wanted, and not a reply."""
        return isinstance(self.target, GoldCall)


def cut(dialogues: Iterable[Dialogue]) -> list[Sample]:
    """Return the samples of dialogues, in order.

    In levels 1 and 2 every call makes two samples: the call itself, and whatever comes next. Where that is
    another call, it is asked for twice; where it is the user, nothing is asked for. In level 3 every call
    makes one, and the last reply another.

    Examples:
        >>> call = GoldCall("GetToday", {}, {})
        >>> items = (Utterance("User", "Hi."), call, call, Utterance("AI", "Friday."))
        >>> [(sample.id, sample.wants_call) for sample in cut([Dialogue("d", 1, items)])]
        [(0, True), (1, True), (2, True), (3, False)]
        >>> [(sample.id, sample.wants_call) for sample in cut([Dialogue("d", 3, items)])]
        [(0, True), (1, True), (2, False)]
    """
    return [
        sample
        for dialogue in dialogues
        for sample in (_planned(dialogue) if dialogue.level == 3 else _paired(dialogue))
    ]


def _paired(dialogue: Dialogue) -> Iterator[Sample]:
    places = [place for place, item in enumerate(dialogue.items) if isinstance(item, GoldCall)]
    for number, place in enumerate(places):
        yield _sample(dialogue, 2 * number, place, number)
        following = dialogue.items[place + 1] if place + 1 < len(dialogue.items) else None
        if isinstance(following, GoldCall):
            yield _sample(dialogue, 2 * number + 1, place + 1, number + 1)
        elif following is not None and following.speaker == "AI":
            yield _sample(dialogue, 2 * number + 1, place + 1, number)


def _planned(dialogue: Dialogue) -> Iterator[Sample]:
    number = 0
    last = max((place for place, item in enumerate(dialogue.items) if _is_reply(item)), default=None)
    for place, item in enumerate(dialogue.items):
        if isinstance(item, GoldCall):
            yield _sample(dialogue, number, place, number)
            number += 1
        elif place == last:
            yield _sample(dialogue, number, place, number - 1)


def _is_reply(item: Utterance | GoldCall) -> bool:
    return isinstance(item, Utterance) and item.speaker == "AI"


def _sample(dialogue: Dialogue, id_: int, place: int, call: int) -> Sample:
    apis = tuple(dict.fromkeys(each.name for each in dialogue.calls))
    target = dialogue.items[place]
    return Sample(dialogue.name, dialogue.level, id_, dialogue.items[:place], target, call, apis)
