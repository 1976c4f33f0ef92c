"""The mode in which a task is played: split, rules, and size of an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Split = Literal["test", "train"]
Compat = Literal["original"]


@dataclass(frozen=True, slots=True)
class Mode:
    """The mode that an environment's parts are made for.

    Attributes:
        split: Which goals are played.
        original: Whether the rules are the original's, its defects included, or ours.
        program: Whether the first action is a whole program, and all that there is.
    """

    split: Split = "test"
    original: bool = False
    program: bool = False

    @classmethod
    def of(cls, split: Split, compat: Compat | None, program: bool) -> Mode:
        """Return the mode that an environment's settings ask for.

        Examples:
            >>> Mode.of("test", "original", program=False)
            Mode(split='test', original=True, program=False)
        """
        return cls(split, compat == "original", program)
