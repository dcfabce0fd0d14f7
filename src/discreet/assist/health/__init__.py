"""Whether an installation is in order: what it needs, what it could do besides, the machine. No secret is told."""
