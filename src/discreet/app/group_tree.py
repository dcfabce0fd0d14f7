"""A value tree while it is edited: values and groups are moved, renamed, put in order and dissolved.

Whatever is done, the result is a taxonomy again (`Taxonomy.from_tree` checks it), or the edit is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from discreet.columns.taxonomy import Taxonomy
from discreet.errors import InputError

ROOT = "*"


@dataclass(eq=False)
class TreeNode:
    """A value, or a group with what is in it."""

    label: str
    children: list[TreeNode] = field(default_factory=list)

    def walk(self) -> Iterator[TreeNode]:
        """Yield the node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> Iterator[str]:
        """Yield the values below it; itself, if it is one."""
        if not self.children:
            yield self.label
        for child in self.children:
            yield from child.leaves()


@dataclass
class GroupTree:
    """A tree that can be edited; the labels of its nodes are all different."""

    root: TreeNode

    @classmethod
    def of(cls, taxonomy: Taxonomy) -> GroupTree:
        """Return a tree to be edited."""
        ((label, inner),) = taxonomy.to_tree().items()
        return cls(_read(label, inner))

    @classmethod
    def flat(cls, values: Sequence[str]) -> GroupTree:
        """Return a tree without groups."""
        taken = set(values)
        root = next(
            name for name in (ROOT, "any", *map("any ({})".format, range(len(values) + 1))) if name not in taken
        )
        return cls(TreeNode(root, [TreeNode(value) for value in values]))

    def taxonomy(self) -> Taxonomy:
        """Return the taxonomy, or say what is wrong."""
        try:
            made = Taxonomy.from_tree({self.root.label: _plain(self.root)})
            made.to_csv()
        except ValueError as error:
            raise InputError(str(error)) from None
        return made

    def node(self, label: str) -> TreeNode:
        """Return a node by its label."""
        for node in self.root.walk():
            if node.label == label:
                return node
        raise InputError("there is no such value or group any more; reload the page")

    def parent(self, label: str) -> TreeNode:
        """Return the group that something is in."""
        for node in self.root.walk():
            if any(child.label == label for child in node.children):
                return node
        raise InputError("the group of all values stays where it is")

    def groups(self) -> list[TreeNode]:
        """Return all groups, that of all values first."""
        return [node for node in self.root.walk() if node.children]

    def move(self, labels: Sequence[str], to: str) -> None:
        """Put values and groups into another group; groups that have nothing in them any more go."""
        group = self.node(to)
        if not group.children:
            raise InputError("values are put into groups, not into other values")
        chosen = self._outermost(labels)
        if any(group is each for node in chosen for each in node.walk()):
            raise InputError("a group cannot be put into itself")
        self._take(chosen, group)
        group.children += chosen

    def gather(self, labels: Sequence[str], name: str) -> None:
        """Put values and groups that are beside each other, or anywhere, into a new group."""
        self._refuse_name(name)
        chosen = self._outermost(labels)
        home = self._common(chosen)
        place = min((home.children.index(node) for node in chosen if node in home.children), default=len(home.children))
        self._take(chosen, home)
        home.children.insert(min(place, len(home.children)), TreeNode(name, chosen))

    def rename(self, label: str, name: str) -> None:
        """Call a group otherwise; a value is called as it is in the table."""
        node = self.node(label)
        if not node.children:
            raise InputError("a value is called as it is in the table; only groups have names of their own")
        if name != label:
            self._refuse_name(name)
            node.label = name

    def dissolve(self, labels: Sequence[str]) -> None:
        """Put what is in some groups where they stood."""
        for label in labels:
            node = self.node(label)
            if not node.children:
                raise InputError("only groups can be dissolved; move values into another group instead")
            home = self.parent(label)
            place = home.children.index(node)
            home.children[place : place + 1] = node.children

    def shift(self, labels: Sequence[str], by: int) -> None:
        """Move something up or down among what it is beside."""
        for label in labels if by < 0 else list(labels)[::-1]:
            home = self.parent(label)
            place = next(n for n, child in enumerate(home.children) if child.label == label)
            to = place + by
            if 0 <= to < len(home.children) and home.children[to].label not in labels:
                home.children.insert(to, home.children.pop(place))

    def add(self, values: Sequence[str]) -> None:
        """Put further values right under the group of all."""
        known = {node.label for node in self.root.walk()}
        self.root.children += [TreeNode(value) for value in values if value not in known]

    def _refuse_name(self, name: str) -> None:
        if not name.strip():
            raise InputError("a group needs a name; write one")
        if any(node.label == name for node in self.root.walk()):
            raise InputError("there is a value or a group of this name already; write another one")

    def _outermost(self, labels: Sequence[str]) -> list[TreeNode]:
        """Return the chosen nodes in the order of the tree, without those inside others that are chosen."""
        if not labels:
            raise InputError("choose at least one value or group")
        wanted = set(labels)
        if self.root.label in wanted:
            raise InputError("the group of all values stays where it is")
        if lost := wanted - {node.label for node in self.root.walk()}:
            raise InputError(f"{len(lost)} of the chosen are not there any more; reload the page")

        def search(node: TreeNode) -> Iterator[TreeNode]:
            for child in node.children:
                if child.label in wanted:
                    yield child
                else:
                    yield from search(child)

        return list(search(self.root))

    def _common(self, chosen: Sequence[TreeNode]) -> TreeNode:
        """Return the smallest group that has all of them, and not only them."""
        home = self.root
        while True:
            inner = next((each for each in home.children if _has_all(each, chosen)), None)
            if inner is None or len(inner.children) <= len(chosen):
                return home
            home = inner

    def _take(self, chosen: Sequence[TreeNode], keep: TreeNode) -> None:
        """Take nodes out of their groups; groups that have lost everything go, but for one."""
        for node in chosen:
            home = self.parent(node.label)
            home.children.remove(node)
            while not home.children and home is not self.root and home is not keep:
                empty, home = home, self.parent(home.label)
                home.children.remove(empty)


def _has_all(group: TreeNode, chosen: Sequence[TreeNode]) -> bool:
    return all(node is not group and any(node is each for each in group.walk()) for node in chosen)


def _read(label: str, inner: object) -> TreeNode:
    if inner is None:
        return TreeNode(label)
    if isinstance(inner, Mapping):
        return TreeNode(label, [_read(str(name), below) for name, below in inner.items()])
    assert isinstance(inner, list)
    return TreeNode(label, [TreeNode(str(value)) for value in inner])


def _plain(node: TreeNode) -> list[object]:
    return [{child.label: _plain(child)} if child.children else child.label for child in node.children]
