"""What the owner asks: columns, uses, requirements; read from YAML, TOML or Python."""

from discreet.policy.model import Column, Disclosure, FileOptions, Missing, Policy
from discreet.policy.read import as_policy, read_policy
from discreet.policy.requirements import Inference, Template
from discreet.policy.uses import Classify, Counts, General

__all__ = [
    "Classify",
    "Column",
    "Counts",
    "Disclosure",
    "FileOptions",
    "General",
    "Inference",
    "Missing",
    "Policy",
    "Template",
    "as_policy",
    "read_policy",
]
