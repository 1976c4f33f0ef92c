"""``stb-env eval`` and ``stb-env compare``, end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import reported, stb
from tests.conftest import ROOT
from tests.models.end_to_end.services import Services

PAID = """
[eval]
groups = ["stb/I1Instruction-v0"]
episodes = 2
judge = "pass"
mode = "live"
models = "{models}"
[[agent]]
name = "chat"
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The example's evaluation, and what the command printed."""
    out = tmp_path_factory.mktemp("example")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return out, reported("eval", "examples/evaluation.toml", "--out", out)


@pytest.fixture
def paid(models: Path, tmp_path: Path) -> Path:
    file = tmp_path / "paid.toml"
    file.write_text(PAID.format(models=models))
    return file


@pytest.mark.heavy
def test_the_example_separates_gold_from_noop(example: tuple[Path, dict[str, Any]]):
    averages = {row["agent"]: row["mean"] for row in example[1]["averages"]}
    assert averages["gold"] == 1.0
    assert averages["noop"] == 0.0
    assert 0.0 <= averages["keyword"] < 1.0


def test_the_example_writes_what_it_printed(example: tuple[Path, dict[str, Any]]):
    out, printed = example
    written = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert all(printed[name] == value for name, value in written.items())
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["cells"]) == {
        f"offline/{agent}/{group}"
        for agent in ("gold", "keyword", "noop")
        for group in ("Sandbox", "I1Instruction")
    }


def test_the_tables_name_every_agent_and_group(example: tuple[Path, dict[str, Any]]):
    text = (example[0] / "results.md").read_text(encoding="utf-8")
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles == [
        "# Three agents on two groups",
        "## Solvable pass rate",
        "## Solvable win rate against keyword",
        "## Episodes",
    ]
    assert "| agent   | Sandbox     | I1Instruction | average " in text
    assert "Judged by exact, heuristic. Invalid episodes, which score 0: 0." in text


def test_runs_of_an_evaluation_are_compared(example: tuple[Path, dict[str, Any]]):
    folder = example[0] / "offline"
    found = reported("compare", folder / "gold" / "Sandbox", folder / "noop" / "Sandbox")
    assert (found["solved"], found["score"]["tasks"]) == ([1.0, 0.0], 10)
    assert len(found["only_first"]) == found["score"]["only_first"] == 10
    assert found["score"]["mcnemar"] == 2 / 2**10


def test_runs_of_an_evaluation_are_judged_again(example: tuple[Path, dict[str, Any]]):
    again = reported("judge", example[0] / "offline" / "gold" / "I1Instruction", "--judge", "heuristic")
    assert again["solved_valid"] == 1.0


def test_a_comparison_is_a_table_for_people(example: tuple[Path, dict[str, Any]]):
    folder = example[0] / "offline"
    done = stb("compare", folder / "gold" / "Sandbox", folder / "noop" / "Sandbox")
    assert done.exit_code == 0
    for shown in ("+100.0", "p, exact McNemar", "0.002", "solved by A alone:"):
        assert shown in done.stdout


def test_runs_of_two_groups_are_refused(example: tuple[Path, dict[str, Any]]):
    folder = example[0] / "offline" / "gold"
    done = stb("compare", folder / "Sandbox", folder / "I1Instruction")
    assert done.exit_code == 2
    assert "judge is exact and heuristic" in done.stderr
    assert "env is stb/Sandbox-v1 and stb/I1Instruction-v0" in done.stderr


def test_an_ignored_difference_is_printed(example: tuple[Path, dict[str, Any]], tmp_path: Path):
    gold = example[0] / "offline" / "gold" / "Sandbox"
    done = stb("run", "stb/Sandbox-v1", "--agent", "noop", "--set", "split=val", "--episodes", "10",
        "--set", "max_turns=5", "--out", tmp_path)  # fmt: skip
    assert done.exit_code == 0
    done = stb("compare", gold, tmp_path, "--ignore", "max_turns")
    assert done.exit_code == 0, done.output
    assert "ignored: max_turns is 12 and 5" in done.stderr


