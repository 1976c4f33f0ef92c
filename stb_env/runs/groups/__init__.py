"""Groups: several trials at a task from one state, and what training on them takes."""

from stb_env.runs.groups.advantages import dr_grpo, grpo, rloo
from stb_env.runs.groups.curriculum import Curriculum
from stb_env.runs.groups.group import Group
from stb_env.runs.groups.staged_tasks import StagedTasks
from stb_env.runs.groups.staleness import Staleness
from stb_env.runs.groups.stream import agroups, groups
from stb_env.runs.groups.varied_batch import VariedBatch, avaried_batch, varied_batch

__all__ = [
    "Curriculum",
    "Group",
    "StagedTasks",
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
