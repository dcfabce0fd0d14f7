"""Tools for whoever works on discreet; no part of the package."""
