"""Judging a run again over HTTP: known votes cost nothing, missing ones stay missing until mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.runs.verdict_file import read_judged, read_judgements
from tests.fakes.openai_server import error
from tests.models.end_to_end.services import diligent, simulating, varied, voting
from tests.saved import unsum

DOWN = error("overloaded", 503)


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "trajectories.jsonl").read_text().splitlines()]


@pytest.fixture
def run(services, play, tmp_path):
    """Play three episodes with three votes each, which are kept where judging again looks for them."""
    services.agent.always(diligent(1))
    services.simulator.always(simulating)
    models = services.models(tmp_path / "models.toml", judge={"retries": 0})
    folder = tmp_path / "run"

    def played():
        done, _ = play(models, "--set", "votes=3", "--set", f"votes_cache={folder / 'votes'}")
        return done, folder, models

    return played


def test_three_votes_over_http_give_mean_and_standard_deviation(services, run, stb):
    services.judge.script(
        *map(voting, ["Solved", "Unsolved", "Solved"] * 2 + ["Solved", "Solved", "Unsolved"])
    )
    _, folder, models = run()
    assert [len(line["verdict"]["votes"]) for line in lines(folder)] == [3, 3, 3]
    judged = stb("judge", folder, "--votes", 3, "--models", models, "--json")
    figures = judged.report["votes"]
    assert (judged.exit_code, judged.stderr) == (0, "")
    assert figures["scores"] == [1.0, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert (figures["mean"], figures["std"]) == (pytest.approx(2 / 3), pytest.approx(0.2721655))


def test_judging_again_from_the_cache_asks_no_model(services, run, stb):
    services.judge.always(varied)
    _, folder, models = run()
    asked = services.count()
    first = stb("judge", folder, "--votes", 3, "--models", models, "--json")
    verdicts = (folder / "verdicts.jsonl").read_bytes()
    (folder / "verdicts.jsonl").unlink()
    second = stb("judge", folder, "--votes", 3, "--models", models, "--concurrency", 3, "--json")
    assert services.count() == asked
    assert second.report == first.report
    assert (folder / "verdicts.jsonl").read_bytes() == verdicts
    assert [t.verdict for t in read_judged(folder)] == [line["verdict"] for line in lines(folder)]


def test_a_judge_that_fails_leaves_votes_missing_and_only_failed_mends_just_these(services, run, stb, leaks):
    # Three episodes, three votes each; the fifth vote fails.
    services.judge.script(*[voting("Solved")] * 4, DOWN, *[voting("Solved")] * 4, DOWN)
    services.judge.always(voting("Solved"))
    done, folder, models = run()
    before = lines(folder)
    assert [line["valid"] for line in before] == [True, False, True]
    assert [line["reward"] for line in before] == [1.0, 0.0, 1.0]
    assert before[1]["verdict"] is None
    assert before[1]["failure"]["message"].startswith("1 of 3 votes of judge pass:judge-model:v3 are missing")
    assert (done.report["failures"], done.report["mean"]) == ({"transport": 1}, 1.0)
    asked = services.count()

    mend = ("judge", folder, "--only-failed", "--votes", 3, "--models", models, "--json")
    failing = stb(*mend)
    (missing,) = read_judgements(folder / "verdicts.jsonl").values()
    assert (failing.exit_code, failing.report["invalid"]) == (1, 1)
    assert [vote["status"] for vote in missing.votes] == ["solved", None, "solved"]
    mended = stb(*mend)
    assert (mended.exit_code, mended.report["judged"], mended.report["invalid"]) == (0, 1, 0)
    # Only the missing vote was asked for: once in vain, and then once more.
    assert services.count() == asked | {"judge": asked["judge"] + 2}
    assert [(t.valid, t.reward) for t in read_judged(folder)] == [(True, 1.0)] * 3
    assert lines(folder) == before
    assert leaks(done.stdout, failing.stdout, mended.stdout) == []


# -- verdicts belong to the answers that were judged ----------------------------------------------------


def test_a_run_goes_on_with_the_verdicts_that_were_given_after_its_judge_was_down(
    services, play, stb, tmp_path
):
    down = True
    services.agent.always(diligent(1))
    services.simulator.always(simulating)
    services.judge.always(lambda request: DOWN if down else voting("Solved"))
    models = services.models(tmp_path / "models.toml", judge={"retries": 0})
    failed, _ = play(models)
    assert (failed.exit_code, failed.report["invalid"]) == (1, 3)
    down = False
    mended = stb("judge", tmp_path / "run", "--only-failed", "--models", models, "--json")
    assert (mended.exit_code, mended.report["solved"]) == (0, 3)
    asked = services.count()
    again, _ = play(models)
    assert (again.exit_code, again.report["invalid"], again.report["solved_all"]) == (0, 0, 1.0)
    assert services.count() == asked


def test_verdicts_on_other_answers_count_for_nothing_and_are_given_anew(services, play, stb, tmp_path):
    now = {"turns": 1, "status": "Solved"}
    services.agent.always(lambda request: diligent(now["turns"])(request))
    services.simulator.always(simulating)
    services.judge.always(lambda request: voting(now["status"]))
    models = services.models(tmp_path / "models.toml", judge={"retries": 0})
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, turns, status in ((one, 1, "Solved"), (two, 2, "Unsolved")):
        now |= {"turns": turns, "status": status}
        play(models, out=folder.name)
        assert stb("judge", folder, "--models", models, "--json").report["judged"] == 3
    unsum(two)
    (two / "verdicts.jsonl").write_bytes((one / "verdicts.jsonl").read_bytes())
    assert [t.reward for t in read_judged(two)] == [0.0] * 3
    done = stb("judge", two, "--models", models, "--json")
    assert (done.report["judged"], done.report["solved"]) == (3, 0)
    # Verdicts on the very same answers are not asked for again.
    assert stb("judge", two, "--models", models, "--json").report["judged"] == 0
