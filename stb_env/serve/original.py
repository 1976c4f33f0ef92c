"""``POST /virtual`` with ``compat="original"``: the original's server itself, its defects included.

Bodies are those of the framework that the original is written in, which this server is written in too: its
validation error, and its plain text for a crash.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from fastapi import FastAPI, Response
from pydantic import create_model
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from stb_env.backend.simulator.llm_simulator import JSON_OBJECT
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import BackendError, ConfigError, InfrastructureError
from stb_env.http.client import HTTPClient
from stb_env.http.exchange import HTTPRequest
from stb_env.http.retry import Deadline
from stb_env.http.url import check_url
from stb_env.models import ChatModel, ChatRequest, Clock, Sampling, available, connect, load_models
from stb_env.models.prompting import delimited, latest
from stb_env.suites.stabletoolbench.env import KEY_NAME
from stb_env.suites.stabletoolbench.original_server import FIELDS, OriginalServer, Question, RealReply
from stb_env.suites.stabletoolbench.server_config import OriginalPlace

PATH = "/virtual"

_LOG = logging.getLogger("stb_env.serve")
_SAMPLING = Sampling(max_tokens=1024)
# The original waits for ever.
_PATIENCE = 300.0


_TYPES: dict[str, Any] = dict.fromkeys(FIELDS, (str, ...))
_TYPES["tool_input"] = (str | dict[str, Any], ...)
# The six fields as the original declares them.
VirtualFields: Any = create_model("VirtualFields", **_TYPES)


def route(server: OriginalServer, token: str = "") -> Route:
    """Return the route.

    Args:
        server: Answers.
        token: The token of this server, which is not passed on where a client sends it as its key.
    """
    app = FastAPI(openapi_url=None)

    @app.post(PATH)
    def virtual(fields: VirtualFields) -> Response:
        request = fields.model_dump()
        if token and request[KEY_NAME] == token:
            request[KEY_NAME] = ""
        status, body = server.virtual(request)
        if status == 200:
            try:
                return Response(_written(body), media_type="application/json")
            except ValueError:
                # A number that JSON has not, or half of a character: the framework fails at both.
                _LOG.warning("crashed as the original")
        return PlainTextResponse("Internal Server Error", 500)

    return Route(PATH, app, methods=["POST"])


def connected(place: OriginalPlace, models: str | None = None) -> OriginalServer:
    """Return the original's server over its own folders.

    Args:
        place: Its folders and its real API.
        models: Models file; its ``simulator`` role is used.

    Raises:
        ConfigError: The real API has no URL, or the simulator no model.
    """
    check_url("the URL of the real API that the config.yml names", place.url)
    config = load_models(models)["simulator"]
    if not available(config):
        raise ConfigError(
            "compat='original' needs the simulator's model: give api_key or api_base in the config.yml, set "
            f"{config.key_variable}, or name a models file (--models FILE)"
        )
    return OriginalServer(
        place.cache, place.tools, RealServer(place.url), Simulator(connect(config)), place.save
    )


class RealServer:
    """Sends a request to the real API as the original does, with the client's own key.

    Args:
        url: Where it is.
    """

    def __init__(self, url: str) -> None:
        self._url, self._client = url, HTTPClient()

    def __call__(self, body: JsonMapping) -> RealReply:
        """Ask once.

        Raises:
            BackendError: No answer came.
        """
        key = body[KEY_NAME]
        if not (key.isascii() and key.isprintable()):
            raise BackendError("the client's key cannot be sent", kind="internal", stage="real")
        headers = {"accept": "application/json", "Content-Type": "application/json", KEY_NAME: key}
        request = HTTPRequest("POST", self._url, headers, json.dumps(dict(body)).encode())
        answer = self._client.send(request, Deadline(_PATIENCE, Clock(), "deadline"))
        return RealReply(answer.status, answer.text)


class Simulator:
    """Asks a model in an API's place, with the original's three parts in Python's own text form.

    Args:
        model: Answers.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model, self._prompt = model, latest("simulator")

    def __call__(self, question: Question) -> str:
        """Ask once; what a model refuses to say is a text that is no JSON.

        Raises:
            InfrastructureError: The model failed.
        """
        parts = (
            delimited(str(question.document), "documentation"),
            delimited(question.examples_text, "examples"),
            delimited(str(question.tool_input), "request"),
        )
        messages = (
            {"role": "system", "content": self._prompt.render()},
            {"role": "user", "content": "\n\n".join(parts)},
        )
        request = ChatRequest(messages, sampling=_SAMPLING, response_format=JSON_OBJECT)
        try:
            return self._model.complete(request).text
        except InfrastructureError as error:
            error.stage = "simulator"
            raise


def _written(body: object) -> bytes:
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
