"""How far a command is, shown on a terminal while it works."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.common.showing import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.common.watch import Progress

COMPILING = (
    "discreet: compiling for this machine, the first time something as large is asked of it; it is kept for later"
)


@contextlib.contextmanager
def show_progress(quiet: bool, *, expected: bool = False) -> Iterator[Callable[[Progress], None] | None]:
    """Show progress on a terminal; nothing when the output is piped or JSON, but how long it takes if `expected`.

    That something is compiled for more than a second is said, once, unless it is to be quiet.
    """
    if quiet or not sys.stderr.isatty():
        with contextlib.nullcontext() if quiet else _telling(lambda: print(COMPILING, file=sys.stderr)):
            yield _say_expected if expected else None
        return
    from rich.console import Console

    from discreet.cli.show.measures import how_far

    to = Console(stderr=True)
    with _telling(lambda: to.print(COMPILING)), to.status("starting") as status:

        def say(progress: Progress) -> None:
            detail = ""
            if expected:
                _say_expected(progress)
            if progress.stage in ("cells", "attack") and progress.left:
                detail = f": {progress.disclosed} done, {progress.left} left"
            elif progress.left:
                detail = f": {progress.disclosed} done, {progress.left} to try, {progress.detail:.0%} of the detail"
                if progress.bound is not None:
                    detail = f": {progress.disclosed} sets of cuts looked at, {progress.left} to look at"
                    detail += f"; {how_far(progress.bound)}, {progress.detail:.0%} of the detail"
                detail += f" shown, {progress.seconds:.0f} s (Ctrl-C takes what there is)"
            status.update(f"{STAGES[progress.stage]}{detail}")

        yield say


@contextlib.contextmanager
def _telling(tell: Callable[[], None]) -> Iterator[None]:
    from discreet.common.compiled import tell_when_compiling

    tell_when_compiling(tell)
    try:
        yield
    finally:
        tell_when_compiling(None)


def _say_expected(progress: Progress) -> None:
    """Say once how long all attacks take."""
    if progress.stage == "attack" and progress.expected is not None and not (progress.disclosed or progress.seconds):
        minutes, seconds = divmod(round(progress.expected), 60)
        about = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        print(f"{progress.left} attacks, about {about} (Ctrl-C leaves out the rest)", file=sys.stderr, flush=True)
