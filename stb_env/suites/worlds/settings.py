"""Names that settings of generated worlds take."""

from __future__ import annotations

from typing import Literal

Split = Literal["train", "val", "test"]
Group = Literal["I1-Instruction", "I1-Tool", "I1-Category"]
