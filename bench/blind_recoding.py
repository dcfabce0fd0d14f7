"""Recodings that do not tell why they stop: `decide: blind` beside the ordinary search, on the tables of the papers.

    python bench/blind_recoding.py [--only PART] [--search disclosure|coordinate] [--repeat N] [--halves DRAWS]

For each table and limit: what share of the known cells is shown, for how many rows whoever asks why no more is shown is
surer than the limit, and how sure at most (the attack `minimality` of the audit), how many bits the choice of k tells
at most, and the CPU seconds of `protect`. The ordinary search alone is the mark; beside it the same with the k that was
decided blindly. `--halves` tries another way to decide instead: by the secrets of a random half of the rows that is not
released, with k besides, asked about the other half; beside it blind decisions on that other half alone.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import discreet as d
from discreet.attack.aware import aware_attacks
from discreet.compare.scene import Scene
from discreet.policy.deciding import BLIND_KS
from paper_data import BENCHMARKS, policy

CASES = (("crx", 4, 90), ("crx", 4, 70), ("adult", 1, 50), ("adult", 1, 20))
"""The table, how many of its columns are secret, and the limit in per cent."""


@dataclass(frozen=True)
class Line:
    """What one way to decide comes to."""

    name: str
    shown: float
    above: int
    highest: float | None
    decided: str
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tables whose name has this in it")
    parser.add_argument("--search", choices=("disclosure", "coordinate"), default="disclosure")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, for the median of the seconds")
    parser.add_argument("--halves", type=int, default=0, help="so many draws of a half that decides")
    chosen = parser.parse_args()
    for name, secrets, limit in CASES:
        if chosen.only in name and chosen.halves:
            halves(name, secrets, limit, chosen.halves)
        elif chosen.only in name:
            print(f"{name}, {secrets} secret columns, at most {limit}%, search: {chosen.search}")
            print(f"  {'decided':<26} {'shown':>6} {'rows above':>10} {'surest':>7} {'k (of, bits)':>16} {'CPU s':>7}")
            for line in lines(name, secrets, limit, chosen.search, chosen.repeat):
                surest = "" if line.highest is None else f"{line.highest:.1%}"
                print(
                    f"  {line.name:<26} {line.shown:6.1%} {line.above:10} {surest:>7} {line.decided:>16} "
                    f"{line.seconds:7.2f}",
                    flush=True,
                )


def lines(name: str, secrets: int, limit: int, search: str, repeat: int) -> Iterator[Line]:
    """Yield each way to decide on one table."""
    data = BENCHMARKS[name]()
    asked = policy(data, data.top[:secrets], limit)
    said: dict[str, Any] = {"search": search}
    if search == "disclosure":
        said["disclosure"] = d.Disclosure(disclose="always")
    plain = asked.model_copy(update=said)
    yield line("by the secrets", data.table, plain, repeat)
    blind = d.Policy.from_dict({**plain.to_dict(), "decide": "blind"})
    found = line("blind", data.table, blind, repeat)
    yield found
    k = int(found.decided.split()[0])
    known = data.known(data.top[:secrets])
    both = d.Policy.from_dict({**plain.to_dict(), "protect": [*plain.to_dict()["protect"], {"k": k, "over": known}]})  # type: ignore[misc]
    yield line(f"by the secrets, k = {k} too", data.table, both, repeat)


def halves(name: str, secrets: int, limit: int, draws: int) -> None:
    """Print what is shown of a half where the other one decides, and where blind decisions do."""
    data = BENCHMARKS[name]()
    always = {"search": "disclosure", "disclosure": {"disclose": "always"}}
    said: dict[str, Any] = {**policy(data, data.top[:secrets], limit).to_dict(), **always}
    known = data.known(data.top[:secrets])
    for draw in range(draws):
        order = np.random.default_rng(draw).permutation(len(data.table))
        decides, released = data.table[order[: len(order) // 2]], data.table[order[len(order) // 2 :]]
        found = "none"
        for k in (1, *BLIND_KS):
            asked = {**said, "protect": [*said["protect"], *([{"k": k, "over": known}] if k > 1 else [])]}
            try:
                plan = d.protect(decides, d.Policy.from_dict(asked), progress=False).plan
                found = f"{shown(plan.apply(released, policy=d.Policy.from_dict(said))):.1%} (k = {k})"
                break
            except d.DiscreetError:  # a promise is broken in the half that is released, or cannot be kept in the other
                continue
        try:
            blind = f"{shown(d.protect(released, {**said, 'decide': 'blind'}, progress=False)):.1%}"
        except d.DiscreetError:
            blind = "none"
        print(f"{name}, at most {limit}%, draw {draw}: decided by a half {found}, blind {blind}", flush=True)


def shown(release: d.Release) -> float:
    """Return the share of the known cells that are released as they are."""
    audit = release.audit
    changed = sum(audit.hidden_cells.values()) + sum(audit.coarser_cells.values())
    return 1 - changed / (len(release.plan.recodings) * audit.rows)


def line(name: str, table: Any, asked: d.Policy, repeat: int) -> Line:
    """Protect, attack and measure."""
    seconds = []
    for _ in range(repeat):
        start = time.process_time()
        release = d.protect(table, asked, progress=False)
        seconds.append(time.process_time() - start)
    audit, engine, source = release.audit, release.engine, release.source
    scene = Scene(engine, source, asked, places=np.searchsorted(source.numbers(), engine.numbers()), seed=0)
    found = [attack for task in aware_attacks(scene) for attack in task.run()]
    highest = [float(attack.figures["highest"]) for attack in found if attack.figures["highest"] is not None]
    decided = audit.decided
    told = "" if decided is None else f"{decided.k} ({decided.of}, {decided.bits:.1f})"
    above = max((attack.released.tries for attack in found), default=0)
    return Line(name, shown(release), above, max(highest, default=None), told, statistics.median(seconds))


if __name__ == "__main__":
    main()
