"""Archetypes: the kinds of tools that the services of a world offer."""
