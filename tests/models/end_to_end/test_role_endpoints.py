"""Agent, simulator and judge over HTTP: each at its own endpoint, and no fault of theirs is ever a score."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from threading import Event
from typing import Any

import pytest

from tests.fakes.openai_server import Answer, Received, completion, error
from tests.models.end_to_end.services import ROLES, calling, diligent, finishing, simulating, voting


def echoing(status: int, **headers: str) -> Callable[[Received], Answer]:
    """Return an error that quotes everything it was sent, as careless servers do."""
    return lambda request: error(f"failed on {dict(request.headers)}", status, **headers)


def refusing(request: Received) -> Answer:
    message = {
        "role": "assistant",
        "content": None,
        "refusal": f"not with {request.headers['authorization']}",
    }
    return Answer(completion(message=message))


FAULTS: dict[str, Any] = {
    "429 with Retry-After": (lambda: echoing(429, retry_after="0.01"), "rate_limit"),
    "500": (lambda: echoing(500), "transport"),
    "time-out": (lambda: Answer(hold=Event()), "timeout"),
    "a connection closed at once": (lambda: Answer(dropped=True), "transport"),
    "a connection cut half-way": (lambda: Answer(completion(), cut=30), "transport"),
    "truncated JSON": (lambda: Answer('{"choices": [{"message": {"content": "So'), "transport"),
    "a refusal": (lambda: refusing, "internal"),
}
# How often each role puts a question with one retry.
ATTEMPTS = {"agent": 2, "simulator": 2, "judge": 2}
# A refusal came in full, so it is no matter for retries: each role asks three times.
REFUSED = 3


def good(role: str) -> list[Any]:
    """Return what a role answers in one episode."""
    return {"agent": [diligent(1)] * 2, "simulator": [simulating], "judge": [voting("Solved")]}[role]


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("role", "fault"),
    # What an agent refuses is its reply.
    [each for each in product(ROLES, FAULTS) if each != ("agent", "a refusal")],
)
def test_a_fault_is_retried_and_where_it_stays_a_typed_failure(services, play, tmp_path, leaks, fault, role):
    make, kind = FAULTS[fault]
    attempts = REFUSED if fault == "a refusal" else ATTEMPTS[role]
    for service in services:
        # The first episode meets the fault once, the second meets nothing else, the third is spared.
        if service.role == role:
            lasting = [make() for _ in range(attempts)]
            service.script(make(), *good(role), *lasting)
        service.always(good(service.role)[0])
    short = {"timeout": 0.6} if fault == "time-out" else {}
    models = services.models(tmp_path / "models.toml", **{role: {"retries": 1, **short}})

    done, episodes = play(models, "--episodes", 3)

    assert (done.exit_code, done.stderr) == (0, "")
    assert [(t.valid, t.reward) for t in episodes] == [(True, 1.0), (False, 0.0), (True, 1.0)]
    failed = episodes[1]
    if role == "simulator" and fault == "a refusal":
        kind = "simulator"
    assert (failed.verdict, failed.failure["kind"], failed.failure["stage"]) == (None, kind, role)
    assert f"{role}-model" in failed.failure["message"]
    report = done.report
    assert (report["failures"], report["invalid"], report["unsolved"]) == ({kind: 1}, 1, 0)
    assert (report["solved"], report["solved_valid"], report["mean"]) == (2, 1.0, 1.0)
    assert services.count()[role] == 2 * len(good(role)) + 1 + attempts
    assert leaks(done.stdout, done.stderr) == []


@pytest.mark.parametrize(("role", "kind"), [("simulator", "simulator"), ("judge", "judge")])
def test_model_text_that_breaks_off_is_asked_for_again_and_never_guessed(
    services, play, tmp_path, role, kind
):
    half = Answer(completion('{"error": "", "answer_status": "Sol', finish_reason="length"))
    for service in services:
        if service.role == role:
            service.script(half, *good(role), half, half, half)
        service.always(good(service.role)[0])
    _, episodes = play(services.models(tmp_path / "models.toml"), "--episodes", 2)
    assert [(t.valid, t.reward) for t in episodes] == [(True, 1.0), (False, 0.0)]
    assert (episodes[1].failure["kind"], episodes[1].failure["stage"]) == (kind, role)


def test_each_role_reaches_its_own_endpoint_and_model_with_its_own_key(willing, play, tmp_path):
    done, episodes = play(willing.models(tmp_path / "models.toml"), "--episodes", 2)
    assert [t.reward for t in episodes] == [1.0, 1.0]
    assert willing.count() == {"agent": 4, "simulator": 2, "judge": 2}
    for service in willing:
        for request in service.requests:
            assert request.path == f"/{service.role}/v1/chat/completions"
            assert request.headers["authorization"] == f"Bearer {service.key}"
            assert request.body["model"] == service.model
    assert episodes[0].verdict["judge"] == "pass:judge-model:v3"
    assert done.report["sources"] == {"simulator": 2}
    assert episodes[0].usage["calls"] == 4


@pytest.mark.parametrize("role", ROLES)
def test_a_key_that_a_service_repeats_is_in_no_file_and_no_message(services, play, tmp_path, leaks, role):
    def quoting(answer: Callable[[str], Answer]) -> Callable[[Received], Answer]:
        return lambda request: answer(request.headers["authorization"])

    def agent(key: str) -> Answer:
        return finishing(f"My key is {key}.")

    def simulator(key: str) -> Answer:
        return Answer(completion(f'{{"error": "", "response": {{"{key}": ["{key}"]}}}}'))

    def judge(key: str) -> Answer:
        return calling("report_status", {"answer_status": "Solved", "reason": f"Paid with {key}."})

    first = {"agent": [agent], "simulator": [simulator], "judge": [judge]}[role]
    for service in services:
        if service.role == role:
            service.script(*map(quoting, first), echoing(401))
        service.always(good(service.role)[0])
    done, episodes = play(services.models(tmp_path / "models.toml"), "--episodes", 2)
    assert "HTTP 401: failed on " in episodes[1].failure["message"]
    assert "[key]" in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()[0]
    assert leaks(done.stdout, done.stderr, str(done)) == []


CLIENTS = ("STB_AGENT_CLIENT", "STB_SIMULATOR_CLIENT", "STB_JUDGE_CLIENT")


@pytest.mark.heavy
def test_a_process_that_logs_everything_prints_no_key(services, tmp_path, leaks):
    services.judge.script(echoing(401))
    for service in services:
        service.always(good(service.role)[0])
    models = services.models(tmp_path / "models.toml")
    logged = "import logging; logging.basicConfig(level=0); from stb_env.show.cli import main; main()"
    command = [sys.executable, "-c", logged, "run", "stb/I1Instruction-v0", "--mode", "record"]
    folders = ["--cache", tmp_path / "cache", "--out", tmp_path / "run"]
    who = ["--agent", f"chat:{models}", "--set", f"models={models}", "--episodes", "2"]
    done = subprocess.run(
        [*map(str, (*command, *folders, *who))],
        env={**os.environ, **dict.fromkeys(CLIENTS, "openai")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "401 Unauthorized" in done.stderr
    assert leaks(done.stdout, done.stderr) == []
