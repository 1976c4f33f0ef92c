"""Runs as readers see them: found by folder, indexed by offsets, read one episode at a time."""
