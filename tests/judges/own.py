"""Judges as other people write them."""

from __future__ import annotations

import asyncio
from typing import Any

from stb_env.core.request import Slow
from stb_env.judges.judge import Case
from stb_env.verdict import Verdict


def plain(case: Case) -> bool:
    return case.final_answer == "42"


async def later(case: Case) -> tuple[float, str]:
    await asyncio.sleep(0)
    return (1.0 if case.final_answer == "42" else 0.0), "the answer"


def generator(case: Case) -> Slow[Verdict]:
    yield from ()
    return Verdict.of("solved" if case.final_answer == "42" else "unsolved", judge="generator")


class Exact:
    """Takes settings, has a name and returns its verdict."""

    name = "mine"

    def __init__(self, right: str = "42", model: Any = None) -> None:
        self.right, self.model = right, model

    def judge(self, case: Case) -> Verdict:
        return Verdict.of("solved" if case.final_answer == self.right else "unsolved", judge=self.name)


class Typed:
    """Works as our own judges do."""

    name = "typed"
    fingerprint = {"judge": "typed", "level": 3}  # noqa: RUF012

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("solved" if case.final_answer == "42" else "unsolved", judge=self.name)


def broken(case: Case) -> bool:
    raise RuntimeError(f"the key is {case.final_answer}")


class Failing:
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("no model")
