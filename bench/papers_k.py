"""The experiments of Iyengar (2002): k-anonymity by one cut."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

import k_anonymity
import reuse
from k_anonymity import GOLDEN, Published, Scored, Settings, adult, compile_all
from papers import Claim, Figures, Outcome, claim

HOURS = 18
"""What one run took the paper."""
ROOTS = ["workclass", "occupation", "race", "sex", "native-country"]
"""Columns that the paper's cut for k = 250 says nothing of."""


def cuts(figure: str, sizes: Sequence[int], genetic: Sequence[int], seeds: int) -> Outcome:
    """Search for cuts at each k under the conditions of the published figures."""
    aim = k_anonymity.FIGURES[figure]
    golden = json.loads(GOLDEN.read_text())
    table = adult(golden["columns"])
    settings = Settings(seeds=tuple(range(seeds)))
    compile_all(Published(table, golden, sizes[0]))
    by: dict[str, dict[int, Scored]] = {"coordinate": {}, "genetic": {}}
    slowest = 0.0
    for search, chosen in (("coordinate", sizes), ("genetic", genetic)):
        for k in chosen:
            found = Published(table, golden, k).best(search, aim, settings)
            by[search][k] = found[0]
            if search == "genetic":
                slowest = max(slowest, *(scored.seconds for scored in found))
    best = {k: min((way[k] for way in by.values() if k in way), key=lambda s: (s.by(aim), s.lm)) for k in sizes}
    made = (cm_claims if aim == "CM" else lm_claims)(best, golden)
    time = claim(f"one run of the genetic search, {settings.iterations:,} iterations", f"{HOURS} h",
                 f"{slowest:.0f} s (CPU)", holds=slowest <= HOURS * 3600)  # fmt: skip
    header = ["search", "k", "LM", "CM", "suppressed rows", "CPU s"]
    rows = [
        [search, str(k), f"{scored.lm:.5f}", f"{scored.cm:.5f}", f"{scored.gone:,}", f"{scored.seconds:.1f}"]
        for search, way in by.items()
        for k, scored in way.items()
    ]
    return Outcome([*made, time], [Figures(f"{aim} made small", header, rows)])


def cm_claims(best: dict[int, Scored], golden: dict[str, Any]) -> list[Claim]:
    cms, lms = [scored.cm for scored in best.values()], [scored.lm for scored in best.values()]
    found = [
        claim("CM", "around 0.18 for every k", span(cms), holds=min(cms) >= 0.17 and max(cms) < 0.19),
        claim("LM of these cuts", "around 0.8", span(lms), holds=min(lms) >= 0.7 and max(lms) <= 0.9),
        bits(golden),
    ]
    if 250 in best:
        cut = dict(zip(golden["columns"], best[250].cut, strict=True))
        roots = [name for name in golden["columns"] if len(np.unique(cut[name])) == 1]
        said = "holds" if roots == ROOTS else "differs"
        found.append(Claim("k = 250: columns of which nothing is told", ", ".join(ROOTS), ", ".join(roots), said))
    return found


def lm_claims(best: dict[int, Scored], golden: dict[str, Any]) -> list[Claim]:
    cms, lms = [scored.cm for scored in best.values()], [scored.lm for scored in best.values()]
    here = f"{min(lms):.2f} to {max(lms):.2f}"
    off = max(abs(min(lms) - 0.21), abs(max(lms) - 0.49))
    said = "same" if here == "0.21 to 0.49" else "near" if off < 0.02 else "differs"
    growing = all(one.lm < other.lm for one, other in zip(list(best.values()), list(best.values())[1:], strict=False))
    return [
        Claim("LM from the smallest to the largest k", "0.21 to 0.49", here, said),
        claim("LM grows with k", "yes", "yes" if growing else "no", holds=growing),
        claim("CM of these cuts", "0.3 to 0.4", span(cms), holds=min(cms) >= 0.295 and max(cms) < 0.405),
        bits(golden),
    ]


def bits(golden: dict[str, Any]) -> Claim:
    number = sum(len(order) - 1 for order in golden["leaf_order"].values())
    return Claim("length of the chromosome, bits", "157", str(number), "same" if number == 157 else "differs")


def span(figures: Sequence[float]) -> str:
    return f"{min(figures):.3f} to {max(figures):.3f}"


def bench() -> reuse.Bench:
    golden = json.loads(GOLDEN.read_text())
    train, test = (adult(golden["columns"], part) for part in ("adult.data", "adult.test"))
    made = reuse.Bench(golden, train, test, "coordinate", Settings(seeds=(0,)))
    compile_all(Published(train, golden, 10))
    return made


