"""Train a linear policy with REINFORCE on the Sandbox, with nothing but numpy, and show that it learns.

The policy is a softmax over the candidate actions of `DiscreteActions`: each has a score, a weighted sum of
its features and of pairs (word of the query, tool). It trains on tasks of split ``train`` and is measured
on those of ``val`` and ``test``, none of whose combinations of template and slots is in ``train``, and at the
end on tools that training never offers. Beside FILE it saves the policy, which plays wherever an
agent is named: ``--agent 'examples/policy_gradient.py:Trained(policy="FILE.npz")'``.

Files of an earlier training are left as they are: it starts with another FILE, or not at all.

Usage: python examples/policy_gradient.py [EPISODES] [FILE] [SEED]
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import time
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from stb_env import Agent, ConfigError, DiscreteActions
from stb_env.runs import Curve

# One or two calls, and solvable by choosing: every query names what the calls need, and a result holds the
# answer as it is. Left out are templates that want arithmetic or a comparison of the agent itself
# (product_price, cabin_surcharge, wettest_day), what no query says (balance_abroad: in which currency the
# account is), or several fields or rows out of many (city_high, day_agenda: offering every choice of them
# would cost more exploration than it gains).
TEMPLATES = (
    "account_balance",
    "add_contact",
    "change_phone",
    "city_population",
    "contact_phone",
    "convert_amount",
    "create_event",
    "delete_contact",
    "fill_cart",
    "move_event",
    "sun_times",
)
UNSEEN = ("film_facts", "hotel_check_in", "hotel_stay", "person_birth")  # of tools that only split test has

TURNS = 6
BATCH = 22
RATE = 16.0
LONGEST_STEP = 1.0
ENTROPY = 0.02
CHECKS = 10
BUCKETS = 2**14

Floats = NDArray[np.float64]


class Choice(NamedTuple):
    """The candidates of one decision, and the chosen one."""

    features: Floats  # (candidates, features)
    pairs: NDArray[np.int64]  # (candidates, words of the query): positions in the weights of pairs
    probabilities: Floats  # (candidates,)
    chosen: int


class Policy:
    """A softmax over candidates, linear in their features and in hashed pairs of query word and tool."""

    def __init__(self, features: int) -> None:
        self.weights = np.zeros(features)
        self.pair_weights = np.zeros(BUCKETS)

    @classmethod
    def load(cls, file: str | Path) -> Policy:
        """Read what `save` wrote.

        Raises:
            ConfigError: The file holds no policy, or one of other features.
        """
        names = DiscreteActions.feature_names
        policy = cls(len(names))
        try:
            with np.load(file) as saved:
                known, policy.weights, policy.pair_weights = (
                    saved[part] for part in ("features", "weights", "pair_weights")
                )
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise ConfigError(
                f"cannot read a policy from {file} ({type(error).__name__}); `python "
                "examples/policy_gradient.py` saves one as .npz"
            ) from error
        shapes = (policy.weights.shape, policy.pair_weights.shape)
        if tuple(known) != names or shapes != ((len(names),), (BUCKETS,)):
            raise ConfigError(f"the policy in {file} has other features than this version; train it again")
        return policy

    def save(self, file: str | Path) -> None:
        """Write the weights, with the names of the features that they belong to."""
        names = np.array(DiscreteActions.feature_names)
        np.savez_compressed(file, features=names, weights=self.weights, pair_weights=self.pair_weights)

    def choose(
        self, observation: Mapping[str, Any], info: Mapping[str, Any], rng: np.random.Generator, greedy: bool
    ) -> Choice:
        """Draw a candidate, or one of those with the best score."""
        tools = [json.loads(candidate)["name"] for candidate in info["candidates"]]
        features = observation["features"][: len(tools)].astype(np.float64)
        pairs = np.stack([pairs_of(observation["query"], tool) for tool in tools])
        scores = features @ self.weights + self.pair_weights[pairs].mean(axis=1)
        odds = np.exp(scores - scores.max())
        weights = (odds == 1.0).astype(np.float64) if greedy else odds
        chosen = int(rng.choice(len(tools), p=weights / weights.sum()))
        return Choice(features, pairs, odds / odds.sum(), chosen)

    def learn(self, choices: list[tuple[Choice, float]], rate: float, entropy: float) -> None:
        """Follow the gradient of advantage * log-probability + entropy, summed over the choices.

        Args:
            choices: Each choice with its advantage.
            rate: Step size.
            entropy: Weight of the policy's entropy, which keeps it trying.
        """
        step, pair_step = np.zeros_like(self.weights), np.zeros_like(self.pair_weights)
        for (features, pairs, probabilities, chosen), advantage in choices:
            logs = np.log(probabilities + 1e-12)
            pull = -probabilities * (advantage + entropy * (logs - probabilities @ logs))
            pull[chosen] += advantage
            step += pull @ features
            np.add.at(pair_step, pairs, pull[:, None])
        # One lucky or unlucky batch must not undo the others.
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
        return DiscreteActions(env, texts=True)

    def reset(self, env: gym.Env[Any, Any], seed: int) -> None:
        """Draw ties from the seed."""
        del env
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> int:
        """Return the best candidate's index."""
        return self.policy.choose(observation, info, self.rng, greedy=True).chosen


