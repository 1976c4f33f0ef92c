"""Judges by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from stb_env.core.reference import is_reference
from stb_env.errors import ConfigError, did_you_mean
from stb_env.formats.evaluator_template import CONFIG
from stb_env.judges.evaluator import Evaluator
from stb_env.judges.final_answer import FinalAnswerJudge
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.judge import Judge
from stb_env.judges.model_judge import Reward
from stb_env.judges.original_pass import OriginalPassJudge
from stb_env.judges.own_judge import load_own_judge
from stb_env.judges.pair_question import EvaluatorPairQuestion
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.preference import LoneUnsure, Order, PreferenceJudge, Preferring, VerdictPreference
from stb_env.judges.solvability import ModelSolvability
from stb_env.models import ChatModel, ModelConfig, available, connect, load_models

EXACT = "exact"
JUDGES = ("pass", "final_answer", "original_pass", "heuristic")


def load_judge(
    spec: str | None = None,
    *,
    votes: int = 1,
    reward: Reward = "majority",
    model: ChatModel | None = None,
    models: Path | str | None = None,
    cache: Path | str | None = None,
    evaluator: Path | str | None = None,
    env: Mapping[str, str] = os.environ,
    remark: Callable[[str], None] | None = None,
) -> Judge:
    """Return the judge that a text names.

    Args:
        spec: One of `JUDGES`, the path of an official evaluator folder, or ``path.py:Name`` or
            ``module:Name`` for your own (see `stb_env.judges.own_judge`). None takes the pass judge where its
            model can be used and the heuristic elsewhere.
        votes: How often a model judges each case.
        reward: How votes become a reward: ``majority`` or ``mean``.
        model: The model that judges.
        models: Models file; its ``judge`` role is used where no ``model`` is given.
        cache: Folder of votes that are known.
        evaluator: Official evaluator folder whose words ``pass`` and ``original_pass`` have.
        env: Where keys and ``STB_JUDGE_...`` settings are looked up.
        remark: Told in one line where the heuristic stands in for a model.

    Raises:
        ConfigError: There is no such judge, or its model cannot be used.
        DataError: The evaluator folder is not what the format promises.

    Examples:
        >>> load_judge(env={}, remark=print).name
        no key for a judge model (OPENAI_API_KEY is not set): the heuristic judges instead
        'heuristic'
        >>> from stb_env import ScriptedModel
        >>> load_judge("pass", votes=3, model=ScriptedModel([], name="m")).name
        'pass:m:v3'
    """
    if evaluator is not None and spec not in (None, "pass", "original_pass"):
        raise ConfigError(f"an evaluator words the judges pass and original_pass, not {spec}; leave one out")
    if spec is not None and is_reference(spec):
        if votes != 1:
            raise ConfigError(f"{spec} is asked once and has its own votes; leave out the {votes} votes")
        return load_own_judge(spec, models)
    config = load_models(models, env)["judge"]
    if spec is None and evaluator is None and model is None and not available(config, env):
        if remark is not None:
            remark(f"{_no_key(config)}: the heuristic judges instead")
        return HeuristicJudge()
    if spec == "heuristic":
        if votes != 1:
            raise ConfigError(f"the heuristic casts the same vote every time; leave out the {votes} votes")
        return HeuristicJudge()
    folder = spec if spec is not None and spec not in JUDGES else evaluator
    worded = Evaluator.load(_folder(str(folder))) if folder is not None else None
    model = connect(config, env=env) if model is None else model
    if spec == "final_answer":
        return FinalAnswerJudge(model, votes=votes, reward=reward, cache=cache)
    answers = PassJudge(model, votes=votes, reward=reward, cache=cache, evaluator=worded)
    if spec == "original_pass":
        return OriginalPassJudge(answers, ModelSolvability(model, cache=cache, evaluator=worded))
    return answers


def load_preference(
    spec: str | None,
    verdicts: str,
    *,
    order: Order = "both",
    unsure: LoneUnsure = "wins",
    models: Path | str | None = None,
    cache: Path | str | None = None,
    evaluator: Path | str | None = None,
    seed: int = 0,
    env: Mapping[str, str] = os.environ,
    remark: Callable[[str], None] | None = None,
) -> Preferring:
    """Return what prefers one of two answers that a judge gave verdicts on.

    Args:
        spec: The text that named the judge; an evaluator folder words the comparison too. None asks a
            model where one can be used, and goes by the verdicts alone elsewhere.
        verdicts: Name of the judge that gave the verdicts; beside the heuristic or your own judge no model is
            asked.
        order: In which order a model sees two answers.
        unsure: What a lone unsure against unsolved is worth.
        models: Models file; its ``judge`` role is used.
        cache: Folder of answers that are known.
        evaluator: Official evaluator folder that words the comparison; the one that ``spec`` names, if any.
        seed: Seed of a random order.
        env: Where keys and ``STB_JUDGE_...`` settings are looked up.
        remark: Told in one line where no model is asked for want of a key.

    Raises:
        ConfigError: A setting is unknown, or the model cannot be used.
        DataError: The evaluator folder is not what the format promises.

    Examples:
        >>> load_preference(None, "exact", env={}, remark=print).name
        no key for a judge model (OPENAI_API_KEY is not set): equal verdicts of exact are a tie
        'verdicts:exact'
    """
    if verdicts == "heuristic" or (spec is not None and is_reference(spec)):
        return VerdictPreference(verdicts, unsure)
    config = load_models(models, env)["judge"]
    if spec in (None, EXACT) and not available(config, env):
        if remark is not None:
            remark(f"{_no_key(config)}: equal verdicts of {verdicts} are a tie")
        return VerdictPreference(verdicts, unsure)
    folder = evaluator if spec in (None, EXACT, *JUDGES) else spec
    question = None if folder is None else EvaluatorPairQuestion(Evaluator.load(_folder(str(folder))))
    model = connect(config, env=env)
    return PreferenceJudge(model, order=order, unsure=unsure, cache=cache, question=question, seed=seed)


def _no_key(config: ModelConfig) -> str:
    return f"no key for a judge model ({config.key_variable} is not set)"


def _folder(spec: str) -> Path:
    if spec == EXACT:
        raise ConfigError(
            "the exact verifier needs the world's state, which a saved episode does not hold; "
            "play the tasks again with `stb-env run`"
        )
    folder = Path(spec)
    if not (folder / CONFIG).is_file():
        near = did_you_mean(spec, JUDGES)
        raise ConfigError(
            f"no judge {spec!r}; give {', '.join(JUDGES)} or an evaluator folder with {CONFIG}, "
            f"or path.py:Name or module:Name for your own.{near}"
        )
    return folder
