"""A run that travels as plain data, and what comes back of it."""

from __future__ import annotations

import json
import pickle
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache, call_key
from stb_env.backend.cache.forwarding_cache import CarriedCache
from stb_env.errors import ConfigError
from stb_env.evaluation.ledger import BudgetExceeded, Ledger, read_spending
from stb_env.evaluation.remote_run import RemoteRun
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.models.meter import Meter, metered
from stb_env.runs import plan, play
from stb_env.tools import ToolId
from stb_env.usage import Usage
from tests.models.end_to_end.services import finishing, serving

SPEC = RunSpec("stb/Sandbox-v1", "gold", episodes=2)
PING = ToolId("Net", "icmp", "ping")


def entry(ms: int) -> CacheEntry:
    return CacheEntry.of(PING, {}, {"ms": ms}, source="real")


def remote(env_id: str = SPEC.env_id, agent: str = SPEC.agent, **settings: Any) -> RemoteRun:
    return RemoteRun.of(resolve(RunSpec(env_id, agent, settings, episodes=2)))


def test_a_run_that_travelled_plays_what_it_plays_here():
    run = resolve(SPEC)
    there = pickle.loads(pickle.dumps(RemoteRun.of(run)))
    job = plan(run.env.tasks, episodes=1)[0]
    here, away = (
        play(env, agent, task_id=job.task_id, seed=job.seed).to_json()
        for env, agent in ((run.env, run.make_agent()), (there.make_env(), there.make_agent()))
    )
    assert here == away


def test_a_worker_with_other_files_refuses_to_play():
    run = resolve(SPEC)
    other = RemoteRun.of(replace(run, manifest={**run.manifest, "tasks": "other"}))
    with pytest.raises(
        ConfigError, match=r"^this worker would play another run .*\(tasks: there 'other', here "
    ):
        other.make_env()


def test_a_setting_that_is_an_object_is_named():
    with pytest.raises(
        ConfigError, match=r"^simulator cannot travel to other machines: it is a function; give"
    ):
        remote("stb/I1Instruction-v0", mode="live", simulator=lambda tool, arguments: {}, judge="heuristic")


def test_a_models_file_travels_as_text_and_keys_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "models.toml"
    file.write_text(
        '[models.agent]\nmodel = "tiny"\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "MY_KEY"\n'
    )
    monkeypatch.setenv("MY_KEY", "secret-1234")
    sent = pickle.dumps(remote(agent="chat", models=str(file)))
    assert b"secret-1234" not in sent
    file.unlink()
    there = pickle.loads(sent)
    assert there.make_agent().fingerprint["model"] == "tiny"
    there.close()


def test_costs_of_workers_are_counted_where_the_run_is_saved():
    meter = Meter()
    with metered(meter):
        run = remote()
    run.deliver({"usage": Usage(3, 1, 4, calls=2, cost=0.5).to_dict(), "failed": 1})
    assert (meter.total.calls, meter.total.cost, meter.failed) == (2, 0.5, 1)
    assert pickle.loads(pickle.dumps(run)).collect() == {}


def test_the_first_answer_that_arrives_is_kept(tmp_path: Path):
    settings = {"mode": "record", "cache": str(tmp_path / "cache"), "judge": "heuristic"}
    settings["real"] = "http://127.0.0.1:1"
    run = resolve(RunSpec("stb/I1Instruction-v0", "gold", settings, episodes=1))
    here = RemoteRun.of(run)
    for ms in (4, 9):
        here.deliver({"entries": [entry(ms).written()]})
    cache = run.env.rules.backend.cache
    assert [found.response for found in cache.entries()] == [{"ms": 4}]


def test_a_carried_cache_changes_nothing_on_disk(tmp_path: Path):
    key = call_key(PING, {})
    cache = ResponseCache(tmp_path / "cache")
    cache.put(key, entry(1))
    cache.snapshot(tmp_path / "frozen")
    before = {file: file.read_bytes() for file in (tmp_path / "frozen").rglob("*") if file.is_file()}
    carried = CarriedCache(tmp_path / "frozen")
    assert carried.add(key, entry(2)) == cache.get(CallKey(PING, {}))
    other = CacheEntry.of(PING, {"host": "a"}, {"ms": 3}, source="real")
    assert carried.add(other.key, other) is None
    assert carried.get(other.call) == other.hit
    assert [json.loads(found.written()) for found in carried.drain()] == [json.loads(other.written())]
    assert carried.drain() == []
    after = {file: file.read_bytes() for file in (tmp_path / "frozen").rglob("*") if file.is_file()}
    assert after == before


def test_a_shared_cache_travels_as_its_folder_and_one_in_memory_does_not(tmp_path: Path):
    cache = ResponseCache(tmp_path)
    cache.put(call_key(PING, {}), entry(4))
    settings: dict[str, Any] = {"mode": "replay", "judge": "heuristic"}
    run = remote("stb/I1Instruction-v0", cache=ResponseCache(tmp_path, read_only=True), **settings)
    backend = pickle.loads(pickle.dumps(run)).make_env().rules.backend
    assert backend.cache.get(CallKey(PING, {})) == entry(4).hit
    with pytest.raises(ConfigError, match=r"^cache cannot travel to other machines: it is a ResponseCache; "):
        remote("stb/I1Instruction-v0", cache=ResponseCache(), **settings)


def test_a_worker_without_a_key_refuses_to_begin_and_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "models.toml"
    file.write_text(
        '[models.agent]\nmodel = "tiny"\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "MY_KEY"\n'
    )
    monkeypatch.setenv("MY_KEY", "secret-1234")
    run = remote(agent="chat", models=str(file))
    monkeypatch.delenv("MY_KEY")
    said = r"^the models of this run take the keys in MY_KEY, and a worker has no MY_KEY; keys"
    with pytest.raises(ConfigError, match=said):
        run.begin()


def test_a_worker_begins_in_the_folder_in_which_the_run_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    run = remote()
    monkeypatch.chdir("/")
    run.begin()
    assert Path.cwd() == tmp_path


def test_a_model_that_a_worker_connects_late_is_counted(tmp_path: Path):
    with serving() as services:
        models = services.models(tmp_path / "models.toml")
        run = remote(agent="chat", models=str(models))
        env = run.make_env()
        services.agent.always(finishing("It is so."))
        job = plan(env.tasks, episodes=1)[0]
        play(env, run.make_agent(), task_id=job.task_id, seed=job.seed)
        assert run.collect()["usage"]["calls"] == len(services.agent.requests) > 0
    run.close()


def test_a_budget_ends_the_run_when_what_workers_have_spent_reaches_it(tmp_path: Path):
    with closing(Ledger(tmp_path / "spending.jsonl", budget=1.0)) as ledger:
        with metered(ledger):
            here = remote()
        news = {"usage": Usage(3, 1, 4, calls=1, cost=0.5).to_dict(), "failed": 0}
        here.deliver(news)
        with pytest.raises(BudgetExceeded, match=r"the budget of \$1 is used up \(\$1\.0000 used\)"):
            here.deliver(news)
    assert read_spending(tmp_path / "spending.jsonl").cost == 1.0
