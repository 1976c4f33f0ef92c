"""A model at the paper's benchmark: every sample asked, every answer kept, the tables printed."""
