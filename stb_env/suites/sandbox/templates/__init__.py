"""Task templates: one file a domain; every file here is loaded."""
