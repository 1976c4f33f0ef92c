"""Open Weather: one request to an embedded weather service, as the paper poses it."""
