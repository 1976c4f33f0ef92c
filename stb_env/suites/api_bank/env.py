"""Makes API-Bank's environments: one for each of its three levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, Unpack

from stb_env.actions import parse_action
from stb_env.backend.own import UserLike
from stb_env.core.kinds import Count
from stb_env.core.settings import checks_settings
from stb_env.envs.env_settings import EnvSettings
from stb_env.envs.model_user import ModelUser
from stb_env.envs.rules import Compat
from stb_env.envs.tool_env import ToolEnv
from stb_env.envs.wording import Wording
from stb_env.errors import ConfigError
from stb_env.models import available, connect, load_models
from stb_env.models.prompting import Prompt, prompt
from stb_env.retrieval import (
    BM25Retriever,
    DenseRetriever,
    HybridRetriever,
    NgramRetriever,
    RetrieverFactory,
    paraphrase_minilm,
)
from stb_env.suites.api_bank.action_reader import reader
from stb_env.suites.api_bank.apis.schedule import TODAY
from stb_env.suites.api_bank.composer.splits import Split
from stb_env.suites.api_bank.corpus import Ability, Corpus, embedded_corpus, read_corpus, read_scene_corpus
from stb_env.suites.api_bank.formats.written_dialogues import is_written
from stb_env.suites.api_bank.judge import DialogueJudge, RewardBasis
from stb_env.suites.api_bank.oracle import oracle
from stb_env.suites.api_bank.retrieval_world import RetrievalWorld
from stb_env.suites.api_bank.searcher import ToolSearcher
from stb_env.suites.api_bank.tasks import Pool, checked_pool, dialogue_tasks, scene_tasks
from stb_env.suites.api_bank.user import ScriptedUser
from stb_env.tasks import TaskSet

Search = Literal["frozen", "ngram", "bm25", "hybrid", "minilm"]

MAX_TURNS = 60


@checks_settings
def make(
    ability: Ability,
    data: str | Path | None = None,
    databases: str | Path | None = None,
    split: Split = "test",
    pool: Pool | None = None,
    search: Search = "frozen",
    reward_basis: RewardBasis | None = None,
    scenes: bool = False,
    user: Literal["scripted", "model"] | UserLike = "scripted",
    models: str | Path | None = None,
    ask_user: bool = False,
    max_turns: Count = MAX_TURNS,
    compat: Compat | None = None,
    **settings: Unpack[EnvSettings],
) -> ToolEnv:
    """Make the dialogues of one level of API-Bank playable.

    The calls and the final state decide the reward; nothing that is said does (`DialogueJudge`). The user
    says what the dialogue's user said, whatever the agent writes (`ScriptedUser`). An action without a call
    is a reply to them, and a Finish is, too: while the user has more to say, the next utterance is the
    answer. After that a Finish ends the episode, or the second reply. In ``Retrieve`` and ``Plan`` only
    ToolSearcher is there at first, and what it finds can be called from then on.

    Args:
        ability: ``Call`` is level 1, ``Retrieve`` level 2, ``Plan`` level 3.
        data: The official folder, as it is; or training dialogues: the folder that ``stb-env synthesize``
            wrote, or official training files. None plays dialogues of our own.
        databases: Folder of the official databases, where it is not in or above ``data``.
        split: ``test``, or ``train`` for other dialogues of our own, or written ones; the official
            ones are all tests.
        pool: Tools of a task: ``"own"`` (the dialogue calls them; the default of ``Call``), ``"all"`` (the
            whole set; the default of the others), or the own ones and so many others.
        search: What ToolSearcher asks after the names of APIs: ``frozen`` what recorded dialogues found,
            then the words that people use for them (`TopicIndex`); or ``ngram``, ``bm25``, ``hybrid`` or
            ``minilm`` alone.
        reward_basis: ``acts`` (the default), or a measure of the paper for evaluation: ``calls`` (the
            default with ``compat="original"``), ``state``, ``rouge`` or ``all``; see `DialogueJudge`.
        scenes: Whether ``Plan`` plays the scene texts in place of the dialogues.
        user: ``scripted``, ``model`` (the ``user`` role of the models file), or a `User`.
        models: Models file (TOML).
        ask_user: Whether agents can also call ``ask_user(about=...)``, which asks the user for the value of
            one parameter by name.
        max_turns: Actions after which an episode is cut off.
        compat: ``original`` for StableToolBench's look-up and step codes; a Finish then ends an episode at
            once.
        **settings: Further settings of `ToolEnv`.

    Raises:
        ConfigError: A setting is unknown, or does not go with another.
        DataError: The files are missing or broken.
    """
    corpus, tasks = _loaded(ability, data, databases, split, pool, scenes, ask_user)
    frozen = corpus.right_searches if search == "frozen" else None
    searcher_of = partial(_searcher, search=search, frozen=frozen)
    world = RetrievalWorld(corpus.apis, corpus.databases, searcher_of, search)
    basis = reward_basis or ("acts" if compat is None else "calls")
    return ToolEnv(
        tasks,
        world,
        DialogueJudge(world, basis),
        max_turns=max_turns,
        compat=compat,
        # In programs the schemas of the tools hold, whatever dialogues recorded.
        parse=parse_action if settings.get("actions") == "code" else reader(corpus.apis),
        user=_user(user, models),
        user_hears_finish=compat is None,
        wording=_wording(basis),
        visible=None if ability == "Call" else world.visible,
        oracle=oracle,
        **settings,
    )


def _wording(basis: RewardBasis) -> Wording:
    # Only "acts" counts the last calls of each tool alone, and only there the agent is told so.
    found = prompt("agent", "v6" if basis == "acts" else "v5", "stb_env.suites.api_bank")
    return Wording(Prompt(found.name, found.version, found.render(date=TODAY, year=TODAY[:4])))


def _loaded(
    ability: Ability,
    data: str | Path | None,
    databases: str | Path | None,
    split: Split,
    pool: Pool | None,
    scenes: bool,
    ask_user: bool,
) -> tuple[Corpus, TaskSet]:
    pool = ("own" if ability == "Call" else "all") if pool is None else pool
    if data is not None and split != "test" and not is_written(data):
        raise ConfigError(f"the official dialogues are tests; leave out data, or split={split!r}")
    if scenes:
        if ability != "Plan" or data is None:
            raise ConfigError("scenes are a part of the official data of Plan; give data, and ability='Plan'")
        corpus, texts = read_scene_corpus(data, databases)
        if ask_user:
            raise ConfigError("ask_user goes with dialogues; scenes have their facts in the second utterance")
        return corpus, scene_tasks(corpus, texts, checked_pool(pool, corpus.apis))
    corpus = embedded_corpus(ability, split) if data is None else read_corpus(ability, data, databases)
    return corpus, dialogue_tasks(corpus, checked_pool(pool, corpus.apis), ask_user=ask_user)


def _searcher(
    entries: Sequence[Mapping[str, object]], search: Search, frozen: Mapping[str, str] | None
) -> ToolSearcher:
    # The sentence encoder is an extra, and is loaded when the first search needs it.
    minilm = search == "minilm"
    retriever = partial(DenseRetriever, paraphrase_minilm()) if minilm else _RETRIEVERS[search]
    return ToolSearcher(entries, frozen, retriever)


def _hybrid(texts: Sequence[str]) -> HybridRetriever:
    return HybridRetriever([BM25Retriever(texts), NgramRetriever(texts)], len(texts))


_RETRIEVERS: Mapping[str, RetrieverFactory | None] = {
    "frozen": None,
    "ngram": NgramRetriever,
    "bm25": BM25Retriever,
    "hybrid": _hybrid,
}


def _user(user: Literal["scripted", "model"] | UserLike, models: str | Path | None) -> UserLike:
    if not isinstance(user, str):
        return user
    if user == "scripted":
        return ScriptedUser()
    config = load_models(models)["user"]
    if not available(config):
        raise ConfigError(
            f"the user has no model: set {config.key_variable}, or STB_USER_BASE_URL and STB_USER_MODEL for "
            "a server of your own, or name a models file"
        )
    return ModelUser(connect(config))
