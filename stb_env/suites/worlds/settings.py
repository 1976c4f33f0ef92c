"""Names that settings of generated worlds take."""

from __future__ import annotations

from typing import Literal

Split = Literal["train", "val", "test"]
Group = Literal[
    "I1-Instruction",
    "I1-Tool",
    "I1-Category",
    "I2-Instruction",
    "I2-Tool",
    "I2-Category",
    "I3-Instruction",
    "I3-Tool",
    "I3-Category",
]
"""One kit, several services of one, or several kits; with tasks, worlds or kits that training never shows."""
