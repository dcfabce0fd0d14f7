"""Every experiment of the four papers by one command, and the page that sets the papers beside what comes out here.

    python bench/reproduce.py [--full] [--only NAME ...] [--jobs 2] [--list] [--page-only]

`make reproduce` runs this quickly (few draws and runs; under 10 minutes on two cores), `make reproduce FULL=1` with the
papers' own numbers of draws and runs (hours). Every experiment is a process of its own, as many side by side as there
are jobs; those that measure time run last, alone. What they come to is kept in `bench/papers_results.json`, and
`docs/papers.md` is written from it: a full result of this version where there is one, else the quick one. Where data
is missing, it is said where to get it, and the experiment is skipped. An experiment that fails is named, and the
exit code is 1.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from papers import BY_NAME, DATA, EXPERIMENTS, WHERE, Experiment

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "papers_results.json"
PAGE = ROOT / "docs" / "papers.md"


def main() -> None:
    options = _options()
    if options.one:
        print(json.dumps(BY_NAME[options.one].outcome(options.mode).to_dict()))
        return
    if options.list:
        for experiment in EXPERIMENTS:
            print(f"{experiment.name:26} {experiment.title}")
        return
    chosen = [experiment for experiment in EXPERIMENTS if not options.only or experiment.name in options.only]
    failed = [] if options.page_only else run_all(chosen, options.mode, options.jobs, options.results)
    from papers_page import page

    options.page.write_text(page(json.loads(options.results.read_text(encoding="utf-8"))), encoding="utf-8")
    print(f"{options.page} was written")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", dest="mode", action="store_const", const="full", default="quick",
                        help="the papers' own numbers of draws, runs and sizes")  # fmt: skip
    parser.add_argument("--only", nargs="+", choices=list(BY_NAME), metavar="NAME", help="only these (see --list)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="experiments side by side (one for each core)")
    parser.add_argument("--list", action="store_true", help="name the experiments, run none")
    parser.add_argument("--page-only", action="store_true", help="write the page from what was kept, run none")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are kept")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the page goes")
    parser.add_argument("--one", choices=list(BY_NAME), help=argparse.SUPPRESS)
    return parser.parse_args()


def run_all(chosen: Sequence[Experiment], mode: str, jobs: int, results: Path) -> list[str]:
    """Run experiments, keep what they come to, return the names of those that failed."""
    begin = time.perf_counter()
    kept: dict[str, dict[str, Any]] = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
    runnable = []
    for experiment in chosen:
        if reason := reason_to_skip(experiment):
            print(f"{experiment.name}: skipped: {reason}", flush=True)
        else:
            runnable.append(experiment)
    failed: list[str] = []

    def one(experiment: Experiment) -> None:
        found = run(experiment, mode)
        if found is None:
            failed.append(experiment.name)
            return
        kept.setdefault(experiment.name, {})[mode] = found
        results.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")

    # Those that took longest the last time begin: else one of them is left at the end, and a core is idle beside it.
    runnable.sort(key=lambda experiment: -kept.get(experiment.name, {}).get(mode, {}).get("cpu", 0))
    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        list(pool.map(one, (experiment for experiment in runnable if not experiment.alone)))
    for experiment in runnable:
        if experiment.alone:
            one(experiment)
    print(f"{mode}: {len(runnable) - len(failed)} experiments in {time.perf_counter() - begin:.0f} s", flush=True)
    return failed


def reason_to_skip(experiment: Experiment) -> str:
    """Return why an experiment cannot be run here, empty if it can."""
    if experiment.skipped:
        return experiment.skipped
    missing = experiment.missing()
    if not missing:
        return ""
    places = "; ".join(f"{name} ({WHERE[name]})" for name in missing)
    return f"not in {DATA} (set DISCREET_DATA): {places}"


def run(experiment: Experiment, mode: str) -> dict[str, Any] | None:
    """Run one in a process of its own; return what it came to with its settings and times, None if it failed."""
    command = [sys.executable, __file__, "--one", experiment.name, *(["--full"] if mode == "full" else [])]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"} if not experiment.alone else dict(os.environ)
    begin = time.perf_counter()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        with ThreadPoolExecutor(1) as reader:
            errors = reader.submit(process.stderr.read)
            printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds, cpu = time.perf_counter() - begin, used.ru_utime + used.ru_stime
    if process.returncode:
        print(f"{experiment.name}: failed\n{errors.result()}", flush=True)
        return None
    print(f"{experiment.name}: {seconds:.0f} s, CPU {cpu:.0f} s", flush=True)
    from discreet.version import __version__

    return {
        **json.loads(printed.splitlines()[-1]),
        "settings": dict(experiment.settings(mode)),
        "version": __version__,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seconds": round(seconds),
        "cpu": round(cpu),
    }


if __name__ == "__main__":
    main()
