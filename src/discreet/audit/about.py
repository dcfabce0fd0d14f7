"""What a release is and how it was made, in words; what its promises leave open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.common.shares import percent
from discreet.plan.decided import Decided
from discreet.policy import Confidential, Policy, ReleaseOptions
from discreet.policy.bind import known_to_groups, recoded, tight_columns
from discreet.policy.deciding import asked_ks
from discreet.policy.persons import worded
from discreet.policy.requirements.any_of import AnyOf

if TYPE_CHECKING:
    from discreet.verification.joint import JointVerification


@dataclass(frozen=True)
class About:
    """What a release is and how it was made: what a report says first.

    Parameters
    ----------
    name
        The name of the released file (without its folder), if it has one.
    columns
        The released columns, in order.
    use, method
        What it is for and how it was made, in words; `method` is None when that is not known.
    promises
        Each promise in words, as the policy has it; `public` the same without naming people: what may be printed.
    changeable
        The columns that were recoded or edited by right.
    """

    name: str | None
    columns: tuple[str, ...]
    use: str
    method: str | None
    promises: tuple[str, ...]
    public: tuple[str, ...]
    changeable: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return asdict(self)


def about(policy: Policy, columns: Sequence[str], changeable: Sequence[str], *, name: str | None, made: bool) -> About:
    """Return what a release is; `made` says that discreet made it as the policy wants."""
    promises = [worded(policy, promise, promise.in_words()) for promise in policy.promises()]
    cells = [cells for _, cells in policy.cells()]
    return About(
        name=name,
        columns=tuple(columns),
        use=", ".join(use.in_words() for use in policy.uses),
        method=_method(policy, cells) if made else None,
        promises=(*promises, *(requirement.in_words() for requirement in cells)),
        public=(*promises, *(requirement.in_public() for requirement in cells)),
        changeable=tuple(changeable),
    )


METHODS = {
    "disclosure": "top-down disclosure: values are shown, the best first, as far as every promise allows",
    "coordinate": "the same groups and intervals for all rows, found by a search that improves one column at a time",
    "genetic": "the same groups and intervals for all rows, found by a genetic search",
    "exact": "the same groups and intervals for all rows, found by an exact search",
    "local": "rows that look alike share groups, intervals or sets of their own (local recoding)",
}


def _method(policy: Policy, cells: Sequence[Confidential]) -> str:
    """Return how a release was made, in words."""
    told = [METHODS[policy.method]] if any(True for _ in policy.promises()) else []
    if policy.decide is not None:
        ks = ", ".join(map(str, asked_ks(policy)))
        told.append(f"decided without looking at a secret, by the first k of {ks} with which every promise holds")
    if policy.is_blind:
        names = " and ".join(cells[0].references_used)
        return "; ".join([*told, f"single cells hidden blindly, within limits of {names} (see the method statement)"])
    methods = dict.fromkeys(
        f"{method} against {adversary.name}" for made in cells for adversary, method in made.defences
    )
    if methods:
        told.append(f"single cells hidden or made coarser by {', '.join(methods)}")
    return "; ".join(told)


@dataclass(frozen=True)
class Sampled:
    """Which share of how many rows was drawn, and where k counts."""

    asked: ReleaseOptions
    rows: int
    noun: str = "rows"
    """What was drawn: `rows`, or `persons` who have several."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        told = {"share": str(self.asked.sample), "drawn_rows": self.asked.size(self.rows), "of_rows": self.rows}
        strata = {"by": list(self.asked.by)} if self.asked.by else {}
        return {**told, "k_on": self.asked.k_on, **strata, **({"persons": True} if self.noun == "persons" else {})}

    def in_words(self, *, crowds: bool) -> str:
        """Return what the sample means, and against whom."""
        size = self.asked.size(self.rows)
        strata = f", stratified by {' and '.join(self.asked.by)}" if self.asked.by else ""
        drawn = f"a random sample{strata}: {size} of {self.rows} {self.noun} ({percent(Fraction(size, self.rows))})"
        if self.asked.k_on == "population":
            return f"{drawn}; k counts in the whole table, against who does not know whether a person is in the sample"
        what = "k and every other promise count" if crowds else "every promise counts"
        return f"{drawn}; {what} in the released {self.noun}, also against who knows that a person is in the sample"


