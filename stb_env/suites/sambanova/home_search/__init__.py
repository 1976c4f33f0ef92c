"""Home Search: wishes in words, a program that fills in a search form, homes that answer it."""
