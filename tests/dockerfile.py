"""A Dockerfile as tests read it, and its steps carried out in a folder that stands for the image."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

INSIDE = ("/source", "/opt/discreet", "/var/cache/discreet", "/data")
"""The folders of the image."""


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction with what it says, lines that go on put together."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    whole = re.sub(r"\\\n\s*", " ", lines)
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in whole.splitlines() if line.strip()]


def stages(text: str) -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for name, said in instructions(text):
        if name == "FROM":
            found.append([])
        found[-1].append((name, said))
    return found


@dataclass
class Image:
    """A folder in which the steps of a Dockerfile are carried out as they stand, but for where their folders are."""

    root: Path
    source: Path
    settings: dict[str, str] = field(default_factory=dict)

    def place(self, text: str) -> str:
        """A text with the folders of the image as they are called here."""
        for folder in INSIDE:
            text = re.sub(rf"(?<![\w.]){folder}(?=[/:\s\"']|$)", f"{self.root}{folder}", text)
        return text

    def build(self, text: str, **arguments: str) -> None:
        """Carry the steps out; a user is not made on this machine."""
        bin_ = self.root / "bin"
        bin_.mkdir(parents=True)
        (bin_ / "useradd").write_text('#!/bin/sh\necho "$@" > "$(dirname "$0")/user"\n')
        (bin_ / "useradd").chmod(stat.S_IRWXU)
        for steps in stages(text):
            here, said = self.root, dict(arguments)
            for name, what in steps:
                if name == "ARG":
                    key, _, default = what.partition("=")
                    said.setdefault(key, default.strip('"'))
                elif name == "WORKDIR":
                    here = Path(self.place(what))
                    here.mkdir(parents=True, exist_ok=True)
                elif name == "COPY" and not what.startswith("--from"):
                    *sources, target = what.split()
                    for one in sources:
                        self._copy(one, here / target)
                elif name == "RUN":
                    (self.root / "opt").mkdir(exist_ok=True)
                    paths = f"{bin_}{os.pathsep}{os.environ['PATH']}"
                    subprocess.run(
                        ["sh", "-c", self.place(what)], cwd=here, env={**os.environ, "PATH": paths, **said}, check=True
                    )
                elif name == "ENV":
                    for key, value in re.findall(r"(\w+)=(\S+)", what):
                        self.settings[key] = self.place(value).replace("$PATH", "/usr/bin:/bin")

    def _copy(self, name: str, target: Path) -> None:
        skip = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
        if (self.source / name).is_dir():
            shutil.copytree(self.source / name, target, ignore=skip, dirs_exist_ok=True)
        else:
            shutil.copy(self.source / name, target)

    def run(self, text: str, *words: str) -> subprocess.CompletedProcess[str]:
        """What `docker run IMAGE words` would: entry point, settings, folder, without network where that can be."""
        last = dict(stages(text)[-1])
        entry = json.loads(last["ENTRYPOINT"])
        command = [*entry, *(words or json.loads(last["CMD"]))]
        alone = ["unshare", "--net", "--"]
        if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0:
            command = [*alone, *command]
        user = int(last["USER"].partition(":")[0]) if os.geteuid() == 0 else None
        if user is not None:  # the superuser alone may be another one; and another one may cut no network
            drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
            at = command.index("--") + 1 if command[0] == "unshare" else 0
            command = [*command[:at], *drop, *command[at:]]
        return subprocess.run(
            command, cwd=self.place(last["WORKDIR"]), env=self.settings, capture_output=True, text=True, check=False
        )
