"""Static content of the sandbox: ours, invented, built once from a fixed seed and never changed.

Places, people and films are invented, so no model can answer from memory.
"""
