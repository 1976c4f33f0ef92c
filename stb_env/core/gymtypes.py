"""Names for Gymnasium's generics in annotations, where what is observed and done does not matter."""

from __future__ import annotations

from typing import Any, TypeAlias

import gymnasium as gym

AnyEnv: TypeAlias = gym.Env[Any, Any]
"""An environment, wrapped or not."""
