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
    from discreet.assist.asking import check, draft
    from discreet.assist.check import CheckedPolicy
    from discreet.assist.draft import PolicyDraft
    from discreet.assist.frontier import frontier
    from discreet.assist.frontier_points import Frontier, Point
    from discreet.assist.proposing.propose import propose_taxonomy
    from discreet.attack.base import Attack, Attacked
    from discreet.audit.audit import Audit
    from discreet.audit.auditing import attack_release, audit_release
    from discreet.audit.risk import Risk
    from discreet.columns.intervals import Interval
    from discreet.columns.taxonomy import Taxonomy, read_taxonomy
    from discreet.common.rates import Rate
    from discreet.common.watch import Progress
    from discreet.errors import (
        BrokenPromise,
        DiscreetError,
        ImpossiblePromise,
        InputError,
        PolicyError,
        Problem,
        PromiseError,
        TellingCells,
        TooManySuppressed,
        UnprotectedCells,
        Unsettled,
    )
    from discreet.measure.utility import Utility
    from discreet.pipeline import protect
    from discreet.plan.parts import Decoy, Edit, Kept, Protected, Recoding, Step
    from discreet.plan.plan import Plan
    from discreet.policy import (
        Column,
        Confidential,
        Disclosure,
        FileOptions,
        Genetic,
        KAnonymity,
        Missing,
        Policy,
        ReleaseOptions,
        Suppress,
        Template,
        read_policy,
    )
    from discreet.policy.adversaries import C45, BagOfWords, BayesianNetwork, Id3, Learner, NaiveBayes, Rules
    from discreet.policy.requirements.absence import Not
    from discreet.policy.requirements.any_of import AnyOf
    from discreet.policy.requirements.any_value import Any, AnyBut
    from discreet.policy.requirements.l_diversity import LDiversity
    from discreet.policy.requirements.membership import Membership
    from discreet.policy.requirements.t_closeness import TCloseness
    from discreet.policy.requirements.within import Within
    from discreet.policy.uses import Classify, Counts, General, Regress
    from discreet.release import Release
    from discreet.verification.answers import Answer
    from discreet.verification.cell_answers import Cell, CellsFound
    from discreet.verification.findings import Finding, Truth, Verification, Worst
    from discreet.verification.promises import verify
    from discreet.writing.ledger import Ledger
    from discreet.writing.plan_file import read_plan

_HOMES = {
    "discreet.attack.base": ("Attack", "Attacked"),
    "discreet.common.rates": ("Rate",),
    "discreet.verification.answers": ("Answer",),
    "discreet.audit.audit": ("Audit",),
    "discreet.verification.cell_answers": ("Cell", "CellsFound"),
    "discreet.audit.risk": ("Risk",),
    "discreet.assist.asking": ("check", "draft"),
    "discreet.assist.check": ("CheckedPolicy",),
    "discreet.assist.draft": ("PolicyDraft",),
    "discreet.audit.auditing": ("attack_release", "audit_release"),
    "discreet.measure.utility": ("Utility",),
    "discreet.verification.findings": ("Finding", "Truth", "Verification", "Worst"),
    "discreet.verification.promises": ("verify",),
    "discreet.errors": (
        "BrokenPromise",
        "DiscreetError",
        "ImpossiblePromise",
        "InputError",
        "PolicyError",
        "Problem",
        "PromiseError",
        "TellingCells",
        "TooManySuppressed",
        "UnprotectedCells",
        "Unsettled",
    ),
    "discreet.assist.frontier": ("frontier",),
    "discreet.assist.frontier_points": ("Frontier", "Point"),
    "discreet.columns.intervals": ("Interval",),
    "discreet.plan.parts": ("Decoy", "Edit", "Kept", "Protected", "Recoding", "Step"),
    "discreet.plan.plan": ("Plan",),
    "discreet.policy": (
        "Column",
        "Confidential",
        "Disclosure",
        "FileOptions",
        "Genetic",
        "KAnonymity",
        "Missing",
        "Policy",
        "ReleaseOptions",
        "Suppress",
        "Template",
        "read_policy",
    ),
    "discreet.policy.adversaries": ("BagOfWords", "BayesianNetwork", "C45", "Id3", "Learner", "NaiveBayes", "Rules"),
    "discreet.policy.requirements.absence": ("Not",),
    "discreet.policy.requirements.any_of": ("AnyOf",),
    "discreet.policy.requirements.any_value": ("Any", "AnyBut"),
    "discreet.policy.requirements.l_diversity": ("LDiversity",),
    "discreet.policy.requirements.membership": ("Membership",),
    "discreet.policy.requirements.t_closeness": ("TCloseness",),
    "discreet.policy.requirements.within": ("Within",),
    "discreet.policy.uses": ("Classify", "Counts", "General", "Regress"),
    "discreet.pipeline": ("protect",),
    "discreet.writing.ledger": ("Ledger",),
    "discreet.writing.plan_file": ("read_plan",),
    "discreet.common.watch": ("Progress",),
    "discreet.release": ("Release",),
    "discreet.assist.proposing.propose": ("propose_taxonomy",),
    "discreet.columns.taxonomy": ("Taxonomy", "read_taxonomy"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "C45",
    "Answer",
    "Any",
    "AnyBut",
    "AnyOf",
    "Attack",
    "Attacked",
    "Audit",
    "BagOfWords",
    "BayesianNetwork",
    "BrokenPromise",
    "Cell",
    "CellsFound",
    "CheckedPolicy",
    "Classify",
    "Column",
    "Confidential",
    "Counts",
    "Decoy",
    "Disclosure",
    "DiscreetError",
    "Edit",
    "FileOptions",
    "Finding",
    "Frontier",
    "General",
    "Genetic",
    "Id3",
    "ImpossiblePromise",
    "InputError",
    "Interval",
    "KAnonymity",
    "Kept",
    "LDiversity",
    "Learner",
    "Ledger",
    "Membership",
    "Missing",
    "NaiveBayes",
    "Not",
    "Plan",
    "Point",
    "Policy",
    "PolicyDraft",
    "PolicyError",
    "Problem",
    "Progress",
    "PromiseError",
    "Protected",
    "Rate",
    "Recoding",
    "Regress",
    "Release",
    "ReleaseOptions",
    "Risk",
    "Rules",
    "Step",
    "Suppress",
    "TCloseness",
    "Taxonomy",
    "TellingCells",
    "Template",
    "TooManySuppressed",
    "Truth",
    "UnprotectedCells",
    "Unsettled",
    "Utility",
    "Verification",
    "Within",
    "Worst",
    "__version__",
    "attack_release",
    "audit_release",
    "check",
    "draft",
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
