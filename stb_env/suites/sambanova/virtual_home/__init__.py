"""VirtualHome: a household activity as a program of forty kinds of step."""
