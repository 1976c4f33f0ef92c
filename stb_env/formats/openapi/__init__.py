"""OpenAPI documents (3.0 and 3.1), read as tools with what a request to each operation is made of."""

from stb_env.formats.openapi.document import Document
from stb_env.formats.openapi.operations import Import, read_openapi

__all__ = ["Document", "Import", "read_openapi"]
