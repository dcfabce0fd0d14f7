"""What was published before, about whom: a private folder, and how it is read."""
