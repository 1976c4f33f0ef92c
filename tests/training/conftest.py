"""One thread: the machines that test have two cores, and small matrices gain nothing from more."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("torch") is not None:
    import torch

    torch.set_num_threads(1)
