"""The JavaScript that draws charts: made by vl-convert, which takes seconds, and kept for later in the user's cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

from discreet.errors import InputError


def bundle(page: str, vega_lite: str) -> str:
    """Return the libraries that draw charts of a version of Vega-Lite, with what calls them on a page.

    Of several versions that begin with the one that is asked for, the newest that vl-convert has.
    """
    maker = version("vl-convert-python")
    name = hashlib.sha256("\n".join(("1", maker, vega_lite, page)).encode()).hexdigest()
    kept = _folder() / f"charts-{name}.js"
    text = _read(kept)
    if text is None:
        import vl_convert

        known = [found for found in vl_convert.get_vegalite_versions() if f"{found}.".startswith(f"{vega_lite}.")]
        newest = max(known, key=lambda found: [int(part) for part in found.split(".")], default=vega_lite)
        text = vl_convert.javascript_bundle(page, vl_version=newest)
        _keep(kept, text)
    if "</script" in text.lower() or "<!--" in text:
        raise InputError("the JavaScript of this version of vl-convert cannot be put into a page")
    return text


def _folder() -> Path:
    """Return where this user's programs keep what can be made again."""
    base = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "discreet"


def _read(path: Path) -> str | None:
    """Return what was kept, if it is whole: its first line is the hash of the rest."""
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return text if digest == _digest(text) else None


def _keep(path: Path, text: str) -> None:
    """Keep a text, whole or not at all; where it cannot be written it is made again next time."""
    with contextlib.suppress(OSError, RuntimeError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem)
        try:
            with open(handle, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123 - it is open already
                file.write(f"{_digest(text)}\n{text}")
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
