"""Agents, simulators and judges that ask models, on Ray: the same bytes and costs, and no key on the way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from stb_env.errors import ConfigError
from stb_env.evaluation.ledger import read_spending
from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.models.meter import Meter, metered
from stb_env.runs.cluster import RayCluster
from stb_env.runs.cluster.ray_cluster import RayMachines
from stb_env.runs.cluster.worker_setup import WorkerSetup
from stb_env.runs.play_options import PlayOptions
from stb_env.show.cli import app
from tests.fakes.openai_server import Answer, Received
from tests.models.end_to_end.services import Services, diligent, serving, simulating, varied

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'stb-env[ray]'")

QUERIES = "stb/I1Instruction-v0"
TRIALS = 2
PLAN = """
[eval]
name = "two simulators"
groups = ["{group}"]
models = "{models}"
mode = "live"
judge = "heuristic"

[[agent]]
name = "chat"

[[simulator]]
name = "usual"

[[simulator]]
name = "cold"
model = "another-model"
temperature = 0.1
"""


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with serving() as running:
        for service in running:
            monkeypatch.setenv(service.variable, service.key)
        running.simulator.always(simulating)
        running.judge.always(varied)
        yield running


@pytest.fixture
def models(services: Services, tmp_path: Path) -> Path:
    services.agent.always(diligent(2))
    return services.models(tmp_path / "models.toml")


def played(out: Path, models: Path, cluster: RayCluster | None, **how: Any) -> bytes:
    settings = {"models": str(models), "mode": "live", "judge": "pass"}
    with closing(resolve(RunSpec(QUERIES, "chat", settings, trials=TRIALS))) as run:
        play_run(run, out, PlayOptions(**how), cluster=cluster)
    return (out / "trajectories.jsonl").read_bytes()


def files_with(text: str, folder: Path) -> list[Path]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file for file in files if text.encode() in file.read_bytes()]


def test_models_asked_from_workers_make_the_same_bytes_and_are_counted_here(
    two_workers: RayCluster, services: Services, models: Path, tmp_path: Path
):
    runs, meters = [], (Meter(), Meter())
    for meter, cluster in zip(meters, (None, two_workers), strict=True):
        with metered(meter):
            runs.append(played(tmp_path / f"run {len(runs)}", models, cluster, concurrency=2))
    assert runs[0] == runs[1]
    assert runs[0].count(b"\n") == len(resolve(RunSpec(QUERIES, "gold", trials=TRIALS)).jobs)
    assert meters[0].total == meters[1].total
    assert meters[0].total.calls * 2 == sum(services.count().values()) > 0


def test_no_key_travels_to_a_worker_or_lies_in_a_log(
    two_workers: RayCluster,
    ray_folder: Path,
    services: Services,
    models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    sent: list[bytes] = []
    pack, ask = RayMachines.pack, RayMachines.ask

    def packed(machines: RayMachines, setup: WorkerSetup) -> Any:
        sent.append(ray.cloudpickle.dumps(setup))
        return pack(machines, setup)

    def asked(machines: RayMachines, worker: Any, method: str, *given: Any) -> Any:
        sent.append(ray.cloudpickle.dumps((method, given)))
        return ask(machines, worker, method, *given)

    def echoing(request: Received) -> Answer:
        return Answer({"error": {"message": str(dict(request.headers))}}, 401)

    monkeypatch.setattr(RayMachines, "pack", packed)
    monkeypatch.setattr(RayMachines, "ask", asked)
    services.judge.server.script(*[echoing] * 5)
    played(tmp_path / "run", models, two_workers)
    assert any(services.agent.variable.encode() in part for part in sent)
    assert files_with("worker", ray_folder / "session_latest" / "logs")
    for service in services:
        assert {request.headers["authorization"] for request in service.requests} >= {f"Bearer {service.key}"}
        assert not [part for part in sent if service.key.encode() in part]
        assert not files_with(service.key, ray_folder)
        assert not files_with(service.key, tmp_path / "run")


def test_a_key_that_workers_lack_is_said_with_its_name(
    two_workers: RayCluster, services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KEY_OF_THIS_MACHINE_ALONE", "sk-here")
    models = services.models(tmp_path / "models.toml", agent={"api_key_env": "KEY_OF_THIS_MACHINE_ALONE"})
    said = (
        r"^the models of this run take the keys in FAKE_JUDGE_KEY, FAKE_SIMULATOR_KEY, "
        r"KEY_OF_THIS_MACHINE_ALONE, and a worker has no KEY_OF_THIS_MACHINE_ALONE; keys do not travel: set "
    )
    with pytest.raises(ConfigError, match=said):
        played(tmp_path / "run", models, two_workers)


def test_each_worker_keeps_to_the_limit_of_an_endpoint_by_itself(
    two_workers: RayCluster, services: Services, tmp_path: Path
):
    models = services.models(tmp_path / "models.toml", agent={"concurrency": 1})
    flying: set[int] = set()
    peak, both, answer = 0, threading.Event(), diligent(0)

    def slow(request: Received) -> Answer:
        nonlocal peak
        flying.add(id(request))
        peak = max(peak, len(flying))
        if peak == two_workers.workers:
            both.set()
        both.wait(20)
        flying.remove(id(request))
        return answer(request)

    services.agent.always(slow)
    played(tmp_path / "run", models, two_workers, concurrency=4)
    assert peak == two_workers.workers


def test_an_evaluation_on_a_cluster_has_the_files_of_one_here(
    two_workers: RayCluster, services: Services, models: Path, tmp_path: Path
):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(group=QUERIES, models=models), encoding="utf-8")
    for out, more in (("here", []), ("there", ["--ray", "local", "--workers", str(two_workers.workers)])):
        done = CliRunner().invoke(app, ["eval", str(plan), "--yes", "--out", str(tmp_path / out), *more])
        assert done.exit_code == 0, done.output
    folders = tmp_path / "here", tmp_path / "there"
    names = [[file.relative_to(out) for file in out.rglob("trajectories.jsonl")] for out in folders]
    assert sorted(names[0]) == sorted(names[1])
    assert len(names[0]) == 2
    for name in (*names[0], Path("results.json"), Path("manifest.json")):
        assert (folders[1] / name).read_bytes() == (folders[0] / name).read_bytes()
    asked = sum(services.count().values())
    assert [2 * read_spending(out / "spending.jsonl").calls for out in folders] == [asked, asked]