def _not_covered_of_samples(policy: Policy) -> Iterator[str]:
    """Yield what a sample leaves open."""
    if policy.k_on_population:
        yield "whoever knows that a person is in the sample: of k rows alike in the table it may have only one"
    if policy.release is not None and policy.release.by:
        strata = " and ".join(policy.release.by)
        yield f"how many rows of the whole table have each {strata}: the sample keeps their shares"


def _not_covered_of_persons(policy: Policy) -> list[str]:
    """Return what promises about persons leave open."""
    unit = policy.unit
    if unit is None:
        return []
    found = []
    if unit.one_row:
        found.append(f"whoever knows several rows of one {unit.id}: promises are made against who knows one")
    elif unit.rows == "unknown":
        found.append(f"whoever knows how many rows a {unit.id} has")
    if not policy.shuffle and policy.token is None:
        found.append(f"which rows are those of one {unit.id}: rows leave in their order (write shuffle: true)")
    return found


def not_covered(
    policy: Policy, columns: Sequence[str] | None = None, decided: Decided | None = None
) -> tuple[str, ...]:
    """Return what the promises of a policy leave open, on a table with these released columns.

    `decided`: what the secrets decided, where decisions are blind and it is known.
    """
    found = []
    if columns is not None:
        known = policy.sensitive | known_to_groups(policy)
        for _, cells in policy.cells():
            known |= {cells.column, *(columns if cells.predictors is None else cells.predictors)}
        others = [column for column in columns if column not in known]
        if others:
            named = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
            found.append(f"whoever also knows {named} of a person")
    found += _not_covered_of_cells(policy)
    promises = list(policy.promises())
    for some in dict.fromkeys(promise.given for promise in promises if isinstance(promise.given, AnyOf)):
        found.append(f"whoever knows more than {some.many} of {', '.join(some)} of a person")
    crowds = [set(promise.given) for promise in promises if promise.measure == "rows"]
    small = [made for made in promises if made.among is None and not any(set(made.given) <= crowd for crowd in crowds)]
    if small:
        kinds = list(dict.fromkeys(promise.called for promise in small))
        limit = f"{kinds[0]} limits" if len(kinds) == 1 else f"{' and '.join(kinds)} limit"
        found.append(f"which row is whose: {limit} what is inferred of a group, not how small it is")
    if promises and not policy.sensitive:
        kinds = list(dict.fromkeys(promise.called for promise in promises if promise.unit is not None))
        limits = f"{' and '.join(kinds)} limit{'s' if len(kinds) == 1 else ''} who it is, not what is inferred"
        alike = "rows" if policy.unit is None else "persons"
        found.append(f"what all {alike} of a group have in common{f': {limits}' if kinds else ''}")
    found += _not_covered_of_samples(policy)
    said = (worded(policy, promise, open_end) for promise in promises for open_end in promise.leaves_open())
    found += dict.fromkeys(said)
    found += _not_covered_of_persons(policy)
    if policy.removes or any(cells.removes for _, cells in policy.cells()):
        found.append("who was removed: whoever has the original can tell, and so may who knows that a person was in it")
    if len({template.about for template in policy.templates()}) > 1:
        found.append("several protected values taken together")
    coarser = [(name, column) for name, column in policy.columns.items() if name in recoded(policy)]
    told = [name for name, column in coarser if column.scale is not None and not column.open_ends]
    told += [name for name, column in coarser if column.released_form == "median" and name not in told]
    tight = tight_columns(policy)
    if tight:
        found.append(f"the smallest and largest {', '.join(tight)} of each group: they are values of its rows")
    if told:
        found.append(f"the smallest and largest {', '.join(told)}: the release may tell them")
    found += _not_covered_of_decisions(policy, decided)
    always = [text for text in ALWAYS_OPEN if text != REASONS_ABOUT_METHOD or not _decides_blindly(policy)]
    return (*found, *always, *(() if policy.shuffle else (THEIR_ORDER,)))


