"""A list of releases, each with the policy that it shall keep: what pipelines verify."""

from __future__ import annotations

import sys
from pathlib import Path

from pydantic import Field, ValidationError

from discreet.errors import InputError, PolicyError, Problem
from discreet.policy.mistakes import PARTS, problems_of
from discreet.policy.part import Part
from discreet.policy.places import PolicySource
from discreet.policy.read import read_yaml
from discreet.table.formats.place import Address, place_of

FIX = "is no list of releases; write '- {release: release.csv, policy: policy.yaml}', a line for each"
INPUT = "standard input"


class ListedRelease(Part):
    """A release that shall be verified, and with what; names of files are relative to that of the list."""

    release: str = Field(min_length=1)
    policy: str = Field(min_length=1)
    original: str | None = None
    plan: str | None = None
    population: str | None = None
    partial: bool = False


class ReleaseList(Part):
    """The releases of a list."""

    releases: tuple[ListedRelease, ...]


PARTS[ReleaseList] = PARTS[ListedRelease] = lambda _: ListedRelease  # by their numbers


def read_list(path: str) -> tuple[ListedRelease, ...]:
    """Return the releases in a file of YAML or JSON, or `-` for standard input; their names as seen from here."""
    name, folder = (INPUT, Path()) if path == "-" else (path, Path(path).parent)
    data, lines, mistakes = read_yaml(_text(path), name)
    if isinstance(data, list):
        data, lines = {"releases": data}, {("releases", *place): line for place, line in lines.items()}
    if not isinstance(data, dict) or not data.get("releases"):
        raise PolicyError([*mistakes, Problem("", FIX, name)])
    source = PolicySource(name, lines)
    if not isinstance(data["releases"], list) or not all(isinstance(each, dict) for each in data["releases"]):
        raise PolicyError([*mistakes, source.problem(("releases",), FIX)])
    try:
        found = ReleaseList.model_validate(data)
    except ValidationError as error:
        mistakes += problems_of(error, ReleaseList, source)
    if mistakes:
        raise PolicyError(sorted(mistakes, key=lambda problem: problem.line or 0))
    return tuple(_from_here(each, folder) for each in found.releases)


def _from_here(listed: ListedRelease, folder: Path) -> ListedRelease:
    """Return the same with names of files as they are called in the present folder."""
    names = {
        name: said if isinstance(place_of(said), Address) else str(folder / said)
        for name, said in listed.model_dump(include={"release", "policy", "original", "plan", "population"}).items()
        if said is not None
    }
    return listed.model_copy(update=names)


def _text(path: str) -> str:
    """Return the text of a list."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such list of releases; {FIX.partition('; ')[2]}") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, not a list of releases") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise InputError(f"{path!r}: is not the name of a file") from None
