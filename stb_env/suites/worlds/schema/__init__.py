"""What a kit declares, and the words of a world that follow from it."""
