"""The house in figures: rooms, imports, long modules, names. Run in the root of the project.

python tools/house.py           the figures
python tools/house.py --rooms   every module with the first line of what it says of itself
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

SOURCE = Path("src") / "discreet"
ORDER: tuple[tuple[str, ...], ...] = (
    ("errors", "version", "encoded", "chance", "common"),
    ("columns",),
    ("policy",),
    ("plan",),
    ("table",),
    ("ledger",),
    ("fit",),
    ("adversary",),
    ("method",),
    ("planning",),
    ("verification",),
    ("compare",),
    ("measure",),
    ("attack",),
    ("audit",),
    ("writing",),
    ("release",),
    ("pipeline",),
    ("assist",),
    ("cli",),
    ("app",),
    ("__init__", "__main__"),
)
"""The rooms in the order of the data: a module may import those of its own room and of rooms before it."""
LONG, LONG_KERNELS = 400, 600
KINDS = re.compile(
    r"isinstance\([^)]*\b(Template|KAnonymity|LDiversity|Crowd|Inference|Diversity|GroupPromise|Confidential)\b"
    r"|\b(Crowd|Inference|Diversity)\.kind\b"
)
MAY_ASK = re.compile(r"policy\.(requirements\b|model$)")
"""Where it may be asked of which kind a promise is: in the files of the promises, and where a policy tells those about
groups from those about cells."""


@dataclass(frozen=True)
class Module:
    """One module of the package: its name without the package's, and its text."""

    name: str
    text: str
    is_package: bool

    @cached_property
    def tree(self) -> ast.Module:
        """What Python reads in it."""
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        """The folder, or the module of the root, that it stands in."""
        return self.name.split(".")[0]

    @property
    def lines(self) -> int:
        """How long it is."""
        return self.text.count("\n")

    @property
    def is_long(self) -> bool:
        """Whether it is longer than a module should be."""
        return self.lines > (LONG_KERNELS if "kernel" in self.name else LONG)

    @property
    def classes(self) -> Iterator[str]:
        """The names of its classes, without a leading underscore."""
        return (node.name.lstrip("_") for node in self.tree.body if isinstance(node, ast.ClassDef))


def modules(source: Path = SOURCE) -> dict[str, Module]:
    """Return all modules by their names: `method.cuts.exact`, and `method.cuts` for the package itself."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        is_package = parts[-1] == "__init__" and len(parts) > 1
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = Module(name, path.read_text(encoding="utf-8"), is_package)
    return found


def imports(module: Module, known: dict[str, Module]) -> set[str]:
    """Return the modules that one imports, at its top or in a function; not what only type checkers read."""
    found = set()
    ahead: list[ast.AST] = [module.tree]
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            ahead.extend(node.orelse)
            continue
        if not isinstance(node, ast.expr):
            ahead.extend(ast.iter_child_nodes(node))
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        for name in names:
            here = name.removeprefix("discreet.") if name.startswith("discreet.") else ""
            while here and here not in known:
                here = here.rpartition(".")[0]
            if here and here != module.name:
                found.add(here)
    return found


def asks_for_kinds(known: dict[str, Module]) -> list[str]:
    """Return the modules that ask of which kind a promise is, and have no business to."""
    return [name for name, module in known.items() if not MAY_ASK.search(name) and KINDS.search(module.text)]


def cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that import each other, however far around."""
    reach = {name: _reachable(name, graph) for name in graph}
    found: list[set[str]] = []
    for name in graph:
        ring = {other for other in reach[name] if name in reach[other]} | {name}
        if len(ring) > 1 and ring not in found:
            found.append(ring)
    return found


def _reachable(name: str, graph: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        for other in graph[ahead.pop()] - seen:
            seen.add(other)
            ahead.append(other)
    return seen


def out_of_order(graph: dict[str, set[str]], known: dict[str, Module]) -> list[tuple[str, str]]:
    """Return where a module imports one of a room further on."""
    place = {room: number for number, rooms in enumerate(ORDER) for room in rooms}
    return [
        (name, other)
        for name, others in graph.items()
        for other in sorted(others)
        if place[known[other].room] > place[known[name].room]
    ]


def figures() -> Iterator[str]:
    """Yield the figures, a line each."""
    known = modules()
    graph = {name: imports(module, known) for name, module in known.items()}
    rings = cycles(graph)
    long = sorted((module for module in known.values() if module.is_long), key=lambda module: -module.lines)
    asking = asks_for_kinds(known)
    twice = {name: n for name, n in Counter(c for m in known.values() for c in m.classes).items() if n > 1}
    comments = sum(len(re.findall(r"^\s*#|  # (?!type:|noqa)", module.text, re.M)) for module in known.values())
    yield f"modules in the root: {sum('.' not in name and not m.is_package for name, m in known.items())}"
    yield f"modules in an import cycle: {sum(map(len, rings))}"
    yield f"imports against the order of the rooms: {len(out_of_order(graph, known))}"
    yield f"modules over {LONG} lines ({LONG_KERNELS} for kernels): {len(long)}"
    yield f"longest module: {max(m.lines for m in known.values() if 'kernel' not in m.name)} lines"
    yield f"longest file of kernels: {max(m.lines for m in known.values() if 'kernel' in m.name)} lines"
    yield f"modules that ask for the kind of a promise: {len(asking)}"
    yield f"class names used more than once: {len(twice)}"
    yield f"comments: {comments}"
    yield f"lines: {sum(m.lines for m in known.values())} in {len(known)} modules"
    yield from (f"  cycle: {', '.join(sorted(ring))}" for ring in rings)
    yield from (f"  long: {module.name}, {module.lines} lines" for module in long)
    yield from (f"  asks: {name}" for name in asking)
    yield from (f"  twice: {name}, {n} times" for name, n in sorted(twice.items()))


def rooms() -> Iterator[str]:
    """Yield every module with the first line of what it says of itself, room by room."""
    known = modules()
    place = {room: number for number, several in enumerate(ORDER) for room in several}
    for name in sorted(known, key=lambda name: (place[known[name].room], name)):
        first = (ast.get_docstring(known[name].tree) or "").partition("\n")[0]
        yield f"{'  ' * name.count('.')}{name.rpartition('.')[2]}{'/' if known[name].is_package else ''}: {first}"


if __name__ == "__main__":
    sys.stdout.write("\n".join(rooms() if sys.argv[1:] == ["--rooms"] else figures()) + "\n")
