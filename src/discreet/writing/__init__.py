"""Files that belong to a release: written whole or not at all, with a manifest."""
