"""All of an installation examined, one part after the other; a part that cannot be examined is doubtful, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from discreet.assist.health import machine
from discreet.assist.health.base import Examined, Health
from discreet.assist.health.packages import ITSELF, NEEDED, packages, small_job

PARTS: tuple[tuple[str, str, Callable[[], Examined]], ...] = (
    (machine.MACHINE, "system", machine.system),
    (machine.MACHINE, "memory", machine.memory),
    (machine.MACHINE, "scratch files", machine.scratch),
    (machine.MACHINE, "compiled loops", machine.kernels),
    (machine.MACHINE, "output", machine.output),
    (machine.PROGRAMS, "Java", machine.java),
    (machine.PROGRAMS, "Chromium", machine.browser),
)


def examine() -> Iterator[Examined]:
    """Yield what is found about every part."""
    yield from _safely(NEEDED, "packages", Health.BROKEN, packages)
    yield from _safely(ITSELF, "a small job", Health.BROKEN, lambda: [small_job()])
    for part, name, look in PARTS:
        yield from _safely(part, name, Health.DOUBTFUL, lambda look=look: [look()])  # type: ignore[misc]


def _safely(part: str, name: str, otherwise: Health, look: Callable[[], Iterable[Examined]]) -> Iterator[Examined]:
    """Yield what somebody finds; that it could not be found out where that fails."""
    try:
        yield from look()
    except Exception as error:
        yield Examined(part, name, otherwise, f"could not be examined ({type(error).__name__})")
