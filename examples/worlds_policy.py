"""Train a linear policy on generated worlds, with nothing but numpy, and measure what carries over.

The policy is a softmax over the candidate actions of `DiscreteActions`. No feature names a tool, since every
world has tools of its own: features tell what kind of tool a call goes to, where its arguments are from, and
which words tool and query share (`worlds_features.py`). It trains on ``stb/Worlds-v0`` of level 1, or on the
Sandbox, to compare, and is measured on worlds, kits and environments that training never shows. Beside FILE
it saves the policy, which plays wherever an agent is named:
``--agent 'examples/worlds_policy.py:Trained(policy="FILE.npz")'``.

First it imitates some known solutions of training tasks, then it learns from rewards alone (REINFORCE).

Usage: python -m examples.worlds_policy [EPISODES] [FILE] [SEED] [--on worlds|sandbox] [--level LEVEL]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from stb_env import Agent, ConfigError, DiscreteActions
from stb_env.runs import Curve

from .worlds_features import BUCKETS, FEATURES, Episode, Floats, Places, parsed

SIZE = 64
TURNS = 6
TRIALS = 4
BATCH = 24
RATE = 16.0
LONGEST_STEP = 1.0
ENTROPY = 0.005
CHECKS = 5
PASSES = 60
FIRST_SHOWN = 10_000  # number of the first task whose solution is shown, far from those of the trials


class Choice(NamedTuple):
    """The candidates of one decision, and the chosen one."""

    features: Floats  # (candidates, features)
    pairs: Places  # (candidates, words of the query): positions in the weights of pairs
    probabilities: Floats  # (candidates,)
    chosen: int


class Policy:
    """A softmax over candidates, linear in features and in hashed pairs of query word and kind of action."""

    def __init__(self) -> None:
        self.weights = np.zeros(len(FEATURES))
        self.pair_weights = np.zeros(BUCKETS)
        self.episode = Episode()

    @classmethod
    def load(cls, file: str | Path) -> Policy:
        """Read what `save` wrote.

        Raises:
            ConfigError: The file holds no policy, or one of other features.
        """
        policy = cls()
        try:
            with np.load(file) as saved:
                names = tuple(saved["features"])
                policy.weights, policy.pair_weights = saved["weights"], saved["pair_weights"]
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise ConfigError(
                f"{file} holds no policy; `python -m examples.worlds_policy` saves one"
            ) from error
        if names != FEATURES or policy.pair_weights.shape != (BUCKETS,):
            raise ConfigError(f"the policy in {file} has other features than this version; train it again")
        return policy

    def save(self, file: str | Path) -> None:
        """Write the weights, with the names of the features that they belong to."""
        names = np.array(FEATURES)
        np.savez_compressed(file, features=names, weights=self.weights, pair_weights=self.pair_weights)

    def choose(
        self, observation: Mapping[str, Any], info: Mapping[str, Any], rng: np.random.Generator, greedy: bool
    ) -> Choice:
        """Draw a candidate, or one of those with the best score."""
        features, pairs = self.episode.read(observation, info)
        scores = features @ self.weights + self.pair_weights[pairs].mean(axis=1)
        odds = np.exp(scores - scores.max())
        weights = (odds == 1.0).astype(np.float64) if greedy else odds
        chosen = int(rng.choice(len(odds), p=weights / weights.sum()))
        self.episode.chosen = parsed(info["candidates"][chosen])[0]
        return Choice(features, pairs, odds / odds.sum(), chosen)

    def learn(self, choices: list[tuple[Choice, float]], rate: float, entropy: float) -> None:
        """Follow the gradient of advantage * log-probability + entropy, summed over the choices."""
        step, pair_step = np.zeros_like(self.weights), np.zeros_like(self.pair_weights)
        for (features, pairs, probabilities, chosen), advantage in choices:
            logs = np.log(probabilities + 1e-12)
            pull = -probabilities * (advantage + entropy * (logs - probabilities @ logs))
            pull[chosen] += advantage
            step += pull @ features
            np.add.at(pair_step, pairs, pull[:, None] / pairs.shape[1])
        rate = min(rate, LONGEST_STEP / (np.hypot(np.linalg.norm(step), np.linalg.norm(pair_step)) + 1e-12))
        self.weights += rate * step
        self.pair_weights += rate * pair_step


class Trained(Agent):
    """A policy that was saved, as an agent: always its best choice, ties broken at random.

    Args:
        policy: The file.
    """

    name = "trained"

    def __init__(self, policy: str) -> None:
        self.policy = Policy.load(policy)

    def wrap(self, env: gym.Env[Any, Any]) -> DiscreteActions:
        """Return the environment as a choice among candidates."""
        return DiscreteActions(env, size=SIZE, texts=True)

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Draw ties from the seed."""
        del env
        self.policy.episode = Episode()
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """Return the best candidate's index."""
        return self.policy.choose(observation, info, self.rng, greedy=True).chosen


