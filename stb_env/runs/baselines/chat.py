"""A chat model that calls tools: function calling, one chain, several calls a turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from stb_env.actions import Action, parse_action
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow, drive
from stb_env.envs.finish import said_in
from stb_env.errors import ConfigError
from stb_env.models import (
    CALLS,
    ChatModel,
    ChatReply,
    ChatRequest,
    ModelError,
    ReactModel,
    Sampling,
    fingerprint,
)
from stb_env.models.agent_role import agent_model, of_agent
from stb_env.models.chat import MALFORMED
from stb_env.models.model import ask
from stb_env.models.opaque import OPAQUE
from stb_env.runs import Agent
from stb_env.runs.baselines.conversation import Conversation, mended
from stb_env.seeding import derive
from stb_env.tools import FINISH, Status
from stb_env.usage import Usage
from stb_env.wrappers import TreeSearch
from stb_env.wrappers.search import failed_reply

Style = Literal["tools", "react"]
Shown = Callable[[Sequence[JsonMapping]], Sequence[JsonMapping]]

_SHORTENINGS = 3
_ATTEMPTS = 3
_USUAL = Sampling()
_ORIGINAL = Sampling(max_tokens=1024, frequency_penalty=0, presence_penalty=0)
# Who talks of finishing has not finished: such a text is no answer, whatever follows.
_TALKS_OF_FINISH = re.compile(
    rf"\b{FINISH}[`'\"]?( with\b| tool\b| function\b|[(:{{\[])"
    rf"|\b(call|calling|use|using) (the )?[`'\"]?{FINISH}\b"
)
_CUT = "your reply was cut at the length limit, and nothing in it was carried out; write a shorter one"
_MALFORMED = (
    "your reply held a call that cannot be taken ({reason}), and nothing in it was carried out; call one of "
    "the offered tools, with its arguments as a JSON object"
)
# Stands where nothing is left of a reply; models say words that they find among their own again.
_NOTHING = "..."
# As much of a reply that was cut as stays in the conversation, in characters.
_BEGINNING = 1_000


class ChatAgent(Agent):
    """Lets a chat model play: one completion a turn, every call that it writes made in that turn.

    A call that the model wrote as text is still a call. Text without one goes to the environment, whose
    complaint reminds the model to call a tool or Finish; a second such text in a row is taken as the final
    answer and wrapped in Finish, unless the task asks for a typed answer, which no prose is. In conversations
    it goes to the user. A reply that was cut at the length limit, or whose call the provider could not take,
    is neither made nor an answer: the model reads why, and a turn is gone. Calls of unknown tools, or with
    arguments that are no JSON, get the environment's correction.

    Where the conversation outgrows the model's context, the oldest tool results are cut and the question is
    put again, up to three times; else each request extends the one before, so that servers can cache it. An
    answer that was paid for and broken off is asked for twice more. Any other failure of the model ends the
    episode as invalid, with its own kind: ``context``, ``rate_limit``, ``timeout`` ...

    In a `TreeSearch` the model reads what the search shows at its current node, so nothing of a branch that
    was left, and every completion counts as a question of its own, so that two tries in the same situation
    may differ; equal seeds ask equal questions.

    A subclass chooses the environment (`wrap`) and what the model reads besides (`shown`).

    Args:
        model: The model, or the path of a models file whose ``agent`` role is used; None for the role's
            usual configuration.
        compat: ``"original"`` plays what the model says as it is, as the published client does (Guo et al.,
            2024): text without a call is a thought, a conversation is never cut, one that outgrows the
            model's context ends its branch, and replies have at most 1,024 tokens. Other failures of the
            model still end the episode as invalid.
        answer: ``"text"`` takes the model's first text without a call as its answer; ``"call"`` reminds it
            once that an answer is given by calling Finish. Where answers are typed neither takes a text.
        style: ``tools`` offers tools as functions; where the endpoint's chat template drops them, they are
            written into the text all the same (see `ModelConfig`). ``react`` always writes them, and reads
            ReAct text (Yao et al., 2023), for endpoints without function calling.

    Attributes:
        usage: What the episode's completions cost, those that were broken off included.
        engine: What the server gave with the last completion besides its message: why it stopped, and token
            ids, logprobs and the like where it gives them.

    Raises:
        ConfigError: No model is configured, or the style is unknown.

    Examples:
        >>> from stb_env import ScriptedModel
        >>> agent = ChatAgent(ScriptedModel(["It is Paris."]), answer="text")
        >>> observation = {"result": ""}
        >>> info = {"messages": [{"role": "user", "content": "Capital of France?"}], "tools": [], "calls": []}
        >>> agent.act(observation, info)["arguments"]["final_answer"], agent.usage.calls
        ('It is Paris.', 1)
    """

    name = "chat"
    needs = "a model"

    def __init__(
        self,
        model: ChatModel | Path | str | None = None,
        compat: Literal["original"] | None = None,
        *,
        answer: Literal["call", "text"] = "call",
        style: Style = "tools",
    ) -> None:
        if style not in get_args(Style):
            raise ConfigError(f"style must be one of {', '.join(get_args(Style))}, got {style!r}")
        if style == "react" and compat is not None:
            raise ConfigError("the original has no ReAct style; leave out style or compat")
        self.compat, self.answer, self.style = compat, answer, style
        given = agent_model(model)
        self._model = ReactModel(given) if style == "react" else given
        self._start(0)

    @property
    def model(self) -> ChatModel:
        """The model that plays."""
        return self._model

    @property
    def fingerprint(self) -> dict[str, object]:
        """Fingerprint of the model and its settings, for the run's manifest."""
        return fingerprint(self._model) | ({} if self.answer == "call" else {"answer": self.answer})

    def _start(self, seed: int) -> None:
        self.usage = Usage()
        self._seed, self._turns = seed, 0
        self._search: TreeSearch | None = None
        self._talk: Conversation | None = None
        # What goes back to the provider alone, by the first call that it stood with: no environment is told.
        self._opaque: dict[str, JsonObject] = {}
        self._unread = True
        self._tools: tuple[JsonMapping, ...] = ()
        self._tools_text = ""
        self._names: Collection[str] = ()
        self._finish: JsonMapping = {"properties": {}}
        self._has_user = False
        self._parse: Callable[[Any], Action] = parse_action
        self.engine = {}

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Forget the last episode; equal questions of episodes with other seeds count as others."""
        self._start(seed)
        self._search = env if isinstance(env, TreeSearch) else None
        rules = getattr(env.unwrapped, "rules", None)
        if rules is not None:
            self._has_user = rules.user is not None
            # What counts as a call is for the environment to say: it knows which tools there are by now.
            self._parse = getattr(env.unwrapped, "read", rules.parse)

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Return what the model does next, as its message or as a Finish call.

        Raises:
            ModelError: The model gave no usable answer.
        """
        # A subclass with an `act` of its own comes here for what the model says.
        own = self.deciding if type(self).act is ChatAgent.act else self._deciding
        return drive(own(observation, info))

    @property
    def blocks(self) -> bool:
        """True where a subclass decides in an `act` of its own."""
        return type(self).act is not ChatAgent.act and super().blocks

    def deciding(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        """Ask the model, and return what `act` does."""
        own = type(self).act is not ChatAgent.act
        return super().deciding(observation, info) if own else self._deciding(observation, info)

    def _deciding(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        self._notice(observation, info)
        self._turns += 1
        talk, before = self._conversation(observation, info), self.usage
        try:
            reply = yield from self._answered(talk, self._tools, self.shown)
        except ModelError as error:
            if self.compat is None or error.kind != "context":
                raise
            return failed_reply(str(error))
        self.engine = {**reply.extra, "finish_reason": reply.finish_reason}
        problem = _problem(reply) if self.compat is None else ""
        cut = self._cut(reply, problem) if problem else None
        message = _with_ids(reply.message) if cut is None else {"role": "assistant", "content": cut.text}
        talk.say(message if self.compat else mended(message, self._names))
        opaque = message.pop(OPAQUE, None)
        if opaque is not None and _first_call(message):
            self._opaque[_first_call(message)] = {OPAQUE: opaque}
        reminded = observation.get("status") == Status.NO_CALL
        action = self._action(message, reminded=reminded) if cut is None else cut
        if self._search is None or not isinstance(action, Mapping):
            return action
        # Tells the search what the node cost.
        return {**action, "usage": {"total_tokens": (self.usage - before).total_tokens}}

    # -- what agents that see an episode otherwise override or call -----------------------------------

    def shown(self, messages: Sequence[Mapping[str, object]]) -> Sequence[JsonMapping]:
        """Return what the model is to read now.

        Args:
            messages: The conversation so far; in a search, the one to the current node.
        """
        return messages

    def ask(self, messages: Sequence[Mapping[str, object]]) -> str:
        """Ask the model something beside the episode, and return what it writes; its cost is counted.

        Raises:
            ModelError: It gave no usable answer.
        """
        return drive(self.asking(messages))

    def asking(self, messages: Sequence[Mapping[str, object]]) -> Slow[str]:
        """Yield the slow work of `ask`, and return what the model writes."""
        reply = yield from self._answered(Conversation(messages))
        return reply.text

    # -- core ------------------------------------------------------------------------------------

    @property
    def _sampling(self) -> Sampling:
        return _USUAL if self.compat is None else _ORIGINAL

    @property
    def _shortenings(self) -> int:
        return _SHORTENINGS if self.compat is None else 0

    def _conversation(self, observation: JsonMapping, info: JsonMapping) -> Conversation:
        if self._search is not None:
            said = [
                {**message, **self._opaque.get(_first_call(message), {})} for message in self._search.messages
            ]
            return Conversation(said if self.compat else [mended(message, self._names) for message in said])
        if self._talk is None:
            self._talk = Conversation(info["messages"])
        else:
            # What the model called is the program, whatever that called.
            made = [info["program"]] if "program" in info else info["calls"]
            self._talk.hear(_heard(observation, info), made)
        return self._talk

    def _index(self, attempt: int) -> int:
        """Return which one this is of the equal questions that a model may be asked."""
        where = ("chat", self._seed) if self._search is None else ("search", self._seed, self._turns)
        return _seed_of(*where, attempt)

    def _notice(self, observation: JsonMapping, info: JsonMapping) -> None:
        """Learn what can be called: at first from ``info``, later of tools that became callable since."""
        tools = observation.get("tools", self._tools_text)
        if self._unread:
            self._unread = False
            self._offer(info["tools"], tools)
        elif tools != self._tools_text:
            self._offer(json.loads(tools), tools)

    def _offer(self, tools: Sequence[JsonMapping], text: str) -> None:
        self._tools, self._tools_text = tuple(tools), text
        functions = {tool["function"]["name"]: tool["function"] for tool in tools}
        self._names = functions.keys()
        self._finish = functions.get(FINISH, {}).get("parameters") or {"properties": {}}

    def _cut(self, reply: ChatReply, problem: str) -> Action:
        """Return what is left of a reply that cannot be taken: its first words, and that nothing is done."""
        # Not even a call that seems complete is made: a Finish could hold half an answer.
        read = self._parse(reply.text[:_BEGINNING].strip())
        words = read.text if read.is_text else ""
        return Action((), words or _NOTHING, read.thought, problem=problem)

    def _action(self, message: JsonObject, *, reminded: bool) -> object:
        text = message.get("content") or ""
        if self.compat is not None or message.get("tool_calls") or not text.strip():
            return message
        written = self._parse(text)
        said = written.text.strip()
        if self._has_user or not written.is_text or not said:
            return text
        if _TALKS_OF_FINISH.search(said):
            return text
        given = said_in(self._finish, said) if reminded or self.answer == "text" else None
        if given is None:
            return text
        called = {"name": FINISH, "arguments": given}
        if not written.thought:
            return called
        return {
            "role": "assistant",
            "reasoning_content": written.thought,
            "content": "",
            "tool_calls": [called],
        }

    def _answered(
        self, talk: Conversation, tools: Sequence[Mapping[str, object]] = (), shown: Shown = tuple
    ) -> Slow[ChatReply]:
        """Ask the model, shortening the conversation and asking again as said above."""
        attempt, cuts = 0, 0
        while True:
            # Another index is another seed: the same one could only buy the same answer.
            messages, index = tuple(shown(talk.messages)), self._index(attempt)
            # What the published client sends goes to the server as it is.
            contract = CALLS if tools and self.compat is None else None
            request = ChatRequest(
                messages, tuple(tools), sampling=self._sampling, index=index, contract=contract
            )
            try:
                reply: ChatReply = yield ask(self._model, request)
            except ModelError as error:
                self.usage += error.usage
                if error.kind == "context" and cuts < self._shortenings and talk.shorten():
                    cuts += 1
                elif error.retryable and error.usage.calls and attempt + 1 < _ATTEMPTS:
                    attempt += 1
                else:
                    raise of_agent(error, f" (asked {attempt + 1} times)" if attempt else "") from error
            else:
                self.usage += reply.usage
                return reply


def _problem(reply: ChatReply) -> str:
    """Return why nothing in a reply can be done; empty where its words decide."""
    if reply.finish_reason == MALFORMED:
        return _MALFORMED.format(reason=reply.extra.get("stop_reason", MALFORMED))
    return _CUT if reply.finish_reason == "length" else ""


# All questions of an episode have the same one, unless they are asked again or in a search.
@lru_cache(maxsize=8192)
def _seed_of(*question: str | int) -> int:
    return derive(*question) % 2**31


def _heard(observation: JsonMapping, info: Mapping[str, object]) -> str:
    """Return what came back; what a user said, without the wrapping of a tool result."""
    result: str = observation["result"]
    spoke = not info["calls"] and "program" not in info and observation.get("status") == Status.OK
    return str(json.loads(result)["response"]) if spoke else result


def _first_call(message: JsonMapping) -> str:
    calls: Sequence[JsonMapping] = message.get("tool_calls") or ()
    return str(calls[0]["id"]) if calls else ""


def _with_ids(message: JsonMapping) -> dict[str, object]:
    """Return the message with an id for every call; some servers give none, or one to several calls."""
    calls: Sequence[JsonMapping] = message.get("tool_calls") or ()
    ids = [call.get("id") for call in calls]
    if all(ids) and len(set(ids)) == len(ids):
        return dict(message)
    return {**message, "tool_calls": [{**call, "id": f"call_{n}"} for n, call in enumerate(calls)]}
