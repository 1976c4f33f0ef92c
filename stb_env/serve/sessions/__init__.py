"""Environment sessions: episodes of many clients, each behind a key, over HTTP and WebSocket."""
