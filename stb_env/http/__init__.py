"""HTTP for everything that asks a server: one client, and one policy for time-outs, retries, limits and keys.

Models, real APIs, downloads and remote environments are adapters: each says what it sends and what it reads.
"""
