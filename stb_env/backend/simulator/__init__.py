"""Simulators: answers in an API's place, from its documentation or from a language model."""
