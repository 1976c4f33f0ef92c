"""Judges: one file each."""
