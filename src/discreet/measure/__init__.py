"""What was lost and what is gained, as numbers."""
