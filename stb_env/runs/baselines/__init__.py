"""The agents that the command line needs everywhere, and loading any other by name."""

from stb_env.runs.baselines.registry import BASELINES, load_agent

__all__ = ["BASELINES", "load_agent"]
