"""Local recoding: groups with labels of their own."""
