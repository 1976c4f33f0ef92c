"""Share of model replies in the form that each role asks for: function calls, JSON Schema or text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise
from typing import cast, get_args

from stb_env import ChatAgent, ChatModel, InfrastructureError, Judge, Task, ToolEnv, play
from stb_env.backend.simulator.llm_simulator import LLMSimulator
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow, drive
from stb_env.envs.model_user import ModelUser
from stb_env.experiments.lab.experiment import Experiment, LabSettings
from stb_env.experiments.lab.judge_cases import draw_tasks, gold_case
from stb_env.experiments.synthesis import MULTI, SINGLE, Ability, ModelAuthor, Settings
from stb_env.experiments.synthesis.form import UnfitDraft
from stb_env.experiments.synthesis.role import Role as SynthesisRole
from stb_env.experiments.synthesis.role import Try
from stb_env.experiments.synthesis.scene import Scene
from stb_env.judges.final_answer import FinalAnswerJudge
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.preference import PreferenceJudge
from stb_env.judges.solvability import ModelSolvability
from stb_env.models import ChatReply, ChatRequest, ask, connect, fingerprint, load_models
from stb_env.models.config import Structured
from stb_env.models.model import DrivenModel
from stb_env.runs.make import make_env
from stb_env.suites.sandbox.env import make
from stb_env.tools import FINISH, Status

QUESTIONS = 10
TURNS = 2
"""Of an agent's episode: the first call, and one that follows a result."""

WAYS: tuple[Structured, ...] = get_args(Structured)
USUAL_WAYS: tuple[Structured, ...] = ("tools", "auto")

COLUMNS = ("role", "asked as", "questions", "replies", "retries", "read", "invalid")

# Messages of a question before what was said to it: instructions and the question.
_OPENING = 2
# A reply that stayed unreadable; any other failure says nothing of a form.
_UNREADABLE = frozenset({"judge", "simulator"})


@dataclass(slots=True)
class Tally:
    """Counts of a role's questions and replies.

    Attributes:
        questions: Number of questions.
        replies: Number of replies.
        retries: Number of replies to a question that was put again.
        read: Number of questions with a readable reply, at once or after a correction.
        invalid: Number of questions given up on: each would cost an episode, a vote or a dialogue.
    """

    questions: int = 0
    replies: int = 0
    retries: int = 0
    read: int = 0
    invalid: int = 0


class CountedModel(DrivenModel):
    """Counts the replies of a model.

    Args:
        model: Answers.

    Attributes:
        replies: Number of replies.
        retries: Number of replies to a request that goes on from the one before.
    """

    def __init__(self, model: ChatModel) -> None:
        self.model = model
        self.replies = 0
        self.retries = 0
        self._before: list[JsonMapping] = []

    @property
    def name(self) -> str:
        """Name of the model inside."""
        return self.model.name

    @property
    def fingerprint(self) -> dict[str, object]:
        """Fingerprint of the model inside."""
        return fingerprint(self.model)

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Return the reply of the model inside, counted."""
        reply: ChatReply = yield ask(self.model, request)
        self.replies += 1
        opening = list(request.messages[: len(self._before)])
        # A retry quotes only part of what was said, so the questions are what has to agree.
        self.retries += bool(opening) and opening == self._before
        self._before = list(request.messages)[:_OPENING]
        return reply


Role = Callable[[ChatModel, Sequence[Task]], Iterator[bool | None]]
"""Puts one question for each task and yields whether the reply was read; None where it was given up on."""


def run(settings: LabSettings) -> Experiment:
    """Put real questions of every role to the models, in each way of asking for the form.

    Options: ``models``, a models file or weights; ``roles``, names of `ROLES` (all); ``ways``, of
    ``tools``, ``json_schema``, ``text`` and ``auto`` (``tools`` and ``auto``). ``episodes`` is the number of
    questions of each role and way.

    Raises:
        ConfigError: An option is unknown, or a model cannot be used.
        InfrastructureError: A model's endpoint failed; that is no matter of form.
    """
    settings.expect("models", "roles", "ways")
    roles = settings.some_of("roles", list(ROLES), list(ROLES))
    ways = settings.some_of("ways", WAYS, USUAL_WAYS)
    given = settings.option("models", None)
    models = load_models(None if given is None else str(given))
    tasks = draw_tasks(settings.episodes or QUESTIONS, settings.seed)
    tallies = [
        (role, way, tally(ROLES[role][1], connect(replace(models[ROLES[role][0]], structured=way)), tasks))
        for role in roles
        for way in ways
    ]
    rows = tuple((role, way, *astuple(one)) for role, way, one in tallies)
    return Experiment(
        "Whether models keep to the form of each role",
        COLUMNS,
        rows,
        notes=(
            "Read counts replies in the form asked for, whatever they say; what is not read at once is asked "
            "again with what was wrong. An agent's turn without a call costs the turn and is not invalid.",
        ),
        details={"models": {role: models[ROLES[role][0]].model for role in roles}, "seed": settings.seed},
    )


def tally(role: Role, model: ChatModel, tasks: Sequence[Task]) -> Tally:
    """Put a role's questions to a model and count.

    Examples:
        >>> from stb_env import ScriptedModel
        >>> says = ScriptedModel(["Solvable", "hm", "hm", "hm"])
        >>> tally(ROLES["solvability"][1], says, draw_tasks(2, 0))
        Tally(questions=2, replies=4, retries=2, read=1, invalid=1)
    """
    counted, said = CountedModel(model), Tally()
    for read in role(counted, tasks):
        said.questions += 1
        said.read += read is True
        said.invalid += read is None
    # An agent's turn goes on from the one before, and is a question of its own.
    said.replies, said.retries = counted.replies, 0 if role is _agent else counted.retries
    return said


def _readings(asked: Iterator[Slow[object]]) -> Iterator[bool | None]:
    for one in asked:
        try:
            drive(one)
        except InfrastructureError as error:
            if error.kind not in _UNREADABLE:
                raise
            yield None
        else:
            yield True


def _agent(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
    agent, env = ChatAgent(model), make(split="test", max_turns=TURNS)
    for task in tasks:
        episode = play(env.fork(), agent, task_id=task.id, seed=0)
        yield from (bool(step["calls"]) for step in episode.steps)
        if not episode.valid:
            yield None


def _finish(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
    """Make gold's calls and offer Finish alone: whether the model's first one fits the task's schema."""
    env = make(split="test")
    for task in tasks:
        observation, info = env.reset(seed=0, options={"task_id": task.id})
        for call in task.gold:
            observation, *_ = env.step({"name": call.name, "arguments": call.arguments})
        agent = ChatAgent(model)
        agent.reset(env, 0)
        try:
            # With the other tools beside it, one more call would count as a Finish that was refused.
            finish = [tool for tool in info["tools"] if tool["function"]["name"] == FINISH]
            action = agent.act(observation, {**info, "tools": finish, "messages": env.messages})
        except InfrastructureError as error:
            if error.kind not in _UNREADABLE:
                raise
            yield None
        else:
            yield env.step(action)[0]["status"] == Status.FINISHED