def environment(name: str, turns: int = TURNS, **settings: Any) -> DiscreteActions:
    """Return an environment as a choice among candidates."""
    return DiscreteActions(gym.make(name, max_turns=turns, reward="partial", **settings), SIZE, texts=True)


def held_out(level: int) -> dict[str, DiscreteActions]:
    """Return the environments on which a policy is measured, by what they show."""
    groups = {
        "worlds of training": "I1-Instruction",
        "unseen worlds": "I1-Tool",
        "unseen kits": "I1-Category",
    }
    sets = {
        name: environment("stb/Worlds-v0", split="test", level=level, group=group)
        for name, group in groups.items()
    }
    sets["Sandbox"] = environment("stb/Sandbox-v1", split="test")
    sets |= {name: environment(f"stb/{name}-v1") for name in ("APIBankCall", "CatAPI", "OpenWeather")}
    return {**sets, "HomeSearch": environment("stb/HomeSearch-v1", turns=2 * TURNS)}


def play(
    env: DiscreteActions, policy: Policy, task_id: str, rng: np.random.Generator, greedy: bool = False
) -> tuple[list[Choice], float]:
    """Play one episode and return its choices and its reward."""
    policy.episode = Episode()
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    choices, reward, over = [], 0.0, False
    while not over:
        choices.append(policy.choose(observation, info, rng, greedy))
        observation, reward, terminated, truncated, info = env.step(choices[-1].chosen)
        over = terminated or truncated
    return choices, reward


def measure(sets: dict[str, DiscreteActions], policy: Policy, tasks: int) -> dict[str, dict[str, float]]:
    """Return the mean reward of the policy's best choices, and the share of tasks that they solve."""
    measured = {}
    for name, env in sets.items():
        rng, source = np.random.default_rng(0), env.tasks
        ids = [source.at(index).id for index in range(min(tasks, source.size or tasks))]
        rewards = np.array([play(env, policy, task_id, rng, greedy=True)[1] for task_id in ids])
        measured[name] = {"reward": float(rewards.mean()), "solved": float((rewards == 1.0).mean())}
    return measured


def demonstrated(env: DiscreteActions, policy: Policy, task_id: str) -> list[Choice]:
    """Play the known solution, as far as it is among the candidates; empty where it is not all the way."""
    policy.episode = Episode()
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    choices = []
    for call in (*env.task.gold, None):
        if not info["candidates"]:
            return []
        features, pairs = policy.episode.read(observation, info)
        given = [parsed(candidate) for candidate in info["candidates"]]
        if call is None:
            answers = [index for index, (name, _) in enumerate(given) if name == "Finish"]
            fit = [index for index in answers if env.fork().step(index)[1] == 1.0]
        else:
            fit = [index for index, one in enumerate(given) if one == (call.name, call.arguments)]
        if not fit:
            return []
        choices.append(Choice(features, pairs, np.zeros(len(given)), fit[0]))
        policy.episode.chosen = given[fit[0]][0]
        observation, _, _, _, info = env.step(fit[0])
    return choices


