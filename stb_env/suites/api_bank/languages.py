"""Languages by code and name, in the order in which the original's translation client tries them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from stb_env.suites.api_bank.api_error import ApiError


@lru_cache(maxsize=1)
def languages() -> Mapping[str, str]:
    """Return the languages' names by code."""
    text = (files("stb_env.suites.api_bank") / "languages.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def language_code(language: str) -> str:
    """Return the code of a language given by code or by a text that holds its name.

    Raises:
        ApiError: There is no such language.

    Examples:
        >>> language_code("fr"), language_code("Spanish (Mexico)"), language_code("Traditional Chinese")
        ('fr', 'es', 'zh-tw')
    """
    lowered = language.lower()
    if "chinese" in lowered:
        return "zh-tw" if "traditional" in lowered else "zh-cn"
    for code, name in languages().items():
        if code == lowered or name in lowered:
            return code
    raise ApiError("Language not supported.")
