"""The paper's prompts: retrieval, assembly, stop texts, and the contract of wrappers."""

from __future__ import annotations

import json
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import ConfigError, DataError
from stb_env.retrieval import BM25Retriever
from stb_env.retrieval.bm25 import words
from stb_env.suites.sambanova.common.prompt import prompt_text
from stb_env.suites.sambanova.few_shot import FewShotPrompt
from stb_env.suites.sambanova.materials import calls, documents, examples
from stb_env.suites.sambanova.tasks import SUITE, suite_task
from tests.shared import task_files

PROGRAMS = ("open_weather", "cat_api", "home_search", "trip_booking", "virtual_home")


def prompted(task="home_search", index=0, **settings):
    env = FewShotPrompt(gym.make(SUITE[task].env_id, **_whole(task)), **settings)
    env.reset(seed=0, options={"task_id": f"test-{index}"})
    return env


def _whole(task):
    return {} if SUITE[task].is_stepwise else {"program": True}


def content(env):
    return env.messages[0]["content"]


# -- retrieval ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(shared_data):
    return task_files(shared_data, "retriever", "documents", "queries")[0]


def test_the_words_of_a_query_are_those_of_the_original_golden(recorded):
    for query in recorded["queries"]:
        assert words(query["query"]) == query["tokens"]


def test_the_scores_of_documents_are_those_of_the_original_golden(recorded):
    retriever = BM25Retriever(recorded["documents"])
    for query in recorded["queries"]:
        scores = retriever.scores(query["query"])
        assert np.allclose(scores, query["bm25"], rtol=0, atol=1e-8), query["query"]
        assert np.allclose(1 / (1 + np.exp(-scores / 8)), query["scaled"], rtol=0, atol=1e-8), query["query"]


def test_the_order_of_documents_is_that_of_the_original_where_it_has_one_golden(recorded):
    retriever = BM25Retriever(recorded["documents"])
    for query in recorded["queries"]:
        wanted = query["order_of_positive_scores"]
        found = [hit.index for hit in retriever.search(query["query"], len(recorded["documents"]))]
        ranks = [query["bm25"][index] for index in found[: len(wanted)]]
        assert sorted(found[: len(wanted)]) == sorted(wanted)
        assert ranks == sorted(ranks, reverse=True)


def test_the_household_functions_for_a_lotion_are_those_that_the_original_expects_golden():
    texts = documents(SUITE["virtual_home"])
    names = sorted(texts)
    hits = BM25Retriever([texts[name] for name in names]).search("Apply lotion on agent face", 3)
    assert {names[hit.index] for hit in hits} == {"LieOn", "TypeOn", "SitOn"}


# -- assembly ----------------------------------------------------------------------------------------


def test_the_original_prompt_is_documents_then_examples_then_the_goal():
    assert prompt_text("Fly", ["# One.\na()", "# Two.\nb()"], ["Task: Swim\nAction:\na()\n"], "original") == (
        "I have the following set of API:\n\n# One.\na()\n# Two.\nb()\n-------------\n"
        "I have the following set of examples:\n\nTask: Swim\nAction:\na()\n\n-------------\n"
        "Task: Fly\nAction:\n"
    )


def test_a_part_without_texts_is_left_out():
    assert prompt_text("Fly", [], [], "original") == "\n\nTask: Fly\nAction:\n"


def test_the_system_prompt_says_the_same_with_instructions():
    text = prompt_text("Fly", ["# One.\na()"], [], "system")
    assert "# One.\na()\n-------------\n" in text
    assert "```\nTask: " in text
    assert text.endswith("\n```\n\n-------------\nTask: Fly\nAction:\n")
    assert "solved before" not in text


def test_the_system_prompt_shows_examples_where_there_are_any():
    text = prompt_text("Fly", [], ["Task: Swim\nAction:\na()\n"], "system")
    solved = "These goals have been solved before:\n\nTask: Swim\nAction:\na()\n\n-------------\n"
    assert text.endswith(f"{solved}Task: Fly\nAction:\n")


@pytest.mark.parametrize("task", PROGRAMS)
def test_a_prompt_holds_as_many_documents_and_examples_as_in_the_paper(task):
    text, suite = content(prompted(task)), SUITE[task]
    shown = [name for name, document in documents(suite).items() if f"{document}\n" in text]
    assert len(shown) == suite.documents_k
    assert text.count("\nTask: ") == suite.examples_k + 1


def test_numbers_of_documents_and_examples_can_be_chosen():
    text = content(prompted(documents=2, examples=0))
    assert (text.count("API."), text.count("Task: ")) == (2, 1)


