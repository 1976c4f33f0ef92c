"""Endpoints that do not answer: they hold up one episode, which ends by the deadline that its failure names."""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.real_api import ToolBenchServer
from tests.fakes.openai_server import Answer, Received, Script
from tests.models.services import ROLES, Services, diligent, simulating, voting

EPISODES = 12
# No healthy service takes this long for an answer, even on a busy machine.
SHORT = 0.6
# Far beyond what everything here takes together.
LONG = 30


class Crowd:
    """Services of which one is stuck in the first request until every other episode has been judged."""

    def __init__(self, services: Services, stuck: str) -> None:
        self.waits: list[bool] = []
        self._over, self._votes = threading.Event(), threading.Semaphore(0)
        self._judged = itertools.count(1)
        models: tuple[Script, ...] = (diligent(1), simulating, self._judge)
        for service, model in zip(services, models, strict=True):
            service.script(*[self._stuck(model)] if service.role == stuck else [])
            service.always(model)

    def _judge(self, request: Received) -> Answer:
        if next(self._judged) == EPISODES - 1:
            self._over.set()
        return voting("Solved")

    def _stuck(self, model: Any) -> Callable[[Received], Answer]:
        def answer(request: Received) -> Answer:
            self.waits.append(self._over.wait(LONG))
            return model(request)

        return answer


@pytest.mark.parametrize("role", ROLES)
def test_a_stuck_endpoint_stops_no_other_episode(services, stb, tmp_path, role):
    crowd = Crowd(services, role)
    models = services.models(tmp_path / "models.toml")
    who = ("--agent", f"chat:{models}", "--set", f"models={models}", "--mode", "live")
    plan = ("--episodes", 3, "--trials", EPISODES // 3, "--concurrency", 4, "--json")
    done = stb("run", "stb/I1Instruction-v0", *who, *plan)
    assert crowd.waits == [True]
    assert (done.report["episodes"], done.report["solved"], done.report["invalid"]) == (EPISODES, EPISODES, 0)
