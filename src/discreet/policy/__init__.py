"""What the owner asks: columns, uses, requirements; read from YAML, TOML or Python."""

from discreet.policy.columns import Column
from discreet.policy.confidential import Confidential
from discreet.policy.file_options import FileOptions
from discreet.policy.missing import Missing
from discreet.policy.model import Policy
from discreet.policy.read import as_policy, read_policy
from discreet.policy.released_rows import ReleaseOptions, Suppress
from discreet.policy.requirements import GroupPromise, Inference, KAnonymity, Template
from discreet.policy.search_options import Disclosure, Genetic
from discreet.policy.which_cells import Ids, Published

__all__ = [
    "Column",
    "Confidential",
    "Disclosure",
    "FileOptions",
    "Genetic",
    "GroupPromise",
    "Ids",
    "Inference",
    "KAnonymity",
    "Missing",
    "Policy",
    "Published",
    "ReleaseOptions",
    "Suppress",
    "Template",
    "as_policy",
    "read_policy",
]
