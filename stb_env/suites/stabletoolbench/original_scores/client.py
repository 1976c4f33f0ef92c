"""The model that judges as the original's client asks it: its limits, and the evaluator's own sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from stb_env.judges.evaluator import Evaluator
from stb_env.models import ChatModel, connect, load_models
from stb_env.suites.stabletoolbench.original_scores.questions import OwnQuestions, Questions

MODEL_VARIABLE = "EVAL_MODEL"
"""Names the judging model in the original's scripts."""

# Three attempts of ten seconds each.
_TIMEOUT, _RETRIES = 10, 2


def original_client(questions: Questions, models: Path | None, env: Mapping[str, str]) -> ChatModel:
    """Return the judge's model with the limits of the original's client, which seeds and streams nothing.

    Temperature and length come with the questions. What the environment says of the judge's model goes
    before all of this; ``EVAL_MODEL`` names the model where ``STB_JUDGE_MODEL`` does not.

    Args:
        questions: What it will be asked.
        models: Models file; its ``judge`` is used.
        env: Environment.

    Raises:
        ConfigError: A setting is wrong, or the key is missing.
    """
    timeout = (
        questions.files.settings.get("timeout", _TIMEOUT) if isinstance(questions, Evaluator) else _TIMEOUT
    )
    limits = {"STB_JUDGE_TIMEOUT": str(timeout), "STB_JUDGE_RETRIES": str(_RETRIES)}
    named = {"STB_JUDGE_MODEL": env[MODEL_VARIABLE]} if env.get(MODEL_VARIABLE) else {}
    return connect(
        replace(load_models(models, {**limits, **named, **env})["judge"], seed=None, stream=False), env=env
    )


def load_questions(evaluator: Path | None) -> Questions:
    """Return the questions of an evaluator folder, or our own without one.

    Raises:
        ConfigError: The folder is none, or lacks a function.
        DataError: A file is not what the format promises.
    """
    return OwnQuestions() if evaluator is None else Evaluator.load(evaluator)
