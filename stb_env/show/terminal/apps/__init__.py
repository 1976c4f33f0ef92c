"""The screens, drawn by Textual; they need the extra ``play``."""
