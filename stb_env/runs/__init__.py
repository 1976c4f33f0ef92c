"""Playing episodes: one, groups for training, or a resumable run of many."""

from stb_env.runs.agent import Agent, AgentFactory, as_agent
from stb_env.runs.batch import arun_batch, run_batch
from stb_env.runs.curve import Curve, read_curve
from stb_env.runs.deadlines import Deadlines
from stb_env.runs.driven import DrivenEpisode
from stb_env.runs.episode import aplay, play
from stb_env.runs.groups import Curriculum, Group, StagedTasks, agroups, groups, varied_batch
from stb_env.runs.job import Job, plan
from stb_env.runs.run import Run

__all__ = [
    "Agent",
    "AgentFactory",
    "Curriculum",
    "Curve",
    "Deadlines",
    "DrivenEpisode",
    "Group",
    "Job",
    "Run",
    "StagedTasks",
    "agroups",
    "aplay",
    "arun_batch",
    "as_agent",
    "groups",
    "plan",
    "play",
    "read_curve",
    "run_batch",
    "varied_batch",
]
