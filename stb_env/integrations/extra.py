"""The error message for a framework that is not installed."""

from __future__ import annotations

from stb_env.errors import ConfigError


def missing(framework: str, extra: str) -> ConfigError:
    """Return the error of an adapter whose framework is not there, to be raised from the import's.

    Args:
        framework: Its name, for a person.
        extra: The extra of this package that installs it.

    Examples:
        >>> missing("TRL", "trl")
        ConfigError("this adapter needs TRL, which is not installed here; pip install 'stb-env[trl]'")
    """
    return ConfigError(
        f"this adapter needs {framework}, which is not installed here; pip install 'stb-env[{extra}]'"
    )
