"""Judges by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from stb_env.errors import ConfigError, did_you_mean
from stb_env.formats.evaluator_template import CONFIG
from stb_env.judges.evaluator import Evaluator
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.judges.pass_judge import PassJudge, Reward
from stb_env.judges.protocol import Judge
from stb_env.llm import ModelConfig, available, connect, load_models

JUDGES = ("pass", "heuristic")


def load_judge(
    spec: str | None = None,
    *,
    votes: int = 1,
    reward: Reward = "majority",
    models: Path | str | None = None,
    cache: Path | str | None = None,
    env: Mapping[str, str] = os.environ,
    remark: Callable[[str], None] | None = None,
) -> Judge:
    """Return the judge that a text names.

    Args:
        spec: ``pass``, ``heuristic`` or the path of an official evaluator folder. None takes the pass judge
            where its model can be used and the heuristic elsewhere.
        votes: How often a model judges each case.
        reward: How votes become a reward: ``majority`` or ``mean``.
        models: Models file; its ``judge`` role is used.
        cache: Folder of votes that are known.
        env: Where keys and ``STB_JUDGE_...`` settings are looked up.
        remark: Told in one line where the heuristic stands in for a model.

    Raises:
        ConfigError: There is no such judge, or its model cannot be used.
        DataError: The evaluator folder is not what the format promises.

    Examples:
        >>> load_judge(env={}, remark=print).name
        no key for a judge model (OPENAI_API_KEY is not set): the heuristic judges instead
        'heuristic'
    """
    config = load_models(models, env)["judge"]
    if spec is None and not available(config, env):
        if remark is not None:
            remark(_stand_in(config))
        return HeuristicJudge()
    if spec == "heuristic":
        if votes != 1:
            raise ConfigError(f"the heuristic casts the same vote every time; leave out the {votes} votes")
        return HeuristicJudge()
    evaluator = None if spec in (None, "pass") else Evaluator.load(_folder(spec or ""))
    model = connect(config, env=env)
    return PassJudge(model, votes=votes, reward=reward, cache=cache, evaluator=evaluator)


def _stand_in(config: ModelConfig) -> str:
    return f"no key for a judge model ({config.key_variable} is not set): the heuristic judges instead"


def _folder(spec: str) -> Path:
    if spec == "exact":
        raise ConfigError(
            "the exact verifier needs the world's state, which a saved episode does not hold; "
            "play the tasks again with `stb-env run`"
        )
    folder = Path(spec)
    if not (folder / CONFIG).is_file():
        near = did_you_mean(spec, JUDGES)
        raise ConfigError(
            f"no judge {spec!r}; give {', '.join(JUDGES)} or an evaluator folder with {CONFIG}.{near}"
        )
    return folder
