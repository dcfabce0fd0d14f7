"""The command line, and the Python, that repeat what was done here."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from discreet.app.work.jobs import KeptLedger

OPTIONS = {
    "policy": "--policy",
    "release": "--out",
    "plan": "--plan",
    "report": "--report",
    "public_report": "--public-report",
}


def ledger_words(ledger: KeptLedger | None, *, new: bool = False) -> list[str]:
    """Return the options that name a ledger; `new`: also that new persons are right."""
    if ledger is None:
        return []
    said = ["--ledger", ledger.path, "--person", ledger.person]
    return [*said, *(["--new-persons"] if new and ledger.new_persons else [])]


def publish_line(ledger: KeptLedger, name: str) -> str:
    """Return the command that lets a draft of a ledger count.

    >>> print(publish_line(KeptLedger("clinic.ledger", "patient"), "r.csv"))
    discreet ledger publish clinic.ledger r.csv
    """
    return shlex.join(["discreet", "ledger", "publish", ledger.path, name])


def arguments(table: str, names: Mapping[str, str], folder: str = "", ledger: KeptLedger | None = None) -> list[str]:
    """Return the command that makes a release with all its files in a folder; it is run in that of the app."""
    said = ["discreet", "protect", table if not table.startswith("-") else f"./{table}"]
    for part, option in OPTIONS.items():
        if part in names:
            said += [option, str(PurePath(folder) / names[part])]
    return said + ledger_words(ledger, new=True)


def command_line(table: str, names: Mapping[str, str], folder: str = "", ledger: KeptLedger | None = None) -> str:
    """Return that command as it is typed.

    >>> print(command_line("my bank.csv", {"policy": "p.yaml", "release": "r.csv"}))
    discreet protect 'my bank.csv' --policy p.yaml --out r.csv
    """
    return shlex.join(arguments(table, names, folder, ledger))


def audit_line(
    table: str, names: Mapping[str, str], folder: str = "", *, shuffled: bool = False, more: Sequence[str] = ()
) -> str:
    """Return the command that attacks a release thoroughly, once its files are written.

    >>> print(audit_line("bank.csv", {"policy": "p.yaml", "release": "r.csv", "plan": "plan.json"}))
    discreet audit r.csv --policy p.yaml --original bank.csv --thorough
    """
    where = {part: str(PurePath(folder) / name) for part, name in names.items()}
    said = ["discreet", "audit", where["release"], "--policy", where["policy"], "--original", table]
    return shlex.join([*said, *(["--plan", where["plan"]] if shuffled else []), *more, "--thorough"])


def python_code(table: str, names: Mapping[str, str], folder: str = "", ledger: KeptLedger | None = None) -> str:
    """Return the same in Python."""
    where = {part: str(PurePath(folder) / name) for part, name in names.items()}
    lines = [
        "from pathlib import Path",
        "",
        "import discreet as d",
        "",
        f"release = d.protect({table!r}, {where['policy']!r}{_in_python(ledger)})",
        "audit = release.attack()",
        f"release.write({where['release']!r})",
    ]
    lines.append(f'Path({where["plan"]!r}).write_text(release.plan.to_json(), encoding="utf-8")  # private')
    if "report" in where:
        lines.append(f'Path({where["report"]!r}).write_text(audit.to_html(), encoding="utf-8")  # private')
        lines.append(f'Path({where["public_report"]!r}).write_text(audit.to_html(public=True), encoding="utf-8")')
    if ledger is not None:
        lines.append(f"d.Ledger({ledger.path!r}).publish({names['release']!r})  # when it is about to be seen")
    return "\n".join(lines) + "\n"


def _in_python(ledger: KeptLedger | None) -> str:
    if ledger is None:
        return ""
    return f", ledger={ledger.path!r}, person={ledger.person!r}" + (", new_persons=True" if ledger.new_persons else "")
