"""The Dockerfile is what the documentation says of it: pinned, small, not the superuser, no network, no secrets."""

from __future__ import annotations

import fnmatch
import json
import re

from tests.conftest import ROOT
from tests.dockerfile import instructions, stages

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


def test_it_says_that_it_was_not_built() -> None:
    assert "has not been built" in " ".join(TEXT.split("FROM")[0].replace("#", "").split())


def test_the_base_is_pinned_and_the_same_in_both_stages() -> None:
    bases = [said.split()[0] for name, said in instructions(TEXT) if name == "FROM"]
    assert len({*bases}) == 1
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+(@sha256:[0-9a-f]{64})?", bases[0])


def test_who_runs_it_is_not_the_superuser() -> None:
    last = stages(TEXT)[-1]
    users = [said for name, said in last if name == "USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])
    names = [name for name, _ in last]
    assert names.index("USER") > max(at for at, name in enumerate(names) if name in ("RUN", "COPY"))


def test_nothing_is_fetched_but_packages_and_only_while_it_is_built() -> None:
    words = [said for name, said in instructions(TEXT) if name in ("RUN", "CMD", "ENTRYPOINT")]
    assert not re.search(r"curl|wget|git |apt-get|http", " ".join(words))
    assert not [name for name, _ in instructions(TEXT) if name in ("ADD", "EXPOSE", "VOLUME")]
    assert "pip install" not in " ".join(said for _, said in stages(TEXT)[-1])
    assert "-c constraints.txt" in " ".join(words)


def test_words_are_handed_over_without_a_shell() -> None:
    last = dict(stages(TEXT)[-1])
    assert json.loads(last["ENTRYPOINT"]) == ["discreet"]
    assert json.loads(last["CMD"]) == ["--help"]
    assert last["HEALTHCHECK"] == "NONE"


def test_only_what_it_is_made_of_is_sent_to_whoever_builds_it() -> None:
    """No data, plan or history; and all that is copied is there."""
    assert next(line for line in IGNORED if line and line[0] not in "#!") == "*"
    let = {line[1:] for line in IGNORED if line.startswith("!")}
    copied = {word for name, said in instructions(TEXT) if name == "COPY" and "--from" not in said
              for word in said.split()[:-1]}  # fmt: skip
    assert copied == let
    assert all((ROOT / name).exists() for name in copied)
    assert not [name for name in let if fnmatch.fnmatch("plan.json", name) or name in (".git", "examples", "tests")]