def test_the_best_match_stands_first():
    env = prompted("virtual_home")
    found = [text for text in content(env).split("\n") if text.startswith("Task: ")]
    retriever = BM25Retriever([f"Task: {example.goal}" for example in examples(SUITE["virtual_home"])])
    scores = [retriever.scores(env.task.query)[_index(goal)] for goal in found[:-1]]
    assert scores == sorted(scores, reverse=True)


def _index(goal):
    return next(i for i, e in enumerate(examples(SUITE["virtual_home"])) if f"Task: {e.goal}" == goal)


def test_tags_stand_around_the_turns_of_a_chat():
    text = content(prompted(chat="tags"))
    assert text.startswith("<human>: I have the following set of API:")
    assert text.endswith("\nAction:\n<bot>:")


def test_turns_show_each_example_as_a_turn_and_the_documents_once():
    env = prompted(chat="turns")
    assert [message["role"] for message in env.question] == ["user", "assistant"] * 3 + ["user"]
    assert [message["content"].count("set of API") for message in env.question] == [1] + [0] * 6
    assert env.question[-1]["content"] == f"Task: {env.task.query}\nAction:\n"
    assert all(message["content"].startswith("API.") for message in env.question[1::2])


def test_official_documents_and_examples_take_the_place_of_ours(tmp_path):
    for folder in ("functions", "examples"):
        (tmp_path / folder).mkdir()
    (tmp_path / "test.jsonl").write_text(
        json.dumps({"prompt": "Find", "completion": ["API.search()"]}) + "\n"
    )
    (tmp_path / "functions" / "search").write_text("# Searches everything.\nAPI.search()")
    (tmp_path / "examples" / "0_0.txt").write_text("Task: Find all\nAction:\nAPI.search()\n\n")
    assert content(prompted(data=tmp_path)).startswith(
        "I have the following set of API:\n\n# Searches everything.\nAPI.search()\n-------------\n"
        "I have the following set of examples:\n\nTask: Find all\nAction:\nAPI.search()\n\n-------------\n"
    )


def test_documents_of_equal_text_are_shown_once(tmp_path):
    (tmp_path / "functions").mkdir()
    (tmp_path / "test.jsonl").write_text(
        json.dumps({"prompt": "Find", "completion": ["API.search()"]}) + "\n"
    )
    for name in ("a", "b"):
        (tmp_path / "functions" / name).write_text("# Searches.\nAPI.search()")
    assert content(prompted(data=tmp_path)).count("API.search()") == 1


# -- what comes back -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("  API.search()\n\n", "API.search()"),
        ("API.search()\n-------------\nTask: more", "API.search()"),
        ("API.search()\nTask: Find a flat\nAction:\nAPI.clear()", "API.search()"),
        ("------", ""),
        ("", ""),
    ],
)
def test_an_answer_is_cut_at_the_first_stop_text(answer, kept):
    assert prompted().cut(answer) == kept


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("```\nTask: Find a flat\nAction:\nAPI.search()\n```", "API.search()"),
        ("Sure:\n```python\nAPI.search()\n```\nGood luck!", "API.search()"),
        ("Action:\nAPI.search()", "API.search()"),
        ("API.search()\nTask: the next", "API.search()"),
    ],
)
def test_with_the_system_prompt_fences_and_the_repeated_goal_go_first(answer, kept):
    assert prompted(variant="system").cut(answer) == kept


def test_a_stop_text_of_the_users_counts_too():
    env = prompted(stop=["# end"])
    assert env.cut("API.search() # end of it") == "API.search()"
    assert env.sent_stops == ("------", "Task:", "# end")


def test_of_stop_texts_that_overlap_the_one_that_is_complete_first_counts():
    assert prompted(stop=["234", "3"]).cut("API.search() 12345") == "API.search() 12"
    assert prompted(stop=["234", "34"]).cut("API.search() 12345") == "API.search() 1"


def test_a_hosted_model_is_given_four_stop_texts_at_most():
    assert prompted(stop=["a", "b", "c"]).sent_stops == ("------", "Task:", "a", "b")
    assert "Task:" not in prompted(variant="system").sent_stops
    assert prompted(chat="tags").sent_stops == ("------", "Task:", "<human>:", "<bot>:")


@given(st.text(alphabet=st.sampled_from("-` \nTask:Acion.()x")), st.sampled_from(["original", "system"]))
def test_no_answer_breaks_the_cut_or_leaves_a_stop_text(answer, variant):
    env = _HOME[variant]
    assert not any(stop in env.cut(answer) for stop in env.stops)


_HOME = {variant: prompted(variant=variant) for variant in ("original", "system")}


@pytest.mark.parametrize("task", PROGRAMS)
def test_an_accepted_program_with_more_behind_it_solves_the_task(task):
    for index in range(5):
        env = prompted(task, index)
        answer = env.task.goal["labels"][0] + "\n\nTask: Something else\nAction:\nwhatever"
        _, reward, terminated, _, info = env.step(answer)
        assert (reward, terminated) == (1.0, True)
        assert info["messages"][-1] == {"role": "assistant", "content": env.task.goal["labels"][0]}


