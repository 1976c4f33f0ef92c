"""Training dialogues written by five agents, or by one (API-Bank, section 4)."""

from __future__ import annotations

from stb_env.synthesis.ability import Ability
from stb_env.synthesis.api import Api
from stb_env.synthesis.author import Author, ModelAuthor
from stb_env.synthesis.dialogue import Dialogue
from stb_env.synthesis.pipeline import Pipeline, Settings
from stb_env.synthesis.roles import MULTI, SINGLE
from stb_env.synthesis.run import Synthesis, synthesize
from stb_env.synthesis.sandbox_author import SandboxAuthor

__all__ = [
    "MULTI",
    "SINGLE",
    "Ability",
    "Api",
    "Author",
    "Dialogue",
    "ModelAuthor",
    "Pipeline",
    "SandboxAuthor",
    "Settings",
    "Synthesis",
    "synthesize",
]
