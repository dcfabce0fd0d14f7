"""What a form says: fields and texts, within limits."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

from discreet.errors import InputError

MOST_FIELDS = 5000


class FormSaid:
    """The fields of a form; a field may stand in it several times."""

    def __init__(self, said: Mapping[str, list[str]]) -> None:
        self._said = said

    @classmethod
    def of(cls, body: bytes) -> FormSaid:
        """Read the body of a request."""
        try:
            text = body.decode("utf-8")
            return cls(parse_qs(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
        except ValueError:
            raise InputError("the form cannot be read, or has too many fields") from None

    def one(self, name: str, default: str | None = None) -> str:
        """Return a field that is there once."""
        found = self._said.get(name)
        if not found:
            if default is None:
                raise InputError(f"the form lacks {name!r}; reload the page")
            return default
        return found[-1]

    def all(self, name: str) -> list[str]:
        """Return all that is said in a field."""
        return list(self._said.get(name, ()))

    def has(self, name: str) -> bool:
        """Whether a field is there."""
        return name in self._said

    def number(self, name: str, least: int, most: int) -> int:
        """Return a whole number."""
        text = self.one(name).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 16 and least <= int(text) <= most):
            raise InputError(f"{name}: write a whole number from {least:,} to {most:,}")
        return int(text)
