"""Serving: the virtual API, environment sessions, MCP and OpenEnv in one ASGI application."""
