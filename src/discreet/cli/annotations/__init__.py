"""Remarks about files as the pages of GitHub and GitLab show them: which file, which promise, never a value."""
