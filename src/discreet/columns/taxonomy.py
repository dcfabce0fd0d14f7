"""Value trees: for a column of categories, which groups its values belong to, up to one label for all of them.

A `Taxonomy` is read from a file (`read_taxonomy`) or made from plain data, and never changes. A group with only one
group or value in it covers nothing more than that one, so the two are one node here; no label is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discreet.columns.taxonomy_draft import TaxonomyDraft, quoted
from discreet.columns.taxonomy_file import lines_of, text_of
from discreet.columns.taxonomy_nodes import TaxonomyNode
from discreet.columns.taxonomy_plain import as_label, draft_of
from discreet.common.staging import Staging
from discreet.common.text_file import read_text
from discreet.errors import InputError


@dataclass(frozen=True, repr=False)
class Taxonomy:
    """A value tree; make it with `from_tree`, `from_paths` or `read_taxonomy`, which check it.

    Parameters
    ----------
    leaves
        The values, in the order of the tree.
    nodes
        Groups and leaves in preorder; `nodes[0]` is the root.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_tree({"*": {"Government": ["State-gov", "Local-gov"], "Private": None}})
    >>> taxonomy
    Taxonomy(3 values in 1 group under '*')
    >>> taxonomy.leaves
    ('State-gov', 'Local-gov', 'Private')
    >>> [(node.label, node.first, node.stop) for node in taxonomy.nodes]
    [('*', 0, 3), ('Government', 0, 2), ('State-gov', 0, 1), ('Local-gov', 1, 2), ('Private', 2, 3)]
    """

    leaves: tuple[str, ...]
    nodes: tuple[TaxonomyNode, ...]

    @classmethod
    def from_tree(cls, tree: object) -> Taxonomy:
        """Return the taxonomy written as nested plain data, as in a policy.

        Parameters
        ----------
        tree
            A mapping with one label, the root. Under a label stands a list (of values, or of mappings with more
            labels), a mapping, or nothing (None or "") if the label is a value of the table.

        Raises
        ------
        ValueError
            With all problems, one on each line.

        Examples
        --------
        >>> Taxonomy.from_tree({"*": [{"North": ["Oslo", "Turku"]}, "Rome"]}).leaves
        ('Oslo', 'Turku', 'Rome')
        >>> Taxonomy.from_tree({"*": {"North": ["Oslo"], "South": ["Oslo", "Rome"]}})
        Traceback (most recent call last):
        ValueError: the value 'Oslo' is under 'North' and under 'South'; keep one of the two
        """
        return cls(*draft_of(tree).tree_or(ValueError))

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[object]]) -> Taxonomy:
        """Return the taxonomy of paths from a value to the root, as on the lines of a file for `read_taxonomy`.

        Parameters
        ----------
        paths
            For each value a list: the value, the group it belongs to, the group of that one, ..., the root. They
            may differ in length; equal neighbours are one node; equal paths count once.

        Raises
        ------
        ValueError
            With all problems, one on each line; `line 1` is the first path.

        Examples
        --------
        >>> taxonomy = Taxonomy.from_paths([["Oslo", "North", "*"], ["Rome", "*"], ["Turku", "North", "*"]])
        >>> taxonomy.leaves
        ('Oslo', 'Turku', 'Rome')
        """
        draft = TaxonomyDraft()
        for line, path in enumerate(paths, start=1):
            if isinstance(path, str) or not isinstance(path, Sequence):
                draft.problems.add("lines that are not lists", line, "write a list, from the value up to the root")
                continue
            labels = [as_label(label) for label in path]
            if None in labels:
                draft.problems.add("labels that are not texts", line, "write the labels as texts")
            else:
                draft.add([label for label in labels if label is not None], line)
        return cls(*draft.tree_or(ValueError))

    def to_tree(self) -> dict[str, object]:
        """Return the taxonomy as nested plain data, dropped labels and all: `from_tree` gives an equal one back.

        Examples
        --------
        >>> Taxonomy.from_paths([["Oslo", "North", "*"], ["Rome", "*"], ["Turku", "North", "*"]]).to_tree()
        {'*': {'North': ['Oslo', 'Turku'], 'Rome': None}}
        """
        return dict([self._written(0)])

    def _written(self, position: int) -> tuple[str, object]:
        """The uppermost label of a node and what stands under it."""
        node = self.nodes[position]
        below: object = None
        if node.children:
            pairs = [self._written(child) for child in node.children]
            all_leaves = all(inner is None for _, inner in pairs)
            below = [label for label, _ in pairs] if all_leaves else dict(pairs)
        for label in node.labels[:-1]:
            below = [label] if below is None else {label: below}
        return node.labels[-1], below

    def ancestors(self, value: str) -> tuple[str, ...]:
        """Return the labels from a value itself up to the root, dropped ones too; none if it is not a leaf.

        Examples
        --------
        >>> taxonomy = Taxonomy.from_tree({"*": {"North": ["Oslo", "Turku"], "South": ["Rome"]}})
        >>> taxonomy.ancestors("Oslo"), taxonomy.ancestors("Rome"), taxonomy.ancestors("North")
        (('Oslo', 'North', '*'), ('Rome', 'South', '*'), ())
        """
        labels: tuple[str, ...] = ()
        position = self._position_of.get(value)
        while position is not None:
            node = self.nodes[position]
            labels += node.labels
            position = node.parent
        return labels

    def to_paths(self) -> list[tuple[str, ...]]:
        """Return a path from each value to the root, dropped labels and all: `from_paths` gives an equal one back.

        Examples
        --------
        >>> Taxonomy.from_tree({"*": {"North": ["Oslo", "Turku"], "Rome": None}}).to_paths()
        [('Oslo', 'North', '*'), ('Turku', 'North', '*'), ('Rome', '*')]
        """
        return [self.ancestors(value) for value in self.leaves]

    def to_csv(self) -> str:
        """Return the taxonomy as the text of a file for `read_taxonomy`, which gives an equal one back.

        Raises
        ------
        ValueError
            When some label cannot stand in such a file: it is extremely long, or has a NUL character in it.

        Examples
        --------
        >>> print(Taxonomy.from_tree({"*": {"North": ["Oslo", "Turku"], "Rome": None}}).to_csv(), end="")
        Oslo;North;*
        Turku;North;*
        Rome;*
        """
        return text_of(self.to_paths())

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the taxonomy to a file for `read_taxonomy`, readable by its owner only, whole or not at all.

        Parameters
        ----------
        path
            The file; in a policy it is `taxonomy: FILE`.
        force
            Replace a file that exists.

        Raises
        ------
        InputError
            When the file exists or cannot be written.
        """
        path = Path(path)
        try:
            text = self.to_csv()
        except ValueError as error:
            raise InputError(f"{path}: cannot be written: {error}") from None
        with Staging(force=force) as staging:
            with staging.open(path, private=True) as file:
                file.write(text.encode())
            staging.commit(last=path)

    def missing_from(self, values: Iterable[str]) -> list[str]:
        """Return those of some values that are not leaves, each once, in their order.

        Examples
        --------
        >>> Taxonomy.from_tree({"*": ["Oslo", "Rome"]}).missing_from(["Rome", "rome", "*", "rome"])
        ['rome', '*']
        """
        return [value for value in dict.fromkeys(values) if value not in self._position_of]

    @cached_property
    def _position_of(self) -> dict[str, int]:
        """Where the leaves are among the nodes."""
        return {node.label: position for position, node in enumerate(self.nodes) if not node.children}

    def __str__(self) -> str:
        groups = max(len(self.nodes) - len(self.leaves) - 1, 0)
        inside = f" in {_counted(groups, 'group')}" if groups else ""
        return f"{_counted(len(self.leaves), 'value')}{inside} under {quoted(self.nodes[0].labels[-1])}"

    def __repr__(self) -> str:
        return f"Taxonomy({self})"


def read_taxonomy(path: str | Path) -> Taxonomy:
    """Return the taxonomy in a text file with one line for each value: the value, its group, ..., the root.

    This is the form of ARX's hierarchies: no header; separated by ; , tab or | (found out); labels may be quoted;
    lines may differ in length, but none may end with empty cells; blank lines and repeated lines do not matter.

    Parameters
    ----------
    path
        A file in UTF-8.

    Raises
    ------
    InputError
        With all problems, one on each line, with file and line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "city.csv")
    ...     _ = file.write_text("Oslo;North;*\\nTurku;North;*\\nRome;*\\n", encoding="utf-8")
    ...     taxonomy = read_taxonomy(file)
    >>> print(taxonomy)
    3 values in 1 group under '*'
    """
    path = Path(path)
    text = read_text(path, "taxonomy")
    draft = TaxonomyDraft()
    for line, row in lines_of(text, draft.problems):
        draft.add(row, line)
        if draft.is_too_large:
            break
    return Taxonomy(*draft.tree_or(InputError, str(path)))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
