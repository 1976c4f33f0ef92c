"""Forms: every way to fill one in, both judges, official files and the recorded verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import DataError
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sambanova.common.agreement import best_agreement
from stb_env.suites.sambanova.common.form.judge import Labels
from stb_env.suites.sambanova.common.form.world import FormWorld
from tests.shared import task_cases
from tests.suites.sambanova.common.form.play import DONE, FormCase
from tests.suites.sambanova.home_search.cases import CASE as HOMES
from tests.suites.sambanova.trip_booking.cases import CASE as TRIPS

FORMS = {"home_search": HOMES, "trip_booking": TRIPS}
FIGURES = ("executable", "success", "precision", "recall", "f1")

each_form = pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
each_judge = pytest.mark.parametrize("compat", [None, "original"])


@each_form
@each_judge
def test_a_label_is_solved_as_a_program_and_as_calls(form: FormCase, compat: str | None):
    for verdict in (
        form.judged(form.label, DONE, compat=compat),
        form.judged(form.label, program=True, compat=compat),
        form.judged(form.label + '\nFinish("give_answer", "")', compat=compat),
        form.judged(*form.steps, DONE, compat=compat),
    ):
        assert (verdict["status"], verdict["executable"], verdict["f1"]) == ("solved", True, 1.0)
        assert verdict["judge"] == ("original" if compat else "exact")


@each_judge
@pytest.mark.parametrize(
    ("form", "program"), [(form, text) for form in FORMS.values() for text in form.spelled]
)
def test_any_python_that_makes_the_same_calls_is_solved(form: FormCase, program: str, compat: str | None):
    assert form.judged(program, program=True, compat=compat)["success"]


@each_judge
@pytest.mark.parametrize(
    ("form", "program"), [(form, text) for form in FORMS.values() for text in form.misspelled]
)
def test_the_same_python_with_another_wish_is_not_solved(form: FormCase, program: str, compat: str | None):
    assert not form.judged(program, program=True, compat=compat)["success"]


@pytest.mark.parametrize(
    ("form", "program", "original", "default"),
    [(form, *row) for form in FORMS.values() for row in form.differences],
)
def test_the_default_differs_from_the_original_where_that_is_documented(
    form: FormCase, program: str, original: tuple[bool, bool], default: tuple[bool, bool]
):
    for compat, expected in (("original", original), (None, default)):
        verdict = form.judged(program, program=True, compat=compat)
        assert (verdict["executable"], verdict["success"]) == expected


@each_form
def test_a_mistake_can_be_mended_in_steps_but_not_in_one_program(form: FormCase):
    rest = form.label.removeprefix(form.start)
    mended = form.judged(form.start, form.wrong, rest, DONE)
    assert (mended["success"], mended["executable"]) == (True, False)
    assert not form.judged(f"{form.start}{form.wrong}\n{rest}", program=True)["success"]
    assert not form.judged(form.start, form.wrong, rest, DONE, compat="original")["success"]


@each_form
def test_a_call_that_fails_after_the_search_costs_the_task(form: FormCase):
    program = form.judged(f"{form.label}\n{form.last}", program=True)
    steps = form.judged(form.label, form.last, DONE)
    assert (program["success"], program["executable"]) == (False, False)
    assert program["votes"][0]["reason"] == "a call failed"
    assert (steps["success"], steps["executable"]) == (False, False)
    assert steps["votes"][0]["reason"].startswith("a call failed at the end: ")


@pytest.mark.parametrize(
    ("form", "call"), [(form, text) for form in FORMS.values() for text in form.stopping]
)
def test_a_program_stops_at_its_first_failing_call(form: FormCase, call: str):
    made = form.env().step(f"{form.start}{call}\nAPI.clear()")[4]["calls"]
    assert [bool(call["error"]) for call in made] == [False] * (len(made) - 1) + [True]
    assert made[-1]["name"] != "clear"


@pytest.mark.parametrize(
    ("form", "actions", "status", "error"), [(form, *row) for form in FORMS.values() for row in form.errors]
)
def test_what_is_wrong_with_a_call_is_said(form: FormCase, actions: list[Any], status: int, error: str):
    env = form.env()
    for action in actions[:-1]:
        env.step(action)
    observation, _, terminated, _, info = env.step(actions[-1])
    assert (observation["status"], terminated) == (status, False)
    assert error in info["calls"][-1]["error"]


def official(form: FormCase, folder: Path, *labels: str, compat: str | None = None) -> ToolEnv:
    lines = [json.dumps({"prompt": "goal ", "completion": [label]}) for label in labels]
    (folder / "test.jsonl").write_text("\n".join(lines))
    env = gym.make(form.env_id, data=str(folder), compat=compat).unwrapped
    assert isinstance(env, ToolEnv)
    return env


@each_form
@each_judge
def test_official_files_are_played_and_solved_by_the_oracle(
    tmp_path: Path, form: FormCase, compat: str | None
):
    env = official(form, tmp_path, *form.programs, compat=compat)
    for index, label in enumerate(form.programs, 1):
        assert play(env, load_agent("gold")(), task_id=str(index), seed=0).reward == 1.0
        env.reset(seed=0, options={"task_id": str(index)})
        assert (env.task.query, env.task.record["completion"]) == ("goal", [label])
        assert env.step(label + '\nFinish("give_answer", "")')[1] == 1.0


@each_form
def test_official_labels_that_do_not_run_are_errors(tmp_path: Path, form: FormCase):
    with pytest.raises(DataError, match=r"line 2: the label .* does not run: not a program"):
        official(form, tmp_path, form.label, form.label[:-1])
    with pytest.raises(DataError, match=r"line 1: the label .* does not end with search"):
        official(form, tmp_path, form.start)
    official(form, tmp_path, form.start, compat="original")
    with pytest.raises(DataError, match=rf"line 1: the label .* does not run: {form.first}"):
        official(form, tmp_path, form.start + form.start, compat="original")


# -- recorded verdicts -------------------------------------------------------------------------------------


@pytest.fixture(params=list(FORMS))
def recorded(request: pytest.FixtureRequest, shared_data: Path) -> tuple[FormCase, list[dict[str, Any]]]:
    return FORMS[request.param], task_cases(shared_data, request.param)


def test_golden_figures_of_every_case_are_the_originals(recorded: tuple[FormCase, list[dict[str, Any]]]):
    form, cases = recorded
    for case in cases:
        verdict = form.judged(case["prediction"], labels=case["labels"], compat="original", program=True)
        figures = {name: verdict[name] for name in FIGURES}
        assert figures == pytest.approx({name: float(case["expected"][name]) for name in FIGURES}), case["id"]
        if case["expected"].get("error_text"):
            assert verdict["votes"][0]["reason"] == case["expected"]["error_text"], case["id"]


def test_golden_criteria_and_the_best_label_of_every_case_are_the_originals(
    recorded: tuple[FormCase, list[dict[str, Any]]],
):
    form, cases = recorded
    world, labels = FormWorld(form.api, original=True), Labels(form.api, original=True)
    for case in cases:
        expected = case["expected"]
        wanted = [labels.criteria(label) for label in case["labels"]]
        assert wanted == expected["label_criteria"], case["id"]
        if expected["executable"]:
            criteria = world.run(case["prediction"]).criteria
            assert criteria == expected["criteria"], case["id"]
            assert best_agreement(criteria, wanted)[1] == expected["best_label_index"], case["id"]


def test_golden_python_programs_and_plain_ones_are_judged_alike_by_default(
    recorded: tuple[FormCase, list[dict[str, Any]]],
):
    form, cases = recorded
    for case in cases:
        verdict = form.judged(case["prediction"], labels=case["labels"], program=True)
        if case["syntax"] == "python" and case["expected"]["executable"]:
            assert verdict["success"] == case["expected"]["success"], case["id"]
        expected = form.expected_by_default(case)
        if expected is not None:
            assert (verdict["executable"], verdict["success"]) == expected, case["id"]
