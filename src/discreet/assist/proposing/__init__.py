"""Taxonomies proposed from the values of a column, for the owner to edit."""
