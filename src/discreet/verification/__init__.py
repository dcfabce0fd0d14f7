"""Every promise counted anew on the release, and truthfulness, by readers of its own."""