@lru_cache(maxsize=100_000)
def pairs_of(query: str, tool: str) -> NDArray[np.int64]:
    """Return the buckets of all pairs of a lower-case word of the query and the tool."""
    spoken = sorted(set(re.findall(r"\b[a-z]+\b", query))) or [""]
    return np.array([zlib.crc32(f"{word} {tool}".encode()) % BUCKETS for word in spoken])


def tasks_of(templates: Iterable[str], *splits: str) -> list[str]:
    """Return the ids of all tasks of these templates in these splits."""
    ids = []
    for template in templates:
        for split in splits:
            source = DiscreteActions(gym.make("stb/Sandbox-v1", split=split, template=template)).tasks
            ids += [source.at(index).id for index in range(source.size or 0)]
    return ids


def play(
    env: DiscreteActions, policy: Policy, task_id: str, rng: np.random.Generator, greedy: bool = False
) -> tuple[list[Choice], float]:
    """Play one episode and return its choices and its reward."""
    observation, info = env.reset(seed=0, options={"task_id": task_id})
    choices, reward, over = [], 0.0, False
    while not over:
        choices.append(policy.choose(observation, info, rng, greedy))
        observation, reward, terminated, truncated, info = env.step(choices[-1].chosen)
        over = terminated or truncated
    return choices, reward


def success(env: DiscreteActions, policy: Policy, task_ids: list[str]) -> float:
    """Return the share of tasks that the policy's best choices solve, ties broken at random."""
    rng = np.random.default_rng(0)
    return sum(play(env, policy, task_id, rng, greedy=True)[1] == 1.0 for task_id in task_ids) / len(task_ids)


def train(env: DiscreteActions, policy: Policy, episodes: int, seed: int, curve: Curve) -> None:
    """Learn from tasks of split train; record the success on held-out tasks from time to time.

    The baseline of an episode is the running mean of its template's rewards. Step size and entropy sink
    towards the end.
    """
    held_out = tasks_of(TEMPLATES, "val", "test")
    rng, baseline = np.random.default_rng(seed), dict.fromkeys(TEMPLATES, 0.0)
    curve.add(0, success=success(env, policy, held_out))
    batches = max(1, episodes // BATCH)
    for number in range(batches):
        choices = []
        for episode in range(number * BATCH, (number + 1) * BATCH):
            turn, which = divmod(episode, len(TEMPLATES))
            template = TEMPLATES[which]
            made, reward = play(env, policy, f"train-{template}-{turn}", rng)
            choices += [(choice, reward - baseline[template]) for choice in made]
            baseline[template] += 0.1 * (reward - baseline[template])
        left = 1.0 - number / batches
        policy.learn(choices, RATE * max(0.1, left) / BATCH, ENTROPY * left)
        if (number + 1) * CHECKS // batches > number * CHECKS // batches:
            curve.add((number + 1) * BATCH, success=success(env, policy, held_out))


def draw(curve: list[dict[str, float]], file: Path) -> None:
    """Draw the learning curve as PNG, where matplotlib is installed."""
    try:
        figure = importlib.import_module("matplotlib.figure")
    except ModuleNotFoundError:
        return
    axes = figure.Figure(figsize=(6, 4)).subplots()
    axes.plot([point["step"] for point in curve], [point["success"] for point in curve], marker="o")
    axes.set(xlabel="training episodes", ylabel="success on held-out tasks", ylim=(0, 1))
    axes.figure.savefig(file)


def main(episodes: int = 6500, out: str = "policy_gradient.json", seed: int = 0) -> dict[str, Any]:
    """Train, save policy (NPZ), learning curve (JSON Lines) and report (JSON, PNG), and return the report."""
    began = time.perf_counter()
    beside = [Path(out).with_suffix(suffix) for suffix in (".jsonl", ".npz", ".png")]
    if Path(out) in beside:
        sys.exit(f"{out} is what the curve, the policy or the picture is named: name the report FILE.json")
    if earlier := [file for file in (*beside, Path(out)) if file.exists()]:
        sys.exit(f"{earlier[0]} is of an earlier training: move it, or give another FILE")
    recorded = beside[0]
    env = DiscreteActions(gym.make("stb/Sandbox-v1", split="train", max_turns=TURNS), texts=True)
    policy = Policy(len(env.feature_names))
    strange = tasks_of(UNSEEN, "test")
    unseen = success(env, policy, strange)
    with Curve(recorded) as curve:
        train(env, policy, episodes, seed, curve)
    report: dict[str, Any] = {
        "episodes": episodes,
        "seed": seed,
        "curve": curve.points,
        "unseen_tools": {"untrained": unseen, "trained": success(env, policy, strange)},
        "weights": dict(zip(env.feature_names, policy.weights.round(3).tolist(), strict=True)),
    }
    env.close()
    policy.save(Path(out).with_suffix(".npz"))
    Path(out).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    draw(curve.points, Path(out).with_suffix(".png"))
    for point in curve.points:
        print(f"{point['step']:6.0f} episodes: {point['success']:.3f} of held-out tasks solved")
    print(f"tools never seen: {unseen:.3f} untrained, {report['unseen_tools']['trained']:.3f} trained")
    print(f"{time.perf_counter() - began:.0f} s, saved in {out}")
    return report


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("episodes", metavar="EPISODES", nargs="?", type=int, default=6500)
    parser.add_argument("file", metavar="FILE", nargs="?", default="policy_gradient.json")
    parser.add_argument("seed", metavar="SEED", nargs="?", type=int, default=0)
    given = parser.parse_args()
    main(given.episodes, given.file, given.seed)
