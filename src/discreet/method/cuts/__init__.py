"""Searches for one cut of all columns."""
