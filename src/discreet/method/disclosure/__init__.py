"""Top-down disclosure."""
