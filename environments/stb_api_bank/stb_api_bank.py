"""API-Bank as a taskset of verifiers: ``vf-eval stb_api_bank``."""

from stb_env.integrations.verifiers import StbHarness, StbTaskset

__all__ = ["ApiBank", "StbHarness"]


class ApiBank(StbTaskset):
    """The tasks of an environment; ``--env.taskset.env-id`` names another of the suite."""

    ENV_ID = "stb/APIBankRetrieve-v1"
