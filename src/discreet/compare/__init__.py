"""A release beside its original: what its texts mean, who is who, rows as numbers."""
