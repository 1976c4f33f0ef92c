"""Happenings of an episode beside the calls of its agent: events, faults, and a user who answers."""
