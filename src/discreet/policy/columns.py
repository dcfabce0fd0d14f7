"""What the owner says of single columns: left out or kept, and how their values may be made coarser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from discreet.columns.scale import Dates, Numbers, Scale, day_form, tells_days
from discreet.columns.taxonomy import Taxonomy, read_taxonomy
from discreet.errors import InputError
from discreet.policy.matrices import Amounts, Weight
from discreet.policy.part import Part, Text

_TREE = {
    "anyOf": [
        {"type": "string", "description": "a CSV file (value;group;...;root on each line), relative to the policy"},
        {"type": "object", "description": "the tree itself: {root: {group: [value, value], value: null}}"},
    ]
}


def _taxonomy(value: object, info: ValidationInfo) -> object:
    if isinstance(value, Mapping):
        return Taxonomy.from_tree(value)
    if not isinstance(value, (str, Path)):
        return value
    folder = (info.context or {}).get("folder", Path())
    try:
        return read_taxonomy(Path(folder) / value)
    except InputError as error:
        raise ValueError(str(error)) from None


class Column(Part):
    """What is to be known about one column beyond what `use` and `protect` say of it.

    Examples
    --------
    >>> Column(type="number", ends=[18, 65]).scale.name
    'number'
    """

    role: Literal["identifier", "other"] | None = Field(
        default=None, description="identifier: left out of the release; other: goes out unchanged, on purpose"
    )
    release: Literal["token"] | None = Field(
        default=None,
        description="token: an identifier is released as a random token, the same for equal ones (with unit)",
    )
    type: Literal["category", "number", "date"] = Field(
        default="category", description="numbers and dates are released as intervals, categories as themselves or not"
    )
    taxonomy: Annotated[
        Taxonomy | None,
        BeforeValidator(_taxonomy),
        PlainSerializer(lambda tree: None if tree is None else tree.to_tree()),
        WithJsonSchema(_TREE),
    ] = Field(default=None, description="the groups a value may be released as: a CSV file, or the tree itself")
    ends: tuple[Text, ...] | None = Field(
        default=None,
        description="where intervals may begin; between any two values when absent",
    )
    labels: tuple[str, ...] | None = Field(
        default=None, description="names of the intervals between the ends, one more than there are ends"
    )
    form: Literal["interval", "label", "median", "set"] | None = Field(
        default=None,
        description="interval: [30-39]; label: by their names; median: a typical value, the intervals in a file "
        "beside; set: categories as {clerk, cook} too (only with recoding: local)",
    )
    open_ends: bool = Field(
        default=True, description="write the outermost intervals as <18 and >=65, so that no extreme value is told"
    )
    top: Text = Field(
        default=None, description="this value and all above are only released together, as >=85 or something wider"
    )
    bottom: Text = Field(
        default=None, description="this value and all below are only released together, as <=18 or something wider"
    )
    date_format: str | None = Field(
        default=None, description="how dates are written, such as %d.%m.%Y; a time is taken by its day"
    )
    weight: Weight = Field(
        default=Fraction(1),
        description="how much its loss of detail counts beside that of the other columns",
        json_schema_extra={"not": {"const": 0}},
    )
    losses: Amounts = Field(
        default=None,
        description="how bad it is not to tell a value from another: a CSV file, or {VALUE: {OTHER: 2.5}}",
    )

    _decimal: str = PrivateAttr(default=".")

    @model_serializer(mode="wrap")
    def _only_what_was_said(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out defaults: some may only be said of numbers."""
        said: dict[str, Any] = plain(self)
        return {name: value for name, value in said.items() if name in self.model_fields_set}

    @property
    def scale(self) -> Scale | None:
        """How the values are put in order; None for categories."""
        if self.type == "category":
            return None
        return Numbers(self._decimal) if self.type == "number" else Dates(self.date_format)

    @property
    def decimal(self) -> str:
        """What stands before the decimals of its numbers in the table."""
        return self._decimal

    def written_with(self, decimal: str) -> Column:
        """Return the same column, with another sign before the decimals of its numbers in the table."""
        if decimal == self._decimal:
            return self
        copy = self.model_copy()
        copy._decimal = decimal
        return copy

    @property
    def end_points(self) -> tuple[Decimal, ...] | None:
        """The `ends` as values."""
        scale = self._own_scale
        if self.ends is None or scale is None:
            return None
        return tuple(value for value in map(scale.read, self.ends) if value is not None)

    @property
    def tails(self) -> tuple[Decimal | None, Decimal | None]:
        """The `bottom` and the `top` as values: what lies up to the one and from the other on is told together."""
        scale = self._own_scale
        return (None, None) if scale is None else (scale.read(self.bottom), scale.read(self.top))

    @property
    def _own_scale(self) -> Scale | None:
        """How the policy's own values are read: its decimals come after a point, whatever they do in the table."""
        return Numbers() if self.type == "number" else self.scale

    @property
    def day_format(self) -> str | None:
        """How days are written in a release: the date format without a time; None for 2024-01-31."""
        return None if self.date_format is None else day_form(self.date_format)

    @property
    def coarsens(self) -> bool:
        """Whether it says anything about how values may be made coarser."""
        return self.type != "category" or self.taxonomy is not None or self.form == "set"

    @property
    def released_form(self) -> str:
        """The form in which intervals are released."""
        return self.form or ("label" if self.labels else "interval")

    @property
    def whole_is_marker(self) -> bool:
        """Whether the interval of all numbers is released as the marker."""
        return self.open_ends or self.released_form != "interval"

    @model_validator(mode="after")
    def _says_something(self) -> Column:
        if not self.model_fields_set:
            raise ValueError("says nothing; write a role, a type, a taxonomy or a weight")
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> Column:
        if self.role is not None and self.coarsens:
            raise ValueError(f"role: a column with the role {self.role} is not made coarser; drop one of the two")
        if self.release is not None and self.role != "identifier":
            raise ValueError("release: only an identifier is released as a token; write role: identifier")
        if self.taxonomy is not None and self.type != "category":
            raise ValueError(f"taxonomy: a {self.type} is cut into intervals; drop the taxonomy or the type")
        if self.type == "category":
            for name in ("ends", "labels", "form", "top", "bottom", "date_format"):
                if getattr(self, name) not in (None, "set"):
                    raise ValueError(f"{name}: only numbers and dates have it; write type: number")
            if "open_ends" in self.model_fields_set:
                raise ValueError("open_ends: only numbers and dates have it; write type: number")
        elif self.form == "set":
            raise ValueError(f"form: a {self.type} is cut into intervals; only categories have sets")
        if self.date_format is not None and self.type != "date":
            raise ValueError("date_format: only dates have it; write type: date")
        if self.date_format is not None and not tells_days(self.date_format):
            raise ValueError("date_format: must tell day, month and year (four digits) in a row, such as %d.%m.%Y")
        return self

    @model_validator(mode="after")
    def _labels_are_no_sets(self) -> Column:
        if self.form == "set" and self.taxonomy is not None:
            labels = {label for node in self.taxonomy.nodes for label in node.labels} | set(self.taxonomy.leaves)
            if any(map(reads_like_a_set, labels)):
                raise ValueError("form: a label of the taxonomy reads like a set, {...}; rename it, or drop the form")
        return self

    @model_validator(mode="after")
    def _losses_fit(self) -> Column:
        if not self.weight:
            raise ValueError("weight: must be more than 0; leave the column out of every requirement instead")
        if self.losses is None:
            return self
        if self.taxonomy is None:
            raise ValueError("losses: need a taxonomy, whose values they compare")
        if strange := self.losses.values_named() - set(self.taxonomy.leaves):
            raise ValueError(f"losses: {min(strange)!r} is no value of the taxonomy")
        return self

    @model_validator(mode="after")
    def _ends_ascend(self) -> Column:
        if self.ends is None or self.scale is None:
            return self
        values = self.end_points or ()
        if not values or len(values) < len(self.ends):
            example = "[18, 30, 45, 65]" if self.type == "number" else "[2000-01-01, 2010-01-01]"
            raise ValueError(f"ends: write {self.type}s in ascending order, such as {example}")
        if any(one >= other for one, other in pairwise(values)):
            raise ValueError("ends: write them in ascending order, each once")
        return self

    @model_validator(mode="after")
    def _tails_fit(self) -> Column:
        said = [name for name in ("top", "bottom") if name in self.model_fields_set]
        if not said or self.scale is None:
            return self
        bottom, top = self.tails
        for name, value in (("top", top), ("bottom", bottom)):
            if name in said and value is None:
                example = {
                    "number": {"top": "85", "bottom": "18"},
                    "date": {"top": "2020-01-01", "bottom": "1950-12-31"},
                }
                raise ValueError(f"{name}: write a {self.type}, such as {example[self.type][name]}")
        if not self.open_ends:
            raise ValueError(
                f"open_ends: false tells the extreme values, which {said[0]} keeps back; drop one of the two"
            )
        if top is not None and bottom is not None and bottom >= top:
            raise ValueError("bottom: must be less than top, or nothing could be told apart")
        for end in self.end_points or ():
            if top is not None and end > top:
                raise ValueError(
                    "ends: one is more than top, and nothing above that is told apart; drop one of the two"
                )
            if bottom is not None and end <= bottom:
                raise ValueError(
                    "ends: one is not above bottom, and nothing up to that is told apart; drop one of the two"
                )
        return self

    @model_validator(mode="after")
    def _labels_fit(self) -> Column:
        if self.form == "label" and self.labels is None:
            raise ValueError("labels: are missing; write one name for each interval between the ends")
        if self.labels is None:
            return self
        if self.ends is None or len(self.labels) != len(self.ends) + 1:
            raise ValueError(
                "labels: write one more than there are ends: below the first, between them, above the last"
            )
        if self.form not in (None, "label"):
            raise ValueError(f"labels: are not shown with form: {self.form}; drop one of the two")
        if len(set(self.labels)) < len(self.labels) or not all(self.labels):
            raise ValueError("labels: each must be a text of its own")
        if set(self.labels) & self._spans():
            raise ValueError("labels: one reads like several of the others, 'FIRST to LAST'; choose another")
        return self

    def _spans(self) -> set[str]:
        """The texts of several neighbouring labels."""
        labels = self.labels or ()
        return {f"{one} to {other}" for place, one in enumerate(labels) for other in labels[place + 1 :]}

    def may_release(self, text: str) -> bool:
        """Whether a text could be released for other values than the one that has it, or be read as a number."""
        if text in self.released_labels():
            return self.taxonomy is None or text not in self.taxonomy.leaves
        if text in self._spans() or (self.form == "set" and reads_like_a_set(text)):
            return True
        return self.scale is not None and (self.scale.read(text) is not None or _reads_like_an_interval(text))

    def released_labels(self) -> set[str]:
        """The texts of its own that the column may be released with, but for the root of its taxonomy."""
        if self.taxonomy is not None:
            return {node.label for node in self.taxonomy.nodes[1:]} | set(self.taxonomy.leaves)
        return set(self.labels or ())


def _reads_like_an_interval(text: str) -> bool:
    """Whether a text begins as intervals do, whoever wrote them."""
    return text.startswith(("<", ">", "≤", "≥", "[")) or re.fullmatch(r"[\](].*,.*[\])[]", text) is not None


def reads_like_a_set(text: str | None) -> bool:
    """Whether a text stands in braces, as released sets do."""
    return text is not None and text.startswith("{") and text.endswith("}")


def as_columns(value: Any) -> Any:
    """Accept a blank `columns` as none."""
    return {} if value is None else value


PLAIN = Column(type="category")
"""A column of which nothing is said."""
