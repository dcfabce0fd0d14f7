"""The version of discreet, written into every plan and manifest."""

__version__ = "0.2.0"
