"""Notebooks run without Jupyter: their cells one after another, and what each would show.

Our notebooks are plain Python (no magic), so a namespace and the last expression of each cell are all that is needed:
no kernel to start, no further packages. `python -m tests.notebooks` writes what was shown into them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

FOLDER = ROOT / "examples"


def executed(path: Path) -> dict[str, Any]:
    """Return a notebook with what its cells show when they are run in its folder."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    space: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    with contextlib.chdir(path.parent):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"] = number
                cell["outputs"] = _run("".join(cell["source"]), space, number)
    return notebook


def _run(source: str, space: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    expression = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    if expression is not None:
        del tree.body[-1]
    told = io.StringIO()
    outputs: list[dict[str, Any]] = []
    with contextlib.redirect_stdout(told):
        exec(compile(tree, f"cell {number}", "exec"), space)
        shown = None if expression is None else eval(compile(expression, f"cell {number}", "eval"), space)
    if told.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": told.getvalue().splitlines(keepends=True)})
    if shown is not None:
        outputs.append(
            {"data": _data(shown), "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def _data(shown: object) -> dict[str, list[str]]:
    make = getattr(shown, "_repr_html_", None)
    html = {} if make is None else {"text/html": make().splitlines(keepends=True)}
    return {**html, "text/plain": repr(shown).splitlines(keepends=True)}


def written(notebook: dict[str, Any]) -> str:
    """Return a notebook as the text of its file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    os.environ.setdefault("TERM", "dumb")
    for each in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(FOLDER.glob("*.ipynb")):
        each.write_text(written(executed(each)), encoding="utf-8")
