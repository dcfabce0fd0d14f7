"""What hidden cells tell of each other: the attacks of who knows how cells are protected from rules.

`hidden_values`: only cells that rules lead to are hidden, so where most hidden cells in rows with the same conditions
have one value, to be hidden is to have it. `absence`: "it is not released" is a condition like any other. Both are
counted by `audit.mined`.
"""

from __future__ import annotations

from collections.abc import Iterator

from discreet.adversary.base import prior
from discreet.attack.base import Attack
from discreet.common.rates import Rate
from discreet.common.shares import percent
from discreet.policy.adversaries import Adversary
from discreet.verification.cell_check import CellCheck


def rule_attacks(index: int, adversary: Adversary, release: CellCheck, alone: CellCheck | None) -> Iterator[Attack]:
    """Yield what is read in the hidden cells of one requirement against rules.

    `release` are its cells on the release, `alone` where they alone are hidden, if that is known.
    """
    check = release.knowing(adversary)
    cells = len(check.checked)
    if not cells:
        return
    found = check.attack(adversary)
    assert found.mined is not None
    assert adversary.confidence is not None
    first, domain = prior(check.view), check.view.classes.tree.domain
    baseline = Rate(sum(domain[place] == first.value for place in check.true[check.checked]), cells)
    hidden = None
    if alone is not None:
        before = alone.knowing(adversary)
        hidden = Rate(int(before.attack(adversary).exposed.sum()), len(before.checked))
    mined, column = found.mined, check.requirement.column
    aware, absence = mined.readings["aware"], mined.readings["absence"]
    warnings = tuple(mined.warnings(column, adversary.confidence, decoys=bool(check.requirement.decoys)))
    knows = tuple(seen.name for seen in check.view.predictors)
    limit = percent(adversary.confidence)
    yield Attack(
        "aware",
        "hidden_values",
        "takes a hidden cell for the value that most hidden cells with the same conditions have",
        column,
        knows,
        Rate(aware, cells),
        cells,
        baseline=baseline,
        only_hidden=hidden,
        requirement=index,
        warnings=warnings,
        notes=(f"right: the true value is that of more than {limit} of the hidden cells with some of its conditions",),
        figures={
            "all_alike": int(mined.all_alike.sum()),
            "rules_all": mined.readings["all"],
            "rules_published": mined.readings["published"],
        },
    )
    plain = int(mined.exposed.sum())
    told = (
        f"of {absence} of {cells} confidential cells of {column!r} the value is told by rules in which 'it is not "
        f"released' is a condition ({plain} by rules without)"
    )
    yield Attack(
        "aware",
        "absence",
        "takes 'it is not released' for a condition like any other",
        column,
        knows,
        Rate(absence, cells),
        cells,
        baseline=baseline,
        only_hidden=hidden,
        requirement=index,
        warnings=(told,) if absence > plain else (),
        notes=(f"right: a rule to the true value has more than {limit} confidence, and enough support",),
        figures={"without": plain},
    )
