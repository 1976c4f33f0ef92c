"""Names of files that others chose."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath

_LONGEST = 1_000
# Windows reads a backslash as a separator and a colon as the end of a drive; elsewhere they are letters like
# others, and names of APIs have them.
_UNSAFE = re.compile(r"[\\:\x00]" if os.name == "nt" else r"\x00")


def relative(name: str) -> PurePosixPath | None:
    """Return a name as a path that stays inside the folder it is joined to, or None where it does not.

    Examples:
        >>> relative("tools/Food/menu.json")
        PurePosixPath('tools/Food/menu.json')
        >>> relative("../.profile"), relative("/etc/passwd"), relative("a/../../b"), relative("")
        (None, None, None, None)
    """
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or len(name) > _LONGEST or _UNSAFE.search(name):
        return None
    return None if ".." in path.parts else path
