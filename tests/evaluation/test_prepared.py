"""Cells that are opened once, for the estimate, the manifest and the play."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from gymnasium.envs.registration import registry

from stb_env.core.files import LineWriter
from stb_env.errors import ConfigError, DataError
from stb_env.evaluation.estimate import estimate
from stb_env.evaluation.ledger import Ledger
from stb_env.evaluation.plan import AgentPlan, EvaluationPlan
from stb_env.evaluation.play_plan import evaluate, play
from stb_env.evaluation.prepared import prepared
from stb_env.evaluation.resolved import RunSpec, resolve
from tests.command import stb
from tests.evaluation import counted
from tests.models.end_to_end.services import Services

ID = "stb/Sandbox-v1"
PLAN = EvaluationPlan("test", (ID,), (AgentPlan("gold"), AgentPlan("noop"), AgentPlan("echo")), episodes=2)


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Have Gymnasium make the Sandbox as `counted` does."""
    monkeypatch.setitem(registry, ID, replace(registry[ID], entry_point="tests.evaluation.counted:make"))
    yield counted
    counted.made.clear()
    counted.closed.clear()


def test_the_command_makes_the_environment_of_each_cell_once(book: ModuleType, tmp_path: Path):
    plan = tmp_path / "plan.toml"
    agents = "".join(f'[[agent]]\nname = "{agent.name}"\n' for agent in PLAN.agents)
    plan.write_text(f'[eval]\ngroups = ["{ID}"]\nepisodes = 2\nreference = "noop"\n{agents}')
    assert stb("eval", plan, "--out", tmp_path / "out").exit_code == 0
    assert len(book.made) == 3
    assert stb("eval", plan, "--out", tmp_path / "out", "--estimate").exit_code == 0
    assert len(book.made) == 6
    assert book.times_closed() == [1] * 6


def test_workers_at_the_same_time_make_no_environment_besides_their_own(book: ModuleType, tmp_path: Path):
    evaluate(replace(PLAN, agents=PLAN.agents[:1], episodes=12, concurrency=3), tmp_path)
    assert 1 <= len(book.made) <= 3


def test_cells_before_a_wrong_one_are_closed_and_nothing_is_written(book: ModuleType, tmp_path: Path):
    plan = replace(PLAN, agents=(*PLAN.agents, AgentPlan("last", "agents/none.py:Agent")))
    with pytest.raises(ConfigError, match=r"agents/none\.py does not exist"):
        evaluate(plan, tmp_path / "out")
    assert book.times_closed() == [1, 1, 1]
    assert not (tmp_path / "out").exists()


def test_a_run_that_cannot_be_planned_is_closed(book: ModuleType):
    with pytest.raises(ConfigError, match=r"Sandbox generates tasks without end; say how many"):
        resolve(RunSpec(ID, "gold", {"split": "train"}))
    assert book.times_closed() == [1]


def test_an_error_while_one_cell_is_played_closes_all(book: ModuleType, tmp_path: Path):
    (tmp_path / "broken.py").write_text(
        "from stb_env.errors import DataError\n\n"
        "def policy(observation, info):\n    raise DataError('broken')\n"
    )
    agents = (PLAN.agents[0], AgentPlan("broken", f"{tmp_path}/broken.py:policy"), PLAN.agents[1])
    with pytest.raises(DataError, match=r"^broken$"):
        evaluate(replace(PLAN, agents=agents), tmp_path / "out")
    assert book.times_closed() == [1, 1, 1]


def test_a_cell_that_was_played_is_closed_before_the_next_begins(book: ModuleType, tmp_path: Path):
    seen: list[list[int]] = []
    evaluate(PLAN, tmp_path, progress=lambda *_: seen.append(book.times_closed()))
    assert seen[::3] == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]


def test_what_was_prepared_is_played_and_leaves_nothing_to_estimate(tmp_path: Path):
    with prepared(PLAN, tmp_path) as ready:
        assert not list(tmp_path.iterdir())
        done = play(ready)
        assert not ready.waiting
    assert (done.results.missing, done.stopped) == (0, "")
    assert [row.episodes for row in estimate(PLAN, tmp_path).cells] == [0, 0, 0]


def test_an_evaluation_that_another_process_plays_is_refused(tmp_path: Path):
    with closing(LineWriter(tmp_path / "spending.jsonl")):
        with pytest.raises(ConfigError, match=r"another process is writing to .*spending\.jsonl;"):
            evaluate(PLAN, tmp_path)
        assert [row.episodes for row in estimate(PLAN, tmp_path).cells] == [2, 2, 2]
    assert [file.name for file in tmp_path.iterdir()] == ["spending.jsonl"]


def test_a_ledger_writes_nothing_before_its_first_call(tmp_path: Path):
    with closing(Ledger(tmp_path / "out" / "spending.jsonl")) as ledger:
        assert not (tmp_path / "out").exists()
        ledger.reserve("agent").result()
        assert (tmp_path / "out" / "spending.jsonl").is_file()


def test_what_one_cell_records_is_known_to_the_next(services: Services, models: Path, tmp_path: Path):
    plan = EvaluationPlan(
        "recording",
        ("stb/I1Instruction-v0",),
        (AgentPlan("gold"), AgentPlan("again", "gold")),
        judge="heuristic",
        models=str(models),
        cache=str(tmp_path / "cache"),
        mode="record",
        episodes=2,
    )
    asked = []
    evaluate(plan, tmp_path / "out", progress=lambda *_: asked.append(services.count()["simulator"]))
    first, _, done, *later = asked
    assert first == 0
    assert done > 0
    assert later == [done] * 3


def test_the_estimate_counts_the_votes_of_the_judge_that_plays(
    services: Services, models: Path, tmp_path: Path
):
    plan = EvaluationPlan(
        "votes",
        (ID,),
        (AgentPlan("gold"),),
        episodes=2,
        settings={ID: {"judge": "pass", "votes": 3, "models": str(models)}},
        models=str(models),
    )
    (row,) = estimate(plan, tmp_path).cells
    assert row.calls == 2 * 3 * plan.assumptions["judge"].calls
