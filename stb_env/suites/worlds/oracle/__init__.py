"""The oracle, which solves goals through tools alone."""
