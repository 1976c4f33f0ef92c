"""StableToolBench as a taskset of verifiers: ``vf-eval stb_stabletoolbench``."""

from stb_env.integrations.verifiers import StbHarness, StbTaskset

__all__ = ["StableToolBench", "StbHarness"]


class StableToolBench(StbTaskset):
    """The tasks of an environment; ``--env.taskset.env-id`` names another of the suite."""

    ENV_ID = "stb/I1Instruction-v0"
