"""What the command line prints for people: what changed, why, and what is not covered."""
