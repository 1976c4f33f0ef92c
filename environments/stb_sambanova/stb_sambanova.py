"""SambaNova's ToolBench as a taskset of verifiers: ``vf-eval stb_sambanova``."""

from stb_env.integrations.verifiers import StbHarness, StbTaskset

__all__ = ["SambaNova", "StbHarness"]


class SambaNova(StbTaskset):
    """The tasks of an environment; ``--env.taskset.env-id`` names another of the suite."""

    ENV_ID = "stb/OpenWeather-v1"
