"""Playing episodes: one, or a resumable run of many."""

from stb_env.rollout.agent import Agent, AgentFactory, as_agent
from stb_env.rollout.episode import play
from stb_env.rollout.run import Job, Run, plan, run_batch

__all__ = ["Agent", "AgentFactory", "Job", "Run", "as_agent", "plan", "play", "run_batch"]