def errors(sizes: Sequence[int], folds: int) -> Outcome:
    """Judge releases by C4.5 and cross-validation."""
    about = bench()
    most = about.train["income"].value_counts()["count"].max()
    assert isinstance(most, int)
    commonest = 100 * (1 - most / len(about.train))
    whole = reuse.error(about.train, "C4.5", folds)
    by: dict[str, dict[int, float]] = {"CM": {}, "LM": {}}
    rows = []
    for k in sizes:
        row = [str(k)]
        for aim, way in by.items():
            release = about.release(k, aim)
            assert isinstance(release.table, pl.DataFrame)
            way[k] = reuse.error(release.table, "C4.5", folds)
            row += [f"{way[k]:.2f}", f"{release.audit.suppressed:,}"]
        rows.append(row)
    made, large = list(by["CM"].values()), {k: error for k, error in by["LM"].items() if k >= 200}
    found = [
        Claim("the table as it is, %", "17.1", f"{whole:.1f}", "near" if abs(whole - 17.1) <= 0.5 else "differs"),
        Claim("made for the class, %", "17.3 to 18.5", f"{min(made):.1f} to {max(made):.1f}", within(made)),
        claim("made for no use: worse than for the class at every k", "yes",
              f"{min(by['LM'].values()):.1f} to {max(by['LM'].values()):.1f}",
              holds=all(by["LM"][k] > by["CM"][k] for k in sizes)),
        claim(f"made for no use, k from 200 on: as bad as guessing the commonest class ({commonest:.1f}%)", "yes",
              ", ".join(f"k = {k}: {error:.1f}" for k, error in large.items()),
              holds=all(abs(error - commonest) < 0.05 for error in large.values())),
    ]  # fmt: skip
    header = ["k", "for the class, %", "suppressed", "for no use, %", "suppressed"]
    return Outcome(found, [Figures(f"Errors, {folds}-fold cross-validation", header, rows)])


def within(made: Sequence[float]) -> str:
    """Compare a range of errors with the paper's, 17.3 to 18.5; half a point off is near."""
    off = max(17.3 - min(made), max(made) - 18.5)
    return "holds" if off < 0.05 else "near" if off <= 0.5 else "differs"


def iterations(count: int) -> Outcome:
    """Watch the genetic search at k = 100."""
    golden = json.loads(GOLDEN.read_text())
    table = adult(golden["columns"])
    settings = Settings(iterations=count, seeds=(0,))
    compile_all(Published(table, golden, 100))
    found, rows = [], []
    for figure in ("9", "10"):
        aim = k_anonymity.FIGURES[figure]
        with contextlib.redirect_stdout(io.StringIO()):
            looks = k_anonymity.by_iteration(figure, table, golden, settings)
        first, last = looks[0], looks[-1]
        early = max((look for look in looks if look.iterations <= count // 5), key=lambda look: look.iterations)
        late = max((look for look in looks if look.iterations <= count * 4 // 5), key=lambda look: look.iterations)
        share = (first.value - early.value) / (first.value - last.value) if first.value > last.value else 0.0
        found += [
            claim(f"{aim}: quick at first, slow later", "yes",
                  f"{share:.0%} of the gain in the first fifth", holds=share > 0.5),
            claim(f"{aim}: new cuts are still met at the end", "yes",
                  f"{last.distinct - late.distinct:,} new ones in the last fifth", holds=last.distinct > late.distinct),
        ]  # fmt: skip
        rows += [
            [aim, f"{look.iterations:,}", f"{look.value:.5f}", f"{look.distinct:,}"]
            for look in looks
            if look.iterations in k_anonymity.LOOKS or look is last
        ]
    return Outcome(found, [Figures("k = 100", ["made small", "iterations", "best", "different cuts"], rows)])


def reused(sizes: Sequence[int]) -> Outcome:
    """Use cuts of the training part on the test part."""
    about = bench()
    found, rows = [], []
    worse: dict[str, float] = {}
    for figure, aim in reuse.FIGURES.items():
        pairs = []
        for k in sizes:
            first, second = Published(about.train, about.golden, k), Published(about.test, about.golden, k)
            made = second.best(about.search, aim, about.settings)[0]
            used = reuse.moved(first.best(about.search, aim, about.settings)[0], about, second)
            pairs.append((made, used))
            rows.append([aim, str(k), f"{made.by(aim):.5f}", f"{made.gone:,}", f"{used.by(aim):.5f}", f"{used.gone:,}"])
        worse[aim] = sum(used.by(aim) / made.by(aim) - 1 for made, used in pairs) / len(pairs)
        more = sum(used.gone for _, used in pairs), sum(made.gone for made, _ in pairs)
        found.append(claim(f"Figure {figure}: {aim} is worse with the cut used again, at every k", "yes",
                           f"on average by {worse[aim]:.1%}",
                           holds=all(used.by(aim) >= made.by(aim) for made, used in pairs)))  # fmt: skip
        if aim == "CM":
            here = f"{more[0]:,} rows, {more[1]:,} otherwise"
            found.append(claim("... because more rows are suppressed", "yes", here, holds=more[0] > more[1]))
    found.append(claim("CM suffers more than LM", "yes", f"{worse['CM']:.1%} and {worse['LM']:.1%}",
                       holds=worse["CM"] > worse["LM"]))  # fmt: skip
    header = ["made small", "k", "made for these rows", "suppressed", "used again", "suppressed"]
    return Outcome(found, [Figures("On the 15,060 rows of the test part", header, rows)])


if __name__ == "__main__":
    print(__doc__)
