"""The dialogues of our own by split: a fixed list for tests, and others for training."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Literal

from stb_env.seeding import derive
from stb_env.suites.api_bank.api_set import LEVEL_3, LEVEL_12
from stb_env.suites.api_bank.apis.tool_search import SEARCHER
from stb_env.suites.api_bank.composer.chains import write_chains
from stb_env.suites.api_bank.composer.dialogue_writer import DialogueWriter
from stb_env.suites.api_bank.composer.errands import write_errands
from stb_env.suites.api_bank.databases import Databases, embedded
from stb_env.suites.api_bank.formats.dialogues import Dialogue
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.world import ApiBankWorld

Split = Literal["test", "train"]

VERSION = 1
"""Raised whenever equal seeds stop giving equal dialogues."""
_NAMES = ("call", "retrieve", "plan")
SIZES: dict[Split, int] = {"test": 100, "train": 300}


def composed(level: int, split: Split, written: Sequence[Dialogue] = ()) -> tuple[Dialogue, ...]:
    """Return the composed dialogues of a level, no two of which make the same calls, in either split.

    Args:
        level: The level.
        split: The split.
        written: Dialogues written by hand for tests, none of which recurs.

    Examples:
        >>> dialogues = composed(1, "test")
        >>> len(dialogues), dialogues[0].name
        (100, 'call-test-000')
    """
    tests = composed(level, "test", written) if split == "train" else ()
    taken = {signature_of(dialogue) for dialogue in (*written, *tests)}
    dialogues: list[Dialogue] = []
    for dialogue in _stream(level, split):
        signature = signature_of(dialogue)
        if signature in taken:
            continue
        taken.add(signature)
        name = f"{_NAMES[level - 1]}-{split}-{len(dialogues):03}"
        dialogues.append(Dialogue(name, level, dialogue.items))
        if len(dialogues) == SIZES[split]:
            break
    return tuple(dialogues)


def signature_of(dialogue: Dialogue) -> frozenset[str]:
    """Return what a dialogue does: its calls. Wording, order and searches make no other dialogue of it."""
    return frozenset(
        f"{call.name} {sorted(call.arguments.items())!r}" for call in dialogue.calls if call.name != SEARCHER
    )


def _stream(level: int, split: Split) -> Iterator[Dialogue]:
    write, world = _writer(level)
    number = 0
    while True:
        random = Random(derive("api_bank dialogue", VERSION, level, split, number))
        writer = DialogueWriter(world, random, searching=level > 1)
        write(writer)
        yield writer.dialogue("", level)
        number += 1


def _writer(level: int) -> tuple[Callable[[DialogueWriter], None], ApiBankWorld]:
    apis = LEVEL_3 if level == 3 else LEVEL_12
    databases = Databases({}, {}) if level == 3 else embedded()
    world = ApiBankWorld(apis, databases, searcher=ToolSearcher(apis.entries))
    if level == 3:
        return write_chains, world
    return lambda writer: write_errands(writer, databases), world
