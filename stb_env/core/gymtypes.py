"""Names for Gymnasium's generics in annotations."""

from __future__ import annotations

from typing import TypeAlias

import gymnasium as gym

AnyEnv: TypeAlias = gym.Env[dict[str, object], object]
"""A tool environment, wrapped or not: it observes records, and takes actions of any form."""
