"""The version of discreet, written into every plan and manifest."""

__version__ = "0.1.0"
