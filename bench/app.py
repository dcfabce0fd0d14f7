"""The local web app on a large table, beside its marks: the first page, requests while a job runs, memory, the start.

    python bench/app.py [--rows 1000000] [--policy k templates] [--form csv parquet] [--time-limit S] [--parts]

The app is started as a program on a folder with the table, and is asked as a browser asks. First the command that the
app shows is run, for its memory: all files and reports of the release, as the app makes them. Then the same release is
made in the app, while every screen and pages of rows are asked for in turn.

Memory is that of a program with all its processes, where pages that several of them share count once (`Pss`), looked
at every tenth of a second. `--parts` says what each process had at the highest point. The table is Adult with more
rows (`bench/engines.py`); it needs the Adult data (DISCREET_DATA).
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from urllib.parse import urlencode

from packaging.requirements import Requirement

SCREENS = ("table", "columns", "groups", "promises", "release", "attacks", "compare", "publish")
MARKS = {
    "first page of rows after opening, s": 2.0,
    "slowest request while a job runs, s": 1.0,
    "memory above that of the command, MB": 100.0,
    "CPU of the server until its first answer, s": 1.1,
    "what the extra `app` installs, MB": 4.0,
}
"""The last two are what the spike of the same stack needed (an answer without the library)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--policy", choices=["k", "templates"], default="k")
    parser.add_argument("--form", choices=["csv", "parquet"], default="csv")
    parser.add_argument(
        "--time-limit", default="", help="seconds for search and attacks, in the command and in the app"
    )
    parser.add_argument("--parts", action="store_true", help="what each process had when memory was highest")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.make:
        make(said.make, said.rows, said.policy, said.form)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In another process: what this one has held would count as that of all that it starts.
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--make", name], check=True)
        figures = measured(folder, f"table.{said.form}", said.rows, said.time_limit, parts=said.parts)
    figures["what the extra `app` installs, MB"] = extra_size("app") / 1e6
    print(f"\n{said.rows:,} rows, {said.form}, {said.policy}")
    for what, mark in MARKS.items():
        verdict = "kept" if figures[what] <= mark else "MISSED"
        print(f"{what:>46} {figures[what]:8.2f}  mark {mark:g}: {verdict}")


def make(folder: Path, rows: int, kind: str, form: str) -> None:
    """Write the table and its policy."""
    from adult import expanded, rarest
    from engines import policy

    frame = expanded(rows)
    if form == "csv":
        frame.write_csv(folder / "table.csv")
    else:
        frame.write_parquet(folder / "table.parquet")
    rules = policy(kind, rarest(frame, "marital-status", 3), rows)
    (folder / "policy.yaml").write_text(json.dumps(rules.to_dict()))


def measured(folder: Path, table: str, rows: int, limit: str, *, parts: bool) -> dict[str, float]:
    """Return the figures."""
    names = ["--policy", "policy.yaml", "--out", "out.csv", "--plan", "plan.json"]
    reports = ["--report", "report.html", "--public-report", "public.html"]
    command = [sys.executable, "-m", "discreet", "protect", table, *names, *reports, "--quiet"]
    command += ["--time-limit", limit] if limit else []
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with running(folder):  # once before it is measured: byte code of all modules, also of libraries, is there then
        pass
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as program:
        alone = Memory(program.pid)
        assert program.wait() == 0, "the command failed"
    alone.end()
    print(f"command: {alone.highest:.0f} MB at most")
    with running(folder) as (pid, asking):
        cpu = cpu_of(pid)
        memory = Memory(pid)
        begun = time.monotonic()
        asking.post("/table/open", path=table)
        asking.until("/table", f"{rows:,} rows")
        first = time.monotonic() - begun
        asking.until("/columns", "are the only ones")
        print(f"app with the table open, figures reckoned: {memory.now():.0f} MB, highest {memory.highest:.0f} MB")
        asking.post("/release/make", limit=limit)
        slowest = while_it_runs(asking, rows)
        memory.end()
        print(f"app: {memory.highest:.0f} MB at most")
        if parts:
            print(*memory.parts, sep="\n")
        for each in sorted(slowest, reverse=True)[:3]:
            print(f"slowest: {each[0]:.2f} s {each[1]}")
    return {
        "first page of rows after opening, s": first,
        "slowest request while a job runs, s": max(slowest)[0],
        "memory above that of the command, MB": memory.highest - alone.highest,
        "CPU of the server until its first answer, s": cpu,
    }