def imitate(policy: Policy, env: DiscreteActions, count: int, seed: int) -> None:
    """Raise the probability of what known solutions choose, of as many training tasks as they can play."""
    shown: list[Choice] = []
    index, played = FIRST_SHOWN * (seed + 1), 0
    while played < count:
        made = demonstrated(env, policy, env.tasks.at(index).id)
        index, played, shown = index + 1, played + bool(made), shown + made
    for _ in range(PASSES if shown else 0):
        scores = [
            one.features @ policy.weights + policy.pair_weights[one.pairs].mean(axis=1) for one in shown
        ]
        odds = [np.exp(score - score.max()) for score in scores]
        now = [one._replace(probabilities=odd / odd.sum()) for one, odd in zip(shown, odds, strict=True)]
        policy.learn([(one, 1.0) for one in now], RATE / len(now), 0.0)


def train(env: DiscreteActions, policy: Policy, episodes: int, seed: int, curve: Curve) -> None:
    """Learn from tasks of split train, each played several times: the others are a trial's baseline."""
    rng, batches = np.random.default_rng(seed), max(1, episodes // BATCH)
    for number in range(batches):
        choices, rewards = [], []
        for turn in range(BATCH // TRIALS):
            index = 1000 * seed + number * (BATCH // TRIALS) + turn
            task_id = env.tasks.at(index).id
            trials = [play(env, policy, task_id, rng) for _ in range(TRIALS)]
            mean = sum(reward for _, reward in trials) / TRIALS
            rewards.append(mean)
            choices += [(choice, reward - mean) for made, reward in trials for choice in made]
        left = 1.0 - number / batches
        policy.learn(choices, RATE * max(0.1, left) / BATCH, ENTROPY * left)
        if (number + 1) * CHECKS // batches > number * CHECKS // batches:
            curve.add((number + 1) * BATCH, reward=float(np.mean(rewards)))


def main(
    episodes: int = 720,
    out: str = "worlds_policy.json",
    seed: int = 0,
    on: str = "worlds",
    level: Any = 1,
    tasks: int = 60,
    shown: int = 60,
) -> dict[str, Any]:
    """Train, save policy (NPZ), curve (JSON Lines) and report (JSON), and return the report."""
    files = [Path(out).with_suffix(suffix) for suffix in (".jsonl", ".npz", ".json")]
    if earlier := [file for file in files if file.exists()]:
        sys.exit(f"{earlier[0]} is of an earlier training: move it, or give another FILE")
    policy, sets, began = Policy(), held_out(level), time.perf_counter()
    measured = {"untrained": measure(sets, policy, tasks)}
    if on == "worlds":
        env = environment("stb/Worlds-v0", split="train", level=level)
    else:
        env = environment("stb/Sandbox-v1", split="train")
    imitate(policy, env, shown, seed)
    measured["shown"] = measure(sets, policy, tasks)
    with Curve(files[0]) as curve:
        train(env, policy, episodes, seed, curve)
    measured["trained"] = measure(sets, policy, tasks)
    policy.save(files[1])
    report: dict[str, Any] = {"on": on, "level": level, "shown": shown, "episodes": episodes, "seed": seed}
    report |= {"measured": measured, "seconds": round(time.perf_counter() - began)}
    report["weights"] = dict(zip(FEATURES, policy.weights.round(3).tolist(), strict=True))
    files[2].write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for phase, results in measured.items():
        print(phase, *(f"{name} {one['solved']:.3f} ({one['reward']:.3f})" for name, one in results.items()))
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("episodes", metavar="EPISODES", nargs="?", type=int, default=720)
    parser.add_argument("file", metavar="FILE", nargs="?", default="worlds_policy.json")
    parser.add_argument("seed", metavar="SEED", nargs="?", type=int, default=0)
    parser.add_argument("--on", choices=("worlds", "sandbox"), default="worlds")
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument("--tasks", type=int, default=60, help="tasks of each held-out set")
    parser.add_argument("--shown", type=int, default=60, help="known solutions to begin with")
    given = parser.parse_args()
    main(given.episodes, given.file, given.seed, given.on, given.level, given.tasks, given.shown)