def _simulator(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
    simulator = LLMSimulator(model)
    tools = [{tool.name: tool for tool in task.tools} for task in tasks]
    return _readings(
        simulator.simulate(known[task.gold[0].name], task.gold[0].arguments, key=task.id)
        for known, task in zip(tools, tasks, strict=True)
    )


def _judged(make: Callable[[ChatModel], Judge]) -> Role:
    def ask_all(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
        judge = make(model)
        return _readings(judge.judge(gold_case(task).case) for task in tasks)

    return ask_all


def _preference(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
    judge = PreferenceJudge(model, order="given")
    pairs = pairwise(map(gold_case, [*tasks, tasks[0]]))
    # Both answer the task of the first: which is better is for the model to say.
    return _readings(
        judge.better(one.case, replace(one.case, final_answer=other.case.final_answer))
        for one, other in pairs
    )


def _solvability(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
    judge = ModelSolvability(model)
    return _readings(judge.status(task) for task in tasks)


def _synthesis(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
    """Let it name a domain and write a whole dialogue, in turns: the shortest form and the longest."""
    author, roles = ModelAuthor(model), (MULTI[0], SINGLE[0])
    for position, _ in enumerate(tasks):
        yield _written(author, roles[position % 2], Scene.opening(position, list(Ability), 1))


def _written(author: ModelAuthor, role: SynthesisRole, scene: Scene) -> bool | None:
    tries: list[Try] = []
    while len(tries) < Settings().attempts:
        written = drive(author.write(role, scene, tries))
        try:
            role.read(scene, written.text)
        except UnfitDraft as error:
            tries.append(Try(written.reply, str(error)))
        else:
            return True
    return None


def _user(model: ChatModel, tasks: Sequence[Task]) -> Iterator[bool | None]:
    user = ModelUser(model)
    source = cast(ToolEnv, make_env("stb/APIBankCall-v1", {}).unwrapped).tasks
    dialogues = [source.at(index) for index in range(min(len(tasks), source.size or len(tasks)))]
    return _readings(
        user.reply(task, user.start(task, seed), "What should I know of it?")
        for seed, task in enumerate(dialogues)
    )


ROLES: Mapping[str, tuple[str, Role]] = {
    "agent": ("agent", _agent),
    "finish": ("agent", _finish),
    "simulator": ("simulator", _simulator),
    "pass": ("judge", _judged(PassJudge)),
    "preference": ("judge", _preference),
    "final_answer": ("judge", _judged(FinalAnswerJudge)),
    "solvability": ("judge", _solvability),
    "synthesis": ("agent", _synthesis),
    "user": ("user", _user),
}
"""Roles, each with the section of the models file that it takes and its questions."""
