"""The role ``agent``: its model where none was given, and failures as its own."""

from __future__ import annotations

from pathlib import Path

from stb_env.errors import ConfigError
from stb_env.models.config import available
from stb_env.models.connect import connect
from stb_env.models.model import ChatModel, ModelError
from stb_env.models.models_file import load_models


def agent_model(given: ChatModel | Path | str | None, who: str = "chat") -> ChatModel:
    """Return the model that plays: the one given, or that of a models file's ``agent`` role.

    Args:
        given: A model, the path of a models file, or None for the role's usual configuration.
        who: The agent, for the error.

    Raises:
        ConfigError: No model is configured.

    Examples:
        >>> from stb_env import ScriptedModel
        >>> agent_model(ScriptedModel([], name="m")).name
        'm'
    """
    if not (given is None or isinstance(given, str | Path)):
        return given
    config = load_models(given)["agent"]
    if not available(config):
        raise ConfigError(
            f"the {who} agent has no model: set {config.key_variable}, or STB_AGENT_BASE_URL and "
            "STB_AGENT_MODEL for a server of your own, or name a models file with --models FILE"
        )
    return connect(config)


def of_agent(error: ModelError, remark: str = "") -> ModelError:
    """Return a model's failure as one of the agent's, whatever role the model was configured for.

    Args:
        error: The failure.
        remark: What to say after its message.

    Examples:
        >>> of_agent(ModelError("late", kind="timeout", stage="judge")).stage
        'agent'
    """
    return ModelError(
        f"{error}{remark}",
        kind=error.kind,
        stage="agent",
        retryable=error.retryable,
        retry_after=error.retry_after,
        usage=error.usage,
        status=error.status,
    )
