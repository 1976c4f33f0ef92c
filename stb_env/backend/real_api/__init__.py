"""Real APIs: a server that passes calls on, or any HTTP endpoint that a template describes."""

from stb_env.backend.real_api.http_template import HTTPTemplate
from stb_env.backend.real_api.remote_server import RemoteServer
from stb_env.backend.real_api.virtual_server import VirtualServer

__all__ = ["HTTPTemplate", "RemoteServer", "VirtualServer"]
