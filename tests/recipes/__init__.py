"""Recipes, and what others install and run of discreet, in environments of their own."""
