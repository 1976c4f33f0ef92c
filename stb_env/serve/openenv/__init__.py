"""The protocol of OpenEnv, spoken without its package: WebSocket, HTTP and JSON-RPC, one base URL an id."""
