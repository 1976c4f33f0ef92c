"""Groups: several trials at a task from one state, and what training on them takes."""

from stb_env.rollout.group.advantages import dr_grpo, grpo, rloo
from stb_env.rollout.group.curriculum import Curriculum
from stb_env.rollout.group.group import Group
from stb_env.rollout.group.staleness import Staleness
from stb_env.rollout.group.stream import agroups, groups
from stb_env.rollout.group.varied_batch import VariedBatch, avaried_batch, varied_batch

__all__ = [
    "Curriculum",
    "Group",
    "Staleness",
    "VariedBatch",
    "agroups",
    "avaried_batch",
    "dr_grpo",
    "groups",
    "grpo",
    "rloo",
    "varied_batch",
]
