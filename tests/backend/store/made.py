"""Stores to test with."""

from __future__ import annotations

import hashlib

from stb_env.backend.store import TextStore


def filled(folder, **values):
    store = TextStore(folder)
    store.put_many(values.items())
    return store


def contents(folder):
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }
