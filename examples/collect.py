"""Collect transitions with a plain ``env.step`` loop and save them as JSON lines.

Usage: python examples/collect.py [EPISODES] [FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import gymnasium as gym

import stb_env  # noqa: F401 (registers the environments)


def main(episodes: int = 20, file: str = "transitions.jsonl") -> None:
    """Play seeded random episodes and write one transition a line."""
    if Path(file).exists():
        sys.exit(f"{file} is there already: move it, or give another FILE")
    env = gym.make("stb/Sandbox-v1", max_turns=8)
    solved = steps = invalid = 0
    with open(file, "w", encoding="utf-8") as out:
        for episode in range(episodes):
            observation, info = env.reset(seed=episode)
            env.action_space.seed(episode)
            over = False
            while not over:
                action = env.action_space.sample()
                following, reward, terminated, truncated, info = env.step(action)
                over = terminated or truncated
                transition = {
                    "task_id": info["task_id"],
                    "turn": observation["turn"],
                    "seen": observation["result"],
                    "action": action,
                    "reward": reward,
                    "over": over,
                }
                out.write(json.dumps(transition) + "\n")
                observation = following
                steps += 1
            # An infrastructure failure is no experience: never train on it.
            invalid += not info["valid"]
            solved += reward == 1.0
    env.close()
    print(f"{episodes} episodes, {steps} transitions, {solved} solved, {invalid} invalid, saved in {file}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("episodes", metavar="EPISODES", nargs="?", type=int, default=20)
    parser.add_argument("file", metavar="FILE", nargs="?", default="transitions.jsonl")
    given = parser.parse_args()
    main(given.episodes, given.file)
