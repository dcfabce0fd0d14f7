"""Figures of pycanon (IFCA, 1.3.6) for small random tables without hidden cells, kept in `pycanon.json`.

pycanon pins old versions of NumPy and pandas, so it has an environment of its own, outside the repository:

    python -m venv ../pycanon && ../pycanon/bin/pip install pycanon==1.3.6
    ../pycanon/bin/python tests/golden/make_pycanon.py

`tests/reference/test_pycanon.py` compares the reference with the file. Where they differ, and who is right:

- l (distinct), t by equal and by ordered distance, basic β: the same, but for the rounding of its floats.
- Entropy l: pycanon says the largest whole l, as int(e ** entropy) in floating point. Where values are equally frequent
  the exact figure is a whole number and the float falls short of it: three values with one row each are "2". The
  definition is met with equality (n^n = l^n ∏ c^c), so 3 is right. Elsewhere the same, rounded down.
- Recursive (c, l): pycanon sorts the counts upwards and takes the first, the rarest value, for r1, and the largest ones
  for the tail. Machanavajjhala et al. (definition 4.3: r1 < c (r_l + ... + r_m)) count r1 as the most frequent one.
  With counts 5, 1 and l = 2 pycanon says c = 1 (1/5, rounded down, and 1); the least whole c with 5 < c · 1 is 6. Its c
  is not enough whenever the rarest and the most frequent value differ much, so its figure is not compared; that it is
  what its code says is (so that we hear of a version that mends it).
"""

import json
import random
from pathlib import Path

HERE = Path(__file__).parent
TABLES = 60


def tables() -> list[dict[str, list[str]]]:
    """Random tables: two known columns, a secret text and a secret whole number."""
    chance = random.Random(20261117)
    found = []
    for _ in range(TABLES):
        rows = chance.randint(3, 40)
        values, groups = chance.randint(1, 6), chance.randint(1, 3)
        skew = chance.choice([0, 1, 2])
        letters = [letter for place, letter in enumerate("uvwxyz"[:values]) for _ in range(1 + skew * place)]
        found.append(
            {
                "a": [chance.choice("pqr"[:groups]) for _ in range(rows)],
                "b": [chance.choice("mn"[: chance.randint(1, 2)]) for _ in range(rows)],
                "s": [chance.choice(letters) for _ in range(rows)],
                "n": [str(chance.choice([1, 2, 3, 10, 11, 50][:values])) for _ in range(rows)],
            }
        )
    found.append({"a": list("pppqqq"), "b": list("mmmmmm"), "s": list("uvwuvw"), "n": list("123123")})
    found.append({"a": list("pppppp"), "b": list("mmmmmm"), "s": list("uuuuuv"), "n": list("111112")})
    return found


def main() -> None:
    """Ask pycanon and write its answers."""
    import pandas as pd
    from pycanon import anonymity

    cases = []
    for columns in tables():
        frame = pd.DataFrame(columns).astype({"n": int})
        known = ["a", "b"]
        numbers = len(set(columns["n"])) > 1  # of one number pycanon divides by zero
        c, least = anonymity.recursive_c_l_diversity(frame, known, ["s"])
        cases.append(
            {
                "table": columns,
                "l": int(anonymity.l_diversity(frame, known, ["s"])),
                "entropy": int(anonymity.entropy_l_diversity(frame, known, ["s"])),
                "recursive": None if c != c else [int(c), int(least)],
                "t_equal": float(anonymity.t_closeness(frame, known, ["s"])),
                "t_ordered": float(anonymity.t_closeness(frame, known, ["n"])) if numbers else None,
                "beta": float(anonymity.basic_beta_likeness(frame, known, ["s"])),
            }
        )
    text = "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n"
    (HERE / "pycanon.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
