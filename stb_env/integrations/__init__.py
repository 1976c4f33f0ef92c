"""Adapters to other frameworks, one a module, each with an extra of its own and imported only when used."""
