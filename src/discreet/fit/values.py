"""Whether the values of a policy fit those of a table; what its owner should know of the two together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from discreet.columns.scale import same_number
from discreet.encoded import Combinations
from discreet.errors import Problem
from discreet.policy import Policy
from discreet.policy.bind import Bound, tight_columns
from discreet.policy.marker import marker_among
from discreet.policy.uses import PredictingUse


def value_problems(bound: Bound, counted: Combinations, kinds: Mapping[str, str]) -> list[Problem]:
    """Return where values of the policy do not fit the values of the table (never naming one of the table's)."""
    policy = bound.policy
    problems = [
        policy.problem(
            ("protect", index, "infer", made.sensitive),
            f"no row has {'a missing value in ' if value is None else ''}{made.sensitive!r}"
            f"{'' if value is None else f' = {value!r}'}; "
            f"{_spelling(value, counted.domain(made.sensitive), kinds[made.sensitive], SEE_VALUES)}",
        )
        for index, made in policy.groups()
        for value in made.named()
        if made.sensitive is not None and value not in counted.domain(made.sensitive)
    ]
    problems += _target_problems(bound, counted)
    counting = [name for name in bound.columns if name in bound.changeable or name in policy.sensitive]
    found = (marker_among(policy, column, counted.domain(column)) for column in counting)
    return [*problems, *(problem for problem in found if problem is not None)]


def _target_problems(bound: Bound, counted: Combinations) -> list[Problem]:
    """Return where targets are no numbers, or costs name classes that there are not."""
    policy = bound.policy
    problems = []
    for number, use in enumerate(policy.uses):
        here = ("use", number) if isinstance(policy.use, tuple) else ("use",)
        if not isinstance(use, PredictingUse):
            continue
        if use.reads_numbers and (message := _no_numbers(bound, use, counted)):
            problems.append(policy.problem((*here, use.name), message))
        for field, named in use.values_named().items():
            strange = named - set(counted.domain(use.target))
            if strange:
                absent = min(strange)
                spelling = _spelling(absent, counted.domain(use.target), "text")
                message = f"no row has {use.target!r} = {absent!r}; {spelling}"
                problems.append(policy.problem((*here, field), message))
    return problems


def _no_numbers(bound: Bound, use: PredictingUse, counted: Combinations) -> str | None:
    scale = bound.policy.numbers_of(use.target)
    domain = [value for value in counted.domain(use.target) if not bound.policy.declares_missing(value)]
    bad = [value for value in domain if scale.read(value) is None]
    if not bad:
        return None
    if not any((value or "").strip() for value in bad):
        return f"cells of {use.target!r} are empty; {name_empty(bound.policy)}"
    message = f"{len(bad)} of the {len(domain)} different values of {use.target!r} are no {scale.name}"
    return f"{message}; name missing ones under 'missing'"


def missing_warnings(bound: Bound, counted: Combinations, dropped: int) -> list[str]:
    """Return a warning where 'missing' names what the table does not have: perhaps it is written otherwise there."""
    missing = bound.policy.missing
    if missing is None:
        return []
    if missing.rows == "drop":
        return [] if dropped else ["'missing' finds no missing value in the table: are they written otherwise there?"]
    occurring = {value for domain in counted.domains for value in domain}
    occurring |= {""} if None in occurring else set()  # whoever writes "" means cells without any value
    absent = [repr(value) for value in missing.values if value is not None and value not in occurring]
    if not absent:
        return []
    return [f"no column that counts has the missing value {', '.join(absent)}: is it written otherwise there?"]


def tight_warnings(policy: Policy) -> list[str]:
    """Return a warning for columns whose labels tell the extremes of every group."""
    tight = ", ".join(map(repr, tight_columns(policy)))
    if not tight:
        return []
    return [f"labels of {tight} begin and end with values of rows in the group; give 'ends' where these must not show"]


SEE_VALUES = (
    ", see which there are (`discreet check POLICY --table TABLE --show-values`), "
    "or write {any: true} for whichever it is"
)


def _spelling(value: str | None, domain: Iterable[str | None], kind: str, see: str = "") -> str:
    """Say how a value that no row has should be written, and how to `see` which there are.

    Of the table only another text of the very number that the owner wrote is told: that tells nothing more.
    """
    if (same := same_number(value, domain)) is not None:
        return f"the same number is written {same!r} in the table: write that"
    if kind == "text":
        return f"check the spelling{see}"
    like = {"Boolean": "true or false", "Float64": "1.0", "Float32": "1.0"}.get(kind, "in the table's own way")
    return f"the column holds {kind}, so write the value as {like}"


def share_warnings(policy: Policy) -> list[str]:
    """Return a warning where a share is too small for k: the cut found on it is coarser than it need be."""
    share = policy.search_on
    ks = [promise.least_rows for promise in policy.promises() if promise.least_rows > 1]
    if share is None or not ks or min(ks) * share >= 1:
        return []
    return [f"'search_on' is small for k = {min(ks)}: it has less than one row of a group of k; search on more rows"]


def name_empty(policy: Policy) -> str:
    """Say what to write so that empty cells stand for missing values."""
    if policy.missing is not None:
        return 'add "" to missing.values'
    return 'write missing: {values: [""], rows: value} to keep such rows, or rows: drop to leave them out'
