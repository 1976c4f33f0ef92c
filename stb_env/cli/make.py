"""Making environments for commands."""

from stb_env.rollout.make import env_ids, make_env

__all__ = ["env_ids", "make_env"]
