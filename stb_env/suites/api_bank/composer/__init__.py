"""Writes dialogues of our own from the APIs and the embedded databases: what is recorded really ran."""
