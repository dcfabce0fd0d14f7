"""What is left of the bank table at several thresholds: python examples/thresholds.py bank.csv."""

from __future__ import annotations

import sys

import discreet as d


def main(path: str) -> None:
    """Print how many cells stay shown at each threshold."""
    for at_most in ("100%", "75%", "50%", "40%", "30%", "5/24", "20%"):
        template = d.Template(given=["Job", "Country"], infer={"Bankruptcy": "Discharged"}, at_most=at_most)
        try:
            release = d.protect(path, d.Policy(use=d.Counts(), protect=[template]))
        except d.ImpossiblePromise as answer:
            print(f"{at_most:>5}: {answer}")
            continue
        hidden = sum(release.audit.hidden_cells.values())
        print(f"{at_most:>5}: {hidden} of {2 * release.audit.rows} cells hidden; {release.audit.promises[0].worst}")


if __name__ == "__main__":
    main(sys.argv[1])
