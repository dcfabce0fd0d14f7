"""Verification of every promise on the release, and what is reported about it."""