def _decides_blindly(policy: Policy) -> bool:
    """Whether nothing is decided by a secret, or no more than which k of a list."""
    return policy.decide is not None or (policy.is_blind and not any(policy.groups()))


def _not_covered_of_decisions(policy: Policy, decided: Decided | None) -> list[str]:
    """Return what blind decisions leave open: that k were refused, unless the first one did."""
    if policy.decide is None:
        return []
    if decided is None:
        ks = asked_ks(policy)
        decided = Decided(ks[-1], ks[:-1], len(ks))
        told = "which k of blind_ks was the first to keep every promise"
    else:
        told = f"that a promise would have been broken with k = {', '.join(map(str, decided.refused))}"
    return [f"{told} (at most {decided.bits:.1f} bits of all secrets together)"] if decided.refused else []


def _not_covered_of_cells(policy: Policy) -> list[str]:
    """Return what the promises about single cells leave open."""
    cells = [requirement for _, requirement in policy.cells()]
    if not cells:
        return []
    if policy.is_blind:
        return _not_covered_of_blind(cells)
    names = list(dict.fromkeys(adversary.name for requirement in cells for adversary in requirement.adversaries))
    found = [f"whoever guesses confidential cells by other means than {' or '.join(names)}"]
    found.append(
        "whoever knows the method: that something was changed for a cell tells that it was guessed before, and what "
        "the guess was can often be reckoned back"
    )
    if any(requirement.may("own.conditions") for requirement in cells):
        found.append("whoever knows from elsewhere the values that were hidden in the row of a confidential cell")
    return found


def _not_covered_of_blind(cells: Sequence[Confidential]) -> list[str]:
    """Return what blind promises leave open."""
    return [
        f"other learners than {' and '.join(cells[0].references_used)}: what they guess is measured, not promised",
        "whoever knows from elsewhere what was hidden in the row of a confidential cell (name such columns in known)",
        "that cells are confidential because of their values: whose they are is taken for known",
        "how common a value is: the commonest is right as often as it is there",
        "whoever knows the whole population, or rows of other confidential cells together",
    ]


REASONS_ABOUT_METHOD = "an adversary who reasons about how the method chooses what to hide"
ALWAYS_OPEN = (
    "what can be inferred from several releases together",
    "an adversary with probabilistic knowledge of his own",
    REASONS_ABOUT_METHOD,
)
TOGETHER = ALWAYS_OPEN[0]
UNLINKED = (
    "how sure somebody may be of a single person whose rows he cannot link through the releases: at most the promised "
    "share of what he says of all persons is right"
)
UNLINKED_ROWS = (
    "whoever knows which row of a person became which in another release: persons are linked, and all their rows in "
    "each release are known, but no row key links single rows of {}"
)

CELLS_BEFORE = (
    "what earlier releases tell of the other values in the row of a confidential cell: what is hidden here for its "
    "sake may be shown there, and what is guessed from all of them together is not counted"
)


BLIND_BEFORE = (
    "who has several earlier releases but not all of them, or learns from the other rows of an earlier release: what "
    "earlier releases told of rows with confidential cells is read by what this release's other rows teach"
)


def beside_ledger(not_covered: Sequence[str], joint: JointVerification | None, policy: Policy) -> tuple[str, ...]:
    """Return what is left open where a ledger was given: of several releases only those that it does not have.

    Where a promise over several releases is broken, all that is said of them stays.
    """
    if joint is None or not joint.holds:
        return tuple(not_covered)
    counted = ", ".join(joint.releases)
    others = f"releases that are not in the ledger; counted with this one: {counted or 'none, it is the first'}"
    mine = [others, *([UNLINKED] if counted else [])]
    if joint.unlinked:
        mine.append(UNLINKED_ROWS.format(", ".join(joint.unlinked)))
    if any(finding.kind == "confidential" for finding in joint.findings):
        mine.append(BLIND_BEFORE if policy.is_blind else CELLS_BEFORE)
    return tuple(text for each in not_covered for text in (mine if each == TOGETHER else [each]))


THEIR_ORDER = "what the order of the rows tells (it is that of the original)"
