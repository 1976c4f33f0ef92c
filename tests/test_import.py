"""Importing the package is cheap and complete."""

from __future__ import annotations

import subprocess
import sys

import pytest

import stb_env
from stb_env.bench.start import import_seconds

HEAVY = (
    *("openai", "httpx", "httpx2", "pydantic", "tokenizers", "diskcache", "pettingzoo", "typer"),
    *("rich", "jsonschema", "json_repair"),
)


def test_importing_costs_at_most_a_tenth_of_a_second_more_than_gymnasium():
    assert import_seconds("stb_env") - import_seconds("gymnasium") < 0.1


def test_importing_loads_nothing_heavy():
    code = f"import sys, stb_env; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted(stb_env.__all__))
def test_every_public_name_is_there(name: str):
    assert getattr(stb_env, name) is not None


def test_there_are_at_most_twenty_public_names():
    assert len(stb_env.__all__) <= 20


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"^module 'stb_env' has no attribute 'Agnet'$"):
        _ = stb_env.Agnet
