"""API-Bank's official files, one kind a module."""
