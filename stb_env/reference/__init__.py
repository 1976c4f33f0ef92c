"""Objects by the text that names them: ``package.module:Name`` or ``path/to/file.py:Name(width=3)``."""

from stb_env.reference.modules import load_module, place_of
from stb_env.reference.objects import Loaded, is_reference, load_made, load_object
from stb_env.reference.source import files_hash, source_of
from stb_env.reference.text import read_settings

__all__ = [
    "Loaded",
    "files_hash",
    "is_reference",
    "load_made",
    "load_module",
    "load_object",
    "place_of",
    "read_settings",
    "source_of",
]
