"""Playing episodes: one, groups for training, or a resumable run of many."""

from stb_env.rollout.agent import Agent, AgentFactory, as_agent
from stb_env.rollout.batch import arun_batch, run_batch
from stb_env.rollout.curve import Curve, read_curve
from stb_env.rollout.deadlines import Deadlines
from stb_env.rollout.driven import DrivenEpisode
from stb_env.rollout.episode import aplay, play
from stb_env.rollout.group import Curriculum, Group, agroups, groups, varied_batch
from stb_env.rollout.job import Job, plan
from stb_env.rollout.run import Run

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
