"""Foundations that everything else stands on: JSON, files, settings, references, answers."""
