"""API-Bank (EMNLP 2023): its 53 + 22 APIs as executable tools over copy-on-write state."""
