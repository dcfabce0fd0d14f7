"""`discreet doctor`: whether the installation is in order, and what it could do besides."""

from __future__ import annotations

from discreet.cli.options import JsonOption
from discreet.cli.reporting import print_json, reporting


def doctor(as_json: JsonOption = False) -> None:
    """Say whether this installation works: versions, extras, Java, Chromium, memory; exit code 2 if it does not.

    It tells neither variables of the environment nor whose home a folder is in: fit for a report of a mistake.

    Example:

    discreet doctor --json
    """
    with reporting(as_json) as state:
        from discreet.assist.health.base import Health
        from discreet.assist.health.examine import examine

        parts = [*examine()]
        works = all(part.health is not Health.BROKEN for part in parts)
        state.code = 0 if works else 2
        if as_json:
            from discreet.version import __version__

            print_json({"discreet": __version__, "works": works, "parts": [part.to_dict() for part in parts]})
        else:
            from discreet.cli.show.doctor import print_health

            print_health(parts)
