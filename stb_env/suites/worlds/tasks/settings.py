"""Names that settings of generated worlds take."""

from __future__ import annotations

from collections.abc import Mapping
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

WORLDS: Mapping[Split, range] = {
    "train": range(10_000, 10_000 + 2**20),
    "val": range(1_000, 2_000),
    "test": range(1_000),
}
"""Seeds of the worlds of each split."""
