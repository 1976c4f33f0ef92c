"""Judging a run again over HTTP: known votes cost nothing, missing ones stay missing until mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.runs.verdict_file import read_judged, read_judgements
from tests.fakes.openai_server import error
from tests.models.end_to_end.services import diligent, simulating, varied, voting

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
