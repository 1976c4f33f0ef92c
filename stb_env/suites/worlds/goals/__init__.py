"""Goals as typed data, and the evaluator that works them out over tables alone."""
