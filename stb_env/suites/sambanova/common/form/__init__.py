"""Search forms: calls fill in criteria, one at a time, and ``search`` submits them."""
