"""The tools of a world's services: their styles, their codec and a module for each archetype."""
