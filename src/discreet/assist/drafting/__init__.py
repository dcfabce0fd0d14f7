"""A first policy for a table: what its columns are, what somebody may know, what is a secret, and what to promise."""
