"""pandas, where a program needs it: it is large, and most episodes never do."""

from __future__ import annotations

from functools import cache
from typing import Any

from stb_env.errors import BackendError


@cache
def pandas() -> Any:
    """Return pandas.

    Raises:
        BackendError: It is not installed. No program is to blame, so the episode does not count.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise BackendError(
            "a program uses data frames, and pandas is not installed; pip install 'stb-env[sheets]'",
            stage="world",
        ) from error
    return pd
