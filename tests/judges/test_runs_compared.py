"""Two runs compared: exactly once per task and round, resumable, and a half for a run against itself."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.judges.preference import PreferenceJudge, VerdictPreference
from stb_env.models import ModelError, ScriptedModel
from stb_env.runs.baselines import load_agent
from stb_env.runs.judging import prefer
from stb_env.saved_episodes import read_trajectories
from tests.judges.runs import record

VERDICTS = "pass:m:v3"
DOWN = ModelError("HTTP 503", kind="transport")


def preference(replies, **given):
    model = ScriptedModel(replies, name="p")
    return PreferenceJudge(model, **given), model


def place(request):
    """Prefer whatever stands first."""
    return "first"


def sun(request):
    """Prefer sun, wherever it stands."""
    text = request.messages[0]["content"]
    return "first" if text.index("It is sunny.") < text.index("It rains.") else "second"


def lines_of(folder):
    return [json.loads(line) for file in folder.glob("preferences-*") for line in file.open()]


@pytest.fixture
def sunny(tmp_path):
    return record(tmp_path / "sunny")


@pytest.fixture
def rainy(tmp_path):
    return record(tmp_path / "rainy", "It rains.")


def test_a_run_against_itself_is_exactly_a_half_even_for_a_judge_who_prefers_a_place(sunny):
    judge, model = preference(place)
    overall = prefer(sunny, sunny, judge, VERDICTS).rates.overall
    assert (overall.ties_half, overall.tie, overall.queries, model.requests) == (0.5, 1.0, 3, [])


def test_a_judge_who_prefers_a_place_finds_no_winner_between_different_runs(sunny, rainy):
    judge, model = preference(place)
    assert prefer(sunny, rainy, judge, VERDICTS).rates.overall.ties_half == 0.5
    assert len(model.requests) == 3 * 3 * 2


def test_a_judge_with_a_taste_finds_the_winner_from_either_side(sunny, rainy):
    assert prefer(sunny, rainy, preference(sun)[0], VERDICTS).rates.overall.win == 1.0
    assert prefer(rainy, sunny, preference(sun)[0], VERDICTS).rates.overall.lose == 1.0


def test_verdicts_that_differ_decide_without_a_question(sunny, tmp_path):
    poor = record(tmp_path / "poor", "It rains.", "Unsolved")
    judge, model = preference([])
    found = prefer(poor, sunny, judge, VERDICTS)
    assert (found.rates.overall.lose, model.requests) == (1.0, [])
    assert found.summary["decided_by"] == {"status": 9}


def test_comparing_again_asks_nothing_and_changes_nothing(sunny, rainy):
    first = prefer(sunny, rainy, preference(sun)[0], VERDICTS)
    (file,) = sunny.glob("preferences-*.jsonl")
    before = file.read_bytes()
    judge, model = preference([])
    again = prefer(sunny, rainy, judge, VERDICTS)
    assert (again.compared, model.requests, file.read_bytes()) == (0, [], before)
    assert again.summary == first.summary


def test_a_stopped_command_goes_on_where_it_was_with_each_round_once(sunny, rainy):
    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prefer(sunny, rainy, preference(sun)[0], VERDICTS, progress=stop)
    (file,) = sunny.glob("preferences-*.jsonl")
    file.open("a").write('{"version": 1, "task_')
    judge, model = preference(sun)
    found = prefer(sunny, rainy, judge, VERDICTS)
    assert (found.compared, len(model.requests), found.rates.overall.win) == (5, 10, 1.0)
    rounds = [(line["task_id"], line["turn"]) for line in lines_of(sunny)]
    assert len(rounds) == len(set(rounds)) == 9


def test_a_comparison_that_failed_leaves_its_query_undecided_until_it_is_mended(sunny, rainy):
    judge, model = preference(lambda request: DOWN if len(model.requests) == 1 else sun(request))
    found = prefer(sunny, rainy, judge, VERDICTS)
    assert (found.failed, found.rates.undecided) == (1, 1)
    assert (found.rates.overall.queries, found.rates.overall.undecided) == (3, 1)
    mended = prefer(sunny, rainy, preference(sun)[0], VERDICTS)
    assert (mended.compared, mended.rates.undecided, mended.rates.overall.win) == (1, 0, 1.0)


def test_several_at_a_time_write_the_same_lines(sunny, rainy, tmp_path):
    copy = shutil.copytree(sunny, tmp_path / "copy")
    prefer(sunny, rainy, preference(sun)[0], VERDICTS)
    prefer(copy, rainy, preference(sun)[0], VERDICTS, concurrency=3)
    assert lines_of(sunny) == lines_of(copy)


def test_other_settings_another_reference_and_new_verdicts_are_compared_anew(sunny, rainy, tmp_path):
    other = record(tmp_path / "other", "It rains. It rains.")
    prefer(sunny, rainy, preference(sun)[0], VERDICTS)
    assert prefer(sunny, rainy, preference(sun, order="random")[0], VERDICTS).compared == 9
    assert prefer(sunny, other, preference(sun)[0], VERDICTS).compared == 9
    assert prefer(sunny, rainy, preference([])[0], VERDICTS).compared == 0


def test_a_task_that_the_candidate_never_played_is_lost(sunny, tmp_path):
    short = record(tmp_path / "short", episodes=1)
    found = prefer(short, sunny, preference([])[0], VERDICTS)
    assert (found.rates.overall.lose, found.rates.overall.tie) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert found.summary["decided_by"] == {"identical": 3, "missing": 6}


def test_a_task_that_the_reference_never_played_is_won(sunny, tmp_path):
    short = record(tmp_path / "short", episodes=1)
    found = prefer(sunny, short, preference([])[0], VERDICTS)
    assert (found.rates.overall.queries, found.rates.overall.win) == (3, pytest.approx(2 / 3))
    told = [found.summary[name] for name in ("without_answer", "reference_without_answer")]
    assert (told, found.summary["not_in_reference"]) == ([0, 2], 2)


def test_a_task_whose_answers_lack_a_verdict_is_undecided(sunny, tmp_path):
    flaky = record(tmp_path / "flaky", "It rains.", ["Solved", DOWN, "Solved"])
    for one, other in ((flaky, sunny), (sunny, flaky)):
        found = prefer(one, other, preference(sun)[0], VERDICTS)
        assert (found.rates.invalid, found.rates.overall.queries, found.rates.overall.undecided) == (1, 3, 1)


def test_an_answer_without_a_verdict_wins_against_none(sunny, tmp_path):
    flaky = record(tmp_path / "flaky", "It rains.", ["Solved", DOWN, "Solved"])
    short = record(tmp_path / "short", episodes=1)
    assert prefer(flaky, short, preference(sun)[0], VERDICTS).rates.overall.win == pytest.approx(2 / 3)
    assert prefer(short, flaky, preference(sun)[0], VERDICTS).rates.overall.lose == pytest.approx(2 / 3)


def test_an_episode_that_gave_up_is_a_contender_without_an_answer(sunny, tmp_path):
    given_up = record(tmp_path / "given_up", agent=load_agent("give_up"))
    assert prefer(given_up, sunny, preference([])[0], VERDICTS).rates.overall.lose == 1.0
    assert prefer(given_up, given_up, preference([])[0], VERDICTS).rates.overall.ties_half == 0.5


def test_several_trials_are_compared_in_turn(tmp_path):
    texts = ["Solved", "Unsolved"] * 3
    mixed = record(tmp_path / "mixed", verdict=texts, trials=2)
    steady = record(tmp_path / "steady", "It rains.", trials=2)
    found = prefer(mixed, steady, preference(sun)[0], VERDICTS, comparisons=2)
    assert set(map(tuple, found.results.values())) == {("win", "lose")}
    assert found.rates.overall.ties_half == 0.5


def test_without_a_model_equal_verdicts_tie(sunny, rainy):
    assert prefer(sunny, rainy, VerdictPreference(VERDICTS), VERDICTS).rates.overall.tie == 1.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"comparisons": 0}, r"^comparisons must be at least 1, got 0$"),
        ({"concurrency": 0}, r"^concurrency must be at least 1, got 0$"),
        (
            {"verdicts": "pass:other:v3"},
            r"sunny has no verdicts of pass:other:v3, .*`stb-env judge .*sunny`$",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(sunny, rainy, given, message):
    given = {"verdicts": VERDICTS} | given
    with pytest.raises(ConfigError, match=message):
        prefer(sunny, rainy, preference([])[0], **given)


def test_runs_of_other_tasks_are_refused(sunny, rainy):
    file = rainy / "trajectories.jsonl"
    episodes = read_trajectories(rainy)
    file.write_text("".join(replace(each, query="another").to_json() + "\n" for each in episodes))
    with pytest.raises(DataError, match=r"^task '.*' has another query in the reference run"):
        prefer(sunny, rainy, preference([])[0], VERDICTS)
    file.write_text("".join(replace(each, task_id=f"x{each.task_id}").to_json() + "\n" for each in episodes))
    with pytest.raises(DataError, match=r"^the two runs share no task"):
        prefer(sunny, rainy, preference([])[0], VERDICTS)


def test_a_broken_line_of_comparisons_is_named(sunny, rainy):
    (sunny / "preferences-preference-p-v2.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match=r"v2\.jsonl, line 1: not a comparison \(KeyError"):
        prefer(sunny, rainy, preference([])[0], VERDICTS)