@pytest.mark.heavy
def test_in_a_shop_the_prompt_is_about_the_page_that_the_agent_is_on():
    env = prompted("web_shop")
    first = env.question[-1]["content"]
    assert "[button] Search [button_]\n\nAction:\n" in first[-60:]
    env.step("search[lamp]\nTask: next")
    assert "[button] Back to Search [button_]" in env.question[-1]["content"].rsplit("Task: ", 1)[1]
    assert [message["role"] for message in env.messages] == ["user", "assistant", "user"]


def test_in_a_shop_a_page_that_found_no_room_in_the_result_is_a_mark():
    env = FewShotPrompt(gym.make("stb/WebShop-v1", limits={"result": 256}), examples=0)
    env.reset(seed=0)
    back = {"name": "click", "arguments": {"element": "Back to Search"}}
    env.step([{"name": "search", "arguments": {"query": "lamp"}}, back] * 20)
    assert env.question[-1]["content"].endswith("Task: ...[cut]\nAction:\n")


# -- the contract of wrappers ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", ["home_search", "web_shop"])
def test_gymnasium_accepts_a_prompted_environment(task):
    check_env(prompted(task), skip_render_check=True)


def test_a_fork_goes_on_by_itself_with_the_same_prompt():
    env = prompted("web_shop")
    branch, state = env.fork(), env.snapshot()
    branch.step("search[lamp]")
    assert len(env.messages) == 1
    env.restore(branch.snapshot())
    assert env.messages == branch.messages
    env.restore(state)
    assert len(env.messages) == 1


def test_an_action_that_is_no_text_is_passed_on():
    env = FewShotPrompt(gym.make("stb/HomeSearch-v1"))
    env.reset(seed=0)
    _, _, _, _, info = env.step({"name": "set_location", "arguments": {"value": "Rome"}})
    assert info["calls"][0]["name"] == "set_location"
    assert json.loads(env.messages[1]["content"])[0]["arguments"] == {"value": "Rome"}


def test_the_spec_of_a_prompted_environment_makes_it_again():
    env = prompted(chat="tags", examples=1, stop=["# end"])
    again = gym.make(env.spec)
    again.reset(seed=0, options={"task_id": "test-0"})
    assert again.messages == env.messages


def test_the_same_episode_has_the_same_prompt_again():
    assert prompted().messages == prompted().messages


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"variant": "orginal"}, "variant must be one of original, system, got 'orginal'"),
        ({"chat": "human"}, "chat must be one of none, tags, turns, got 'human'"),
        ({"examples": -1}, "examples must be at least 0, or 'paper', got -1"),
        ({"documents": -2}, "documents must be at least 0, or 'paper', got -2"),
        ({"task": "home_serch"}, "no SambaNova task 'home_serch'.* Did you mean 'home_search'"),
        ({"task": "web_shop"}, "web_shop is played on pages, and this environment has none"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        FewShotPrompt(gym.make("stb/HomeSearch-v1"), **settings)


def test_an_environment_of_another_suite_is_refused():
    with pytest.raises(ConfigError, match=r"no SambaNova task 'Sandbox'.* name theirs with task="):
        FewShotPrompt(gym.make("stb/Sandbox-v1"))


def test_a_folder_without_tests_is_refused(tmp_path):
    with pytest.raises(DataError, match="no test file at"):
        FewShotPrompt(gym.make("stb/HomeSearch-v1"), data=tmp_path)


# -- the table of tasks ----------------------------------------------------------------------------------


def test_a_task_without_documents_and_examples_has_its_goal_as_prompt():
    env = FewShotPrompt(gym.make("stb/HomeSearch-v1"), task="tabletop")
    env.reset(seed=0)
    assert env.question == [{"role": "user", "content": env.task.query}]
    assert env.sent_stops == ("------", "Task:", "#", "objects = [")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("stb_env.suites.nowhere:documents", r"^cannot import 'stb_env\.suites\.nowhere'"),
        (
            "stb_env.suites.sambanova.home_search.tools:document",
            r"home_search\.tools defines no 'document'\. Did you mean 'documents'\?$",
        ),
    ],
)
def test_a_part_that_is_not_where_its_task_says_is_refused(part, message):
    with pytest.raises(ConfigError, match=message):
        documents(replace(SUITE["home_search"], documents=part))


@pytest.mark.parametrize("task", PROGRAMS)
def test_every_demonstration_calls_functions_of_the_task(task):
    suite = suite_task(task)
    assert all(calls(suite, example.program) for example in examples(suite))
    assert suite.functions >= len(documents(suite))
