"""Real APIs: a ToolBench-protocol server, or any HTTP endpoint that a template describes."""

from stb_env.backend.real_api.http_template import HTTPTemplate
from stb_env.backend.real_api.remote_server import ToolBenchServer

__all__ = ["HTTPTemplate", "ToolBenchServer"]
