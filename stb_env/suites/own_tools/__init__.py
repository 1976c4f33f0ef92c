"""Somebody's own tools: a catalogue and queries in files, played as a stable benchmark."""
