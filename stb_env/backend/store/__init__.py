"""Text to text key-value stores on diskcache's file format, without pickle in either direction.

`TextStore` writes through diskcache and may be shared by many processes. `FrozenStore` reads the same
file without a lock, without diskcache and without changing one byte. Both refuse rows that are not plain
text instead of loading them, because diskcache would unpickle them, which runs whatever code the file's
author chose.
"""

from stb_env.backend.store.bulk_build import Filling
from stb_env.backend.store.disk import FILE, TextDisk
from stb_env.backend.store.frozen import FrozenStore, LiveView, Row
from stb_env.backend.store.scratch import kept_folder, scratch_folder, sweep
from stb_env.backend.store.text import TextStore

__all__ = [
    "FILE",
    "Filling",
    "FrozenStore",
    "LiveView",
    "Row",
    "TextDisk",
    "TextStore",
    "kept_folder",
    "scratch_folder",
    "sweep",
]
