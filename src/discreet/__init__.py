"""discreet: publish a table without giving its secrets away.

>>> import discreet as d
>>> policy = d.Policy(
...     use=d.Classify("Rating"),
...     protect=[d.Template(given=["Job", "Country"], infer={"Bankruptcy": "Discharged"}, at_most="75%")],
... )

Then `d.protect(table, policy)` makes a release, and `d.verify(table, policy)` checks any. Names are loaded
when first used, so that importing the package (and `discreet --help`) stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.audit.audit import Audit
    from discreet.audit.verify import Answer, Finding, Truth, Verification, Worst, verify
    from discreet.errors import (
        BrokenPromise,
        DiscreetError,
        ImpossiblePromise,
        InputError,
        PolicyError,
        Problem,
        PromiseError,
        TooManySuppressed,
    )
    from discreet.intervals import Interval
    from discreet.pipeline import Progress, Release, protect
    from discreet.plan import Edit, Kept, Plan, Recoding, Step, read_plan
    from discreet.policy import (
        Classify,
        Column,
        Counts,
        Disclosure,
        FileOptions,
        General,
        Genetic,
        KAnonymity,
        Missing,
        Policy,
        Regress,
        ReleaseOptions,
        Suppress,
        Template,
        read_policy,
    )
    from discreet.proposing.propose import propose_taxonomy
    from discreet.taxonomy import Taxonomy, read_taxonomy
    from discreet.thresholds import Frontier, Point, frontier

_HOMES = {
    "discreet.audit.audit": ("Audit",),
    "discreet.audit.verify": ("Answer", "Finding", "Truth", "Verification", "Worst", "verify"),
    "discreet.errors": (
        "BrokenPromise",
        "DiscreetError",
        "ImpossiblePromise",
        "InputError",
        "PolicyError",
        "Problem",
        "PromiseError",
        "TooManySuppressed",
    ),
    "discreet.thresholds": ("Frontier", "Point", "frontier"),
    "discreet.intervals": ("Interval",),
    "discreet.plan": ("Edit", "Kept", "Plan", "Recoding", "Step", "read_plan"),
    "discreet.policy": (
        "Classify",
        "Column",
        "Counts",
        "Disclosure",
        "FileOptions",
        "General",
        "Genetic",
        "KAnonymity",
        "Missing",
        "Policy",
        "Regress",
        "ReleaseOptions",
        "Suppress",
        "Template",
        "read_policy",
    ),
    "discreet.pipeline": ("Progress", "Release", "protect"),
    "discreet.proposing.propose": ("propose_taxonomy",),
    "discreet.taxonomy": ("Taxonomy", "read_taxonomy"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Audit",
    "BrokenPromise",
    "Classify",
    "Column",
    "Counts",
    "Disclosure",
    "DiscreetError",
    "Edit",
    "FileOptions",
    "Finding",
    "Frontier",
    "General",
    "Genetic",
    "ImpossiblePromise",
    "InputError",
    "Interval",
    "KAnonymity",
    "Kept",
    "Missing",
    "Plan",
    "Point",
    "Policy",
    "PolicyError",
    "Problem",
    "Progress",
    "PromiseError",
    "Recoding",
    "Regress",
    "Release",
    "ReleaseOptions",
    "Step",
    "Suppress",
    "Taxonomy",
    "Template",
    "TooManySuppressed",
    "Truth",
    "Verification",
    "Worst",
    "__version__",
    "frontier",
    "propose_taxonomy",
    "protect",
    "read_plan",
    "read_policy",
    "read_taxonomy",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
