"""What the owner asks: columns, uses, requirements; read from YAML, TOML or Python."""

from discreet.policy.columns import Column
from discreet.policy.model import Disclosure, FileOptions, Missing, Policy, Sample, Suppress
from discreet.policy.read import as_policy, read_policy
from discreet.policy.requirements import Crowd, GroupPromise, Inference, KAnonymity, Template
from discreet.policy.uses import Classify, Counts, General, Regress

__all__ = [
    "Classify",
    "Column",
    "Counts",
    "Crowd",
    "Disclosure",
    "FileOptions",
    "General",
    "GroupPromise",
    "Inference",
    "KAnonymity",
    "Missing",
    "Policy",
    "Regress",
    "Sample",
    "Suppress",
    "Template",
    "as_policy",
    "read_policy",
]
