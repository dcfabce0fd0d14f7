"""A draft as YAML, with a comment for each choice."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from discreet.assist.drafting.choices import DraftParts
from discreet.assist.drafting.columns import Said
from discreet.assist.drafting.looks import ColumnLook
from discreet.assist.drafting.presets import PRESETS
from discreet.assist.drafting.promises import DraftedPromise
from discreet.columns.taxonomy import Taxonomy
from discreet.fit.persons import repeated
from discreet.policy.spelling import yaml_name
from discreet.table.local import LocalEngine
from discreet.version import __version__

FEW_VALUES = 3
"""Values of a category that need no groups."""


@dataclass(frozen=True)
class Sketch:
    """All that a draft is going to say."""

    name: str
    """What the table is called."""
    source: LocalEngine
    looks: tuple[ColumnLook, ...]
    parts: DraftParts
    promises: tuple[DraftedPromise, ...]
    said: Mapping[str, Said]
    """What is said of columns that are made coarser, or are secret numbers."""
    shared: tuple[tuple[str, int, int], ...]
    """Identifiers that several rows share: name, rows, different ones."""
    unit: str | None
    rows_known: bool
    """Whether somebody is supposed to know how many rows a person has."""
    decimal: str
    files: Mapping[str, str] | None
    """The names of files for trees, by column; None where none are written."""
    marker: str | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def trees(self) -> dict[str, Taxonomy]:
        """The trees to be written, by the names of their files."""
        if self.files is None:
            return {}
        return {self.files[name]: said.tree for name, said in self.said.items() if said.tree is not None}

    @property
    def people(self) -> str:
        """What promises count."""
        return "rows" if self.unit is None else "persons"

    def text(self) -> str:
        """Return the draft as YAML with comments."""
        lines = [
            *self._head(),
            *self._promises(),
            *self._unit(),
            "",
            *self._columns(),
            "",
            *self._missing(),
            *self._rest(),
            *self._file(),
        ]
        return "\n".join(lines).rstrip() + "\n"

    def _head(self) -> Iterator[str]:
        rows = f"{self.source.rows} rows, {len(self.source.columns)} columns"
        parts = self.parts
        yield f"# A policy for {_line(self.name)} ({rows}), drafted by discreet {__version__}."
        yield "# Everything here is a guess with its reason beside it: read it through, and change what is wrong."
        others = " or ".join(
            f"{name} ({preset.words})" for name, preset in PRESETS.items() if name != parts.preset_name
        )
        yield f"# As strict as for {parts.preset_name} ({parts.preset.words}); --preset takes"
        yield f"# {others}."
        yield ""
        yield "# What the release is for: general (least loss), counts (fewest hidden cells), {classify: COLUMN} or"
        yield "# {regress: COLUMN} to keep a column predictable."
        yield "use: general"
        yield ""

    def _promises(self) -> Iterator[str]:
        parts = self.parts
        known = ", ".join(map(_line, parts.known))
        yield f"# Somebody is supposed to know {known} of a person;"
        yield f"# together these single out {parts.unique:.0%} of the rows. Add what else can be known (--known)."
        if not any(promise.secret for promise in self.promises):
            yield "# No column looks like a secret, so nothing is promised of what can be inferred: name one"
            yield "# (--secret)."
        others = [look for look in self.looks if look.why_secret and look.name not in {*parts.known, *parts.secrets}]
        if others:
            yield f"# Could be secrets too (--secret): {', '.join(_line(look.name) for look in others)}."
        yield "protect:"
        for promise in self.promises:
            yield from promise.lines(parts.known, self.people)

    def _unit(self) -> Iterator[str]:
        """Yield whose rows are whose."""
        if not self.shared:
            return
        yield ""
        yield "# Whose row it is, where somebody has several."
        for name, rows, different in self.shared:
            if self.unit is None:
                yield f"# Beware: {' '.join(repeated(name, rows, different).split())}."
            off = "" if name == self.unit else "#"
            about = f"{rows} rows of {different}: promises count them, not rows"
            unit, unknown = yaml_name(name), ""
            if not self.rows_known:
                unit, unknown = f"{{id: {unit}, rows: unknown}}", "; nobody is to know how many rows each has"
            yield f"{off}unit: {unit}    # {about}{unknown}"

    def _columns(self) -> Iterator[str]:
        yield "# identifier: left out of the release. other: goes out unchanged, on purpose."
        yield "columns:"
        by_name = {look.name: look for look in self.looks}
        for name, why in self.parts.identifiers.items():
            yield f"  {yaml_name(name)}: {{role: identifier}}    # {why} ({by_name[name].kind})"
        for name in self.parts.known:
            yield self._known(by_name[name])
        for name, said in self.said.items():
            if said.secret:
                yield f"  {yaml_name(name)}: {said.fields}    # a secret, {said.reason}"
        used = {*self.parts.identifiers, *self.parts.known, *self.parts.secrets}
        for look in self.looks:
            if look.name not in used:
                yield f"#  {yaml_name(look.name)}: {{role: other}}    # neither known nor secret? {look.values}"

    def _known(self, look: ColumnLook) -> str:
        """Return what is said of a column that is known."""
        told = f"supposed to be known; {look.values}"
        said = self.said.get(look.name)
        if said is not None and said.tree is None:
            return f"  {yaml_name(look.name)}: {said.fields}    # {told}; {said.reason}"
        if said is not None and self.files is not None:
            file = yaml_name(self.files[look.name])
            return f"  {yaml_name(look.name)}: {{taxonomy: {file}}}    # {told}; {said.reason}"
        name = _line(look.name)
        if said is not None or look.has_tree:
            command = taxonomy_command(self.name, look.name)
            return f"# {name}: {told}; each is told or hidden (`{command}` groups them; so does init with --out)"
        if look.wants_groups:
            order = f"if they have an order, --order {name}=FIRST,...,LAST groups them"
            return f"# {name}: {told}; each is told or hidden; {order}"
        groups = "; a taxonomy would let them be told as groups" if look.distinct > FEW_VALUES else ""
        return f"# {name}: {told}; each is told or hidden{groups}"

    def _missing(self) -> Iterator[str]:
        """Yield what is to be said of missing values: for the owner to choose, unless they would not fit."""
        signs = signs_of(self.looks)
        if not signs:
            return
        told = ", ".join(
            f"{count} cells {'are empty' if sign == '' else f'hold {json.dumps(sign)}'}"
            for sign, count in signs.items()
        )
        needed = signs_of([look for look in self.looks if look.name in self.said])
        values = ", ".join(json.dumps(sign) for sign in needed or signs)
        yield f"# {told}. drop leaves such rows out; value and unknown keep them."
        yield (
            f"missing: {{values: [{values}], rows: value}}"
            if needed
            else f"#missing: {{values: [{values}], rows: drop}}"
        )
        yield ""

    def _rest(self) -> Iterator[str]:
        if self.marker is not None:
            yield "# What stands in the place of a hidden value: the usual * is a value of the table."
            yield f"marker: {json.dumps(self.marker)}"
            yield ""
        if self.parts.preset.shuffle:
            yield "# The order of the rows may tell who is who."
            yield "shuffle: true"
            yield ""

    def _file(self) -> Iterator[str]:
        dialect = self.source.form.dialect
        if dialect is None:
            return
        encoding = "" if dialect.encoding.lower().replace("-", "") == "utf8" else f", encoding: {dialect.encoding}"
        header = "true" if dialect.header else "false"
        numbers = ', decimal: ","' if self.decimal == "," else ""
        yield "# As found in the file."
        yield f"file: {{separator: {json.dumps(dialect.separator)}, header: {header}{encoding}{numbers}}}"


def signs_of(looks: Sequence[ColumnLook]) -> dict[str, int]:
    """Return the signs of missing values, with the cells that have each."""
    signs: dict[str, int] = {}
    for look in looks:
        for sign, count in look.missing.items():
            signs[sign] = signs.get(sign, 0) + count
    return signs


def taxonomy_command(table: str, column: str, out: str | None = None) -> str:
    """Return the command that proposes a taxonomy for a column, and may write it to a file."""
    return _line(shlex.join(["discreet", "taxonomy", table, column, *(() if out is None else ("--out", out))]))


def file_names(stem: str, columns: Sequence[str]) -> dict[str, str]:
    """Return names of files for the trees of some columns, beside the file of a policy.

    >>> file_names("draft", ["PLZ", "Ort (2)", "Ort_2_"])
    {'PLZ': 'draft-PLZ.csv', 'Ort (2)': 'draft-Ort_2_.csv', 'Ort_2_': 'draft-Ort_2_-2.csv'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = re.sub(r"\W+", "_", column)[:40] or "column"
        names = (f"{stem}-{plain}.csv", *(f"{stem}-{plain}-{number}.csv" for number in range(2, len(columns) + 2)))
        found[column] = next(name for name in names if name.casefold() not in taken)
        taken.add(found[column].casefold())
    return found


def _line(text: str) -> str:
    """Return a text that stays on its line of a comment."""
    return " ".join(text.split()) if text.isprintable() else json.dumps(text)
