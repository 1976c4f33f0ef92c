"""Chat models: the protocol, written once for threads and event loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol, get_args

from stb_env.core.jsontypes import Json
from stb_env.core.request import Request, Slow, adrive, drive
from stb_env.errors import DataError, FailureKind, InfrastructureError
from stb_env.models.chat import ChatReply, ChatRequest
from stb_env.models.config import ModelConfig
from stb_env.usage import Usage


class ModelError(InfrastructureError):
    """A model gave no usable answer.

    Args:
        message: What happened, without keys or secrets.
        kind: Class of the failure.
        stage: The role whose model failed: ``agent``, ``simulator``, ``judge`` or ``user``.
        retryable: Whether the same request may succeed later.
        retry_after: Seconds that the server asks to wait, where it does.
        usage: What the failed answer cost all the same.
        status: HTTP status of the server's answer, where it gave one.
        tries: Failures of the attempts before, as plain data, for recordings.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind = "internal",
        stage: str = "model",
        retryable: bool = False,
        retry_after: float | None = None,
        usage: Usage | None = None,
        status: int | None = None,
        tries: Sequence[Mapping[str, object]] = (),
    ) -> None:
        super().__init__(message, kind=kind, stage=stage, retryable=retryable)
        self.retry_after = retry_after
        self.usage = usage or Usage()
        self.status = status
        self.tries = tuple(tries)

    def to_dict(self) -> dict[str, object]:
        """Return the failure as plain data, for recordings."""
        return {
            "message": str(self),
            "kind": self.kind,
            "stage": self.stage,
            "retryable": self.retryable,
            "retry_after": self.retry_after,
            "usage": self.usage.to_dict(),
            "status": self.status,
        }

    @classmethod
    def from_dict(cls, data: Json) -> ModelError:
        """Read the form that `to_dict` writes.

        Raises:
            DataError: It is not that form.

        Examples:
            >>> ModelError.from_dict(ModelError("slow down", kind="rate_limit", status=429).to_dict()).status
            429
        """
        try:
            kind = data["kind"]
            if kind not in get_args(FailureKind):
                raise ValueError(f"unknown kind {kind!r}")
            return cls(
                str(data["message"]),
                kind=kind,
                stage=str(data["stage"]),
                retryable=bool(data["retryable"]),
                retry_after=data["retry_after"],
                usage=Usage(**data["usage"]),
                # Recordings of earlier versions have none.
                status=data.get("status"),
            )
        except (TypeError, KeyError, ValueError) as error:
            raise DataError(
                f"expected a saved model failure, got {type(data).__name__} with {error!r}"
            ) from error


class ChatModel(Protocol):
    """Answers chat requests, in the calling thread or on the event loop.

    Examples:
        >>> from stb_env import ChatAgent, ChatModel, ScriptedModel
        >>> model: ChatModel = ScriptedModel(["It rains."])
        >>> ChatAgent(model).ask([{"role": "user", "content": "How is the weather?"}])
        'It rains.'
    """

    @property
    def name(self) -> str:
        """Name of the model, for manifests and verdicts."""
        ...

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer, blocking.

        Raises:
            InfrastructureError: No usable answer came.
        """
        ...

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """Answer without blocking the event loop.

        Raises:
            InfrastructureError: No usable answer came.
        """
        ...


class DrivenModel:
    """Base of models that are written once, as a generator of slow work."""

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Yield the slow work that an answer takes, and return the answer."""
        raise NotImplementedError

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer in the calling thread."""
        return drive(self.answer(request))

    async def acomplete(self, request: ChatRequest) -> ChatReply:
        """Answer on the event loop."""
        return await adrive(self.answer(request))


class ConfiguredModel(DrivenModel):
    """Base of models that a role's configuration names.

    Args:
        config: The configuration.
    """

    def __init__(self, config: ModelConfig) -> None:
        self.config = config

    def __repr__(self) -> str:
        return repr(self.config).replace("ModelConfig", type(self).__name__, 1)

    @property
    def name(self) -> str:
        """Name of the model; of a local one, of its file."""
        return self.config.model

    @property
    def role(self) -> str:
        """The role that the model serves, which names the stage of its failures."""
        return self.config.role


class WrappedModel(DrivenModel):
    """Base of models around another one, whose name, role and fingerprint they share.

    Args:
        model: The model inside.
    """

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """Name of the model inside."""
        return self.model.name

    @property
    def role(self) -> str:
        """The role that the model inside serves, which names the stage of its failures."""
        return str(getattr(self.model, "role", "model"))

    @property
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers of the model inside."""
        return fingerprint(self.model)


def ask(model: ChatModel, request: ChatRequest) -> Request:
    """Return the question as a piece of slow work, for generators that yield it.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> def judge():
        ...     reply = yield ask(ScriptedModel(["solved"]), ChatRequest.of("Solved?"))
        ...     return reply.text
        >>> drive(judge())
        'solved'
    """
    return Request(run=partial(model.complete, request), arun=partial(model.acomplete, request))


def fingerprint(model: ChatModel) -> dict[str, object]:
    """Return the plain data that decides a model's answers: its own ``fingerprint``, or its name.

    Examples:
        >>> from stb_env.models import ScriptedModel
        >>> fingerprint(ScriptedModel(["yes"], name="double"))
        {'model': 'double'}
    """
    own = getattr(model, "fingerprint", None)
    return dict(own) if own is not None else {"model": model.name}
