"""Alignment data for the tasks: goals and programs made from templates, with what the loss covers."""
