"""Groups: several trials at a task from one state, and what training on them takes."""

from stb_env.rollout.group.advantages import dr_grpo, grpo, rloo
from stb_env.rollout.group.group import Group
from stb_env.rollout.group.staleness import Staleness
from stb_env.rollout.group.stream import agroups, groups

__all__ = ["Group", "Staleness", "agroups", "dr_grpo", "groups", "grpo", "rloo"]