def while_it_runs(asking: Asking, rows: int) -> list[tuple[float, str]]:
    """Ask for all screens in turn until the release is done; return how long each took."""
    taken = []
    paths = [*(f"/{screen}" for screen in SCREENS), "/table?from={}", "/release?from={}", "/release?only=changed"]
    turn = 0
    while True:
        for path in paths:
            turn += 1
            place = path.format(turn * 7919 * 50 % rows)
            begun = time.monotonic()
            text = asking.get(place)
            taken.append((time.monotonic() - begun, place))
            if "that succeed" in text:
                return taken
            assert "No release was made" not in text, text
            time.sleep(0.2)


@contextmanager
def running(folder: Path) -> Iterator[tuple[int, Asking]]:
    """Start the app; yield its number and a browser that is let in."""
    command = [sys.executable, "-m", "discreet", "app", "--no-browser", "--policy", "policy.yaml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            yield program.pid, Asking(program.stdout.readline().strip())
        finally:
            program.send_signal(signal.SIGINT)
            program.wait(60)


class Asking:
    """A browser, as far as it asks."""

    def __init__(self, address: str) -> None:
        found = re.fullmatch(r"http://([^/]+)(/open\?token=.+)", address)
        assert found, address
        self._host, self._cookie, self._token = found[1], "", ""
        self._cookie = (self._ask("GET", found[2])[1].getheader("set-cookie") or "").partition(";")[0]
        self._token = (re.search('data-token="([^"]+)"', self.get("/table")) or [""])[1]

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[str, http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(self._host, timeout=600)
        headers = {"cookie": self._cookie, "sec-fetch-site": "same-origin", "origin": f"http://{self._host}"}
        connection.request(method, path, body, {name: said for name, said in headers.items() if said})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return text, answer

    def get(self, path: str) -> str:
        text, answer = self._ask("GET", path)
        assert answer.status == 200, text
        return text

    def post(self, path: str, /, **fields: str) -> None:
        text, answer = self._ask("POST", path, urlencode({"token": self._token, **fields}))
        assert answer.status == 303, text

    def until(self, path: str, words: str) -> None:
        while words not in self.get(path):
            time.sleep(0.05)


class Memory:
    """Looks at the memory of a program and of all that it has started, until it is told to end."""

    def __init__(self, pid: int) -> None:
        self._pid, self._ended = pid, threading.Event()
        self.highest, self.parts = 0.0, [""]
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(0.1):
            self.now()

    def now(self) -> float:
        """Return how much it is now, in MB."""
        found = {pid: _pss(pid) for pid in _family(self._pid)}
        total = sum(found.values())
        if total > self.highest:
            self.highest = total
            self.parts = [f"  {mb:6.0f} MB  {_name(pid)}" for pid, mb in found.items()]
        return total

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


def _family(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in task.read_text().split():
                found += _family(int(child))
        except OSError:
            continue
    return found


def _pss(pid: int) -> float:
    try:
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:90]
    except OSError:
        return "gone"


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def extra_size(extra: str) -> int:
    """Return the bytes of all packages that an extra brings, without those that are needed anyway."""
    packages = needed("discreet", extra) - needed("discreet", "")
    print(f"the extra `{extra}` brings {len(packages)} packages: {', '.join(sorted(packages))}")
    return sum(
        Path(str(file.locate())).stat().st_size
        for name in packages
        for file in metadata.files(name) or ()
        if Path(str(file.locate())).is_file() and "__pycache__" not in str(file)
    )


def needed(name: str, extra: str) -> set[str]:
    """Return the packages that a package needs here, with all that these need."""
    found: set[str] = set()
    for text in metadata.requires(name) or ():
        asked = Requirement(text)
        if (asked.marker is None or asked.marker.evaluate({"extra": extra})) and asked.name not in found:
            found |= {asked.name, *needed(asked.name, next(iter(asked.extras), ""))}
    return found


if __name__ == "__main__":
    main()
