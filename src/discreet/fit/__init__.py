"""Whether a policy fits a table: all problems and warnings."""
