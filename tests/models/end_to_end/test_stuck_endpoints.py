"""Endpoints that do not answer: they hold up one episode, which ends by the deadline that it names."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.backend.real_api import RemoteServer
from stb_env.runs import plan, run_batch
from stb_env.runs.baselines import load_agent
from tests.fakes.api_server import APIServer, answered
from tests.fakes.openai_server import Answer, Received, Script
from tests.models.end_to_end.services import ROLES, Services, diligent, simulating, voting

ENV = "stb/I1Instruction-v0"
EPISODES = 12
# No healthy service takes this long for an answer, even on a busy machine.
SHORT = 1.5
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

    def _stuck(self, model: Script) -> Callable[[Received], Answer]:
        def answer(request: Received) -> Answer:
            self.waits.append(self._over.wait(LONG))
            return answering(model, request)

        return answer


@pytest.mark.parametrize("role", ROLES)
def test_a_stuck_endpoint_stops_no_other_episode(services, stb, tmp_path, role):
    crowd = Crowd(services, role)
    models = services.models(tmp_path / "models.toml")
    who = ("--agent", f"chat:{models}", "--set", f"models={models}", "--mode", "live")
    jobs = ("--episodes", 3, "--trials", EPISODES // 3, "--concurrency", 4, "--json")
    done = stb("run", ENV, *who, *jobs)
    assert crowd.waits == [True]
    assert (done.report["episodes"], done.report["solved"], done.report["invalid"]) == (EPISODES, EPISODES, 0)


def answering(model: Script, request: Received) -> Answer:
    return model if isinstance(model, Answer) else model(request)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (
            {"timeout": SHORT, "deadline": LONG},
            f"the time-out of {SHORT:g} s (attempts: 1; deadline of {LONG} s)",
        ),
        (
            {"timeout": LONG, "deadline": SHORT},
            f"the deadline of {SHORT:g} s (attempts: 1; deadline of {SHORT:g} s)",
        ),
    ],
    ids=["time-out", "deadline"],
)
@pytest.mark.parametrize("role", ROLES)
def test_the_deadline_of_a_models_layer_ends_its_episode_alone(
    services, play, tmp_path, role, settings, named
):
    first = gym.make(ENV, judge="heuristic").unwrapped.tasks.at(0)
    marks = (first.query[:40], *{tool.record["tool_name"] for tool in first.tools})
    never = threading.Event()

    def stuck(model: Script) -> Callable[[Received], Answer]:
        def answer(request: Received) -> Answer:
            if any(mark in str(request.body) for mark in marks):
                never.wait(LONG)
            return answering(model, request)

        return answer

    models: tuple[Script, ...] = (diligent(1), simulating, voting("Solved"))
    for service, model in zip(services, models, strict=True):
        service.always(stuck(model) if service.role == role else model)
    file = services.models(tmp_path / "models.toml", **{role: {"retries": 0, **settings}})
    start = time.monotonic()
    done, episodes = play(file, "--concurrency", 4)
    seconds = time.monotonic() - start
    never.set()

    assert [(t.valid, t.reward) for t in episodes] == [(False, 0.0), (True, 1.0), (True, 1.0)]
    failure = episodes[0].failure
    assert (failure["kind"], failure["stage"], failure["retryable"]) == ("timeout", role, True)
    service = next(service for service in services if service.role == role)
    where = f"{role} model {role + '-model'!r} at {service.server.url(role)}"
    assert f"{where}: no answer within {named}" in failure["message"]
    assert (done.exit_code, done.report["failures"]) == (0, {"timeout": 1})
    assert seconds < LONG / 3


def test_the_deadline_of_the_real_apis_layer_ends_its_episode_alone(services):
    first = gym.make(ENV, judge="heuristic").unwrapped.tasks.at(0)
    with APIServer().running() as apis:
        never = apis.hold()
        names = {tool.id.tool for tool in first.tools}
        apis.default = lambda seen: (
            Answer(hold=never) if seen.body["tool_name"] in names else answered("fine")
        )
        real = RemoteServer(apis.url(), timeout=SHORT, deadline=LONG, retries=0)
        env = gym.make(ENV, mode="live", real=real, simulator="none", judge="heuristic").unwrapped
        episodes = run_batch(env.fork, load_agent("gold"), plan(env.tasks, episodes=3), concurrency=3)
        env.close()
    assert [t.valid for t in episodes] == [False, True, True]
    assert (episodes[0].failure["kind"], episodes[0].failure["stage"]) == ("timeout", "real")
    assert f"no answer within the time-out of {SHORT:g} s" in episodes[0].failure["message"]
