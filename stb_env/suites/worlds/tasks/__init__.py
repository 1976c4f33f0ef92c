"""Makes tasks of goals, words and dials, and puts them in splits and groups."""
