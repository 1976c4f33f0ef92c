"""The Sandbox as a taskset of verifiers: ``vf-eval stb_sandbox``."""

from stb_env.integrations.verifiers import StbHarness, StbTaskset

__all__ = ["Sandbox", "StbHarness"]


class Sandbox(StbTaskset):
    """The tasks of an environment; ``--env.taskset.env-id`` names another of the suite."""

    ENV_ID = "stb/Sandbox-v1"