def test_what_costs_money_is_not_begun_unasked(paid: Path, services: Services, tmp_path: Path):
    done = stb("eval", paid, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "look at --estimate, then give --yes" in done.stderr
    assert "Assumed wherever nothing was measured: agent 8 calls of 4000 + 150 tokens" in " ".join(
        done.stderr.split()
    )
    assert sum(services.count().values()) == 0


def test_models_of_this_machine_without_a_price_are_asked_at_once(paid: Path, models: Path, tmp_path: Path):
    models.write_text(models.read_text().partition("[prices]")[0])
    done = stb("eval", paid, "--out", tmp_path / "out")
    assert "give --yes" not in done.stderr
    assert (tmp_path / "out" / "results.json").is_file(), done.output


def test_an_estimate_is_printed_alone(paid: Path, services: Services, tmp_path: Path):
    found = reported("eval", paid, "--out", tmp_path / "out", "--estimate")["estimate"]
    assert found["dollars"] > 0
    assert [row["basis"] for row in found["cells"]] == ["assumed"]
    assert sum(services.count().values()) == 0


def test_an_estimate_takes_the_price_from_the_models_file_that_an_agent_names(
    paid: Path, models: Path, services: Services, tmp_path: Path
):
    dear, free = tmp_path / "dear.toml", tmp_path / "free.toml"
    own = models.read_text(encoding="utf-8")
    dear.write_text(own.replace("completion = 200000", "completion = 400000"))
    free.write_text(own.replace("completion = 200000", "completion = 0"))
    text = (
        paid.read_text()
        + f'spec = "chat:{dear}"\n[[agent]]\nname = "free"\nspec = "chat"\nmodels = "{free}"\n'
    )
    paid.write_text(text)
    cells = reported("eval", paid, "--out", tmp_path / "out", "--estimate")["estimate"]["cells"]
    dollars = {cell["name"].split(" · ")[1]: cell["dollars"] for cell in cells}
    # Two episodes of 8 calls of 150 tokens; the judge and the simulator are the same for both.
    assert dollars["chat"] - dollars["free"] == pytest.approx(2 * 8 * 150 * 0.4)
    assert sum(services.count().values()) == 0


def test_a_budget_that_ends_it_exits_1_and_a_higher_one_goes_on(
    paid: Path, services: Services, tmp_path: Path
):
    text = paid.read_text()
    paid.write_text(text.replace("episodes = 2", "episodes = 2\nbudget = 5"))
    done = stb("eval", paid, "--out", tmp_path / "out", "--yes")
    assert done.exit_code == 1
    assert "the budget of $5 is used up" in " ".join(done.stderr.split())
    assert "Not played yet, which score 0: 1 episodes." in " ".join(done.stdout.split())
    paid.write_text(text.replace("episodes = 2", "episodes = 2\nbudget = 50"))
    done = stb("eval", paid, "--out", tmp_path / "out", "--yes", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["spent"]["cost"] == sum(services.count().values()) == 9


def test_an_episode_that_the_budget_leaves_without_a_verdict_waits_for_it(
    paid: Path, services: Services, tmp_path: Path
):
    # Two calls of the agent and one of the simulator; the judge's is not made.
    text = paid.read_text()
    paid.write_text(text.replace("episodes = 2", "episodes = 2\nbudget = 3"))
    done = stb("eval", paid, "--out", tmp_path / "out", "--yes")
    assert done.exit_code == 1
    shown = " ".join((tmp_path / "out" / "results.md").read_text(encoding="utf-8").split())
    assert "Invalid episodes, which score 0: 0. Waiting for a verdict, which score 0: 1 episodes." in shown
    assert "| chat · I1Instruction | 1 of 2 | 0 | 1 | - | - |" in shown


def test_no_key_is_in_any_file(paid: Path, services: Services, tmp_path: Path):
    stb("eval", paid, "--out", tmp_path / "out", "--yes")
    written = b"".join(file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert written
    assert not any(service.key.encode() in written for service in services)
