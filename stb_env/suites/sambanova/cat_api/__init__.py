"""The Cat API: one request to an embedded image service with an account, as the paper poses it."""
