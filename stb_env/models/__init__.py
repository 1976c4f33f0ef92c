"""Language models behind one protocol: clients, doubles, caches, recordings, budgets, configuration."""

from __future__ import annotations

from stb_env.http.retry import Clock
from stb_env.models.cached_model import CachedModel
from stb_env.models.chat import ChatReply, ChatRequest, Sampling
from stb_env.models.client import OpenAIModel
from stb_env.models.config import ModelConfig, available
from stb_env.models.connect import connect
from stb_env.models.contract import CALLS, Contract
from stb_env.models.conversation_file import RecordingModel, ReplayModel
from stb_env.models.local import LocalModel
from stb_env.models.meter import BudgetedModel, Meter, metered
from stb_env.models.model import ChatModel, ModelError, ask, fingerprint
from stb_env.models.models_file import ROLES, given_settings, load_models
from stb_env.models.scripted import ScriptedModel
from stb_env.models.written_tools import ReactModel
from stb_env.usage import Price, Usage

__all__ = [
    "CALLS",
    "ROLES",
    "BudgetedModel",
    "CachedModel",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "Clock",
    "Contract",
    "LocalModel",
    "Meter",
    "ModelConfig",
    "ModelError",
    "OpenAIModel",
    "Price",
    "ReactModel",
    "RecordingModel",
    "ReplayModel",
    "Sampling",
    "ScriptedModel",
    "Usage",
    "ask",
    "available",
    "connect",
    "fingerprint",
    "given_settings",
    "load_models",
    "metered",
]
