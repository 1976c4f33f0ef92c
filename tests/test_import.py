"""Importing the package is cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest

from stb_env.experiments.bench.startup import import_seconds

HEAVY = (
    *("openai", "httpx", "httpx2", "pydantic", "tokenizers", "diskcache", "pettingzoo", "typer"),
    *("rich", "jsonschema", "json_repair"),
)


@pytest.mark.heavy
def test_importing_costs_at_most_a_tenth_of_a_second_more_than_gymnasium():
    differences = []
    for _ in range(3):
        gymnasium, ours = import_seconds("gymnasium", "stb_env")
        differences.append(ours - gymnasium)
        # A busy machine makes imports slower, and none quicker.
        if differences[-1] < 0.1:
            break
    assert min(differences) < 0.1


def test_importing_loads_nothing_heavy():
    code = f"import sys, stb_env; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.heavy
def test_an_import_that_takes_long_is_measured_as_such(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("import stb_env\nfor _ in range(10_000_000): pass\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ours, slower = import_seconds("stb_env", "slow_to_import", runs=3)
    assert slower - ours > 0.1
