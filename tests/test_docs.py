"""The documentation is true: its examples run and give what they show, its links lead somewhere, nothing is left out.

A page is worked through from top to bottom in a folder of its own that has the bank example:

- a block with a title is a file of that name (the bank's own files as they are);
- a `python` block runs; where it has lines that start with `#> `, these are all that it prints (`py`: not run);
- a `$ discreet` line of a `console` block runs and prints first the lines below it (`...`: any lines), then ends
  with the exit code that a line `# exit code N` names, else 0; `$ cat FILE` shows a file.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import typer
from pydantic import BaseModel
from tools import house
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from tests.commands import DEMO
from tests.conftest import ROOT

pytestmark = pytest.mark.full  # examples print what a user gets

BANK = ("bank.csv", "bank.yaml")
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
LONG = {"k-anonymity.md", "ledger.md", "which-promise.md"}
"""Pages whose examples need loops that `make test` does not compile."""
NO_EXAMPLES = {"architecture.md", "papers.md"}
"""What says how it is built, and what `make reproduce` writes."""
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*)(?P<options>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\(([^()\s]+)\)|<img src=\"([^\"]+)\"")


@dataclass(frozen=True)
class Block:
    language: str
    title: str | None
    body: str
    line: int


@dataclass
class Command:
    words: list[str]
    shown: list[str] = field(default_factory=list)
    code: int = 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in BANK:
        shutil.copy(DEMO / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)
    return tmp_path


def blocks(text: str) -> Iterator[Block]:
    for match in FENCE.finditer(text):
        title = re.search(r'title="([^"]+)"', match["options"])
        line = text.count("\n", 0, match.start("body")) + 1
        yield Block(match["language"], title and title[1], textwrap.dedent(match["body"]), line)


def commands(body: str) -> Iterator[Command]:
    command = Command([])
    for line in body.splitlines():
        if line.startswith("$ "):
            yield command
            command = Command(shlex.split(line[2:]))
        elif code := re.fullmatch(r"# exit code (\d+)", line):
            command.code = int(code[1])
        else:
            command.shown.append(line)
    yield command


def work_through(text: str, name: str = "page") -> None:
    """Run every example of a page in the present folder."""
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(text):
        if block.title is not None:
            path = Path(block.title)
            assert path.name not in BANK or path.read_text(encoding="utf-8") == block.body
            path.write_text(block.body, encoding="utf-8")
        if block.language == "python":
            run_python(block, name, names)
        elif block.language == "console":
            for command in commands(block.body):
                run_command(command)


def run_python(block: Block, name: str, names: dict[str, object]) -> None:
    code = compile("\n" * (block.line - 1) + block.body, name, "exec", dont_inherit=True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    shown = [line.removeprefix("#> ") for line in block.body.splitlines() if line.startswith("#> ")]
    assert not shown or printed.getvalue().splitlines() == shown


def run_command(command: Command) -> None:
    program, *words = command.words or ["nothing"]
    if program == "cat":
        assert_shown(command.shown, "".join(Path(word).read_text(encoding="utf-8") for word in words))
    elif program == "discreet":
        target = words[words.index(">") + 1] if ">" in words else None
        result = CliRunner().invoke(app, words[: words.index(">")] if target else words)
        assert result.exit_code == command.code, f"{shlex.join(command.words)}\n{result.output}"
        if target:
            Path(target).write_text(result.stdout, encoding="utf-8")
        assert_shown(command.shown, result.output)


def assert_shown(shown: Sequence[str], output: str) -> None:
    """Check that the shown lines stand in the output in one piece, or in as many as `...` makes of them."""
    printed = [line.rstrip() for line in output.rstrip().splitlines()]
    at, anywhere = 0, False
    for piece in _pieces([line.rstrip() for line in shown]):
        if piece is None:
            anywhere = True
            continue
        places = range(at, len(printed)) if anywhere else [at]
        found = next((place for place in places if printed[place : place + len(piece)] == piece), None)
        assert found is not None, "\n".join(["shown:", *piece, "", "printed:", *printed])
        at, anywhere = found + len(piece), False


def _pieces(lines: list[str]) -> Iterator[list[str] | None]:
    """Yield the runs of lines between `...`, and None for each `...`."""
    piece: list[str] = []
    for line in lines:
        if line != "...":
            piece.append(line)
            continue
        if piece:
            yield piece
        yield None
        piece = []
    if piece:
        yield piece


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow) if page.name in LONG else page for page in PAGES],
    ids=lambda page: page.name,
)
@pytest.mark.usefixtures("folder")
def test_every_example_runs_and_gives_what_it_shows(page: Path) -> None:
    work_through(page.read_text(encoding="utf-8"), str(page))


def missing_targets(text: str, folder: Path) -> list[str]:
    targets = [link or picture for link, picture in LINK.findall(FENCE.sub("", text))]
    inside = [target.partition("#")[0] for target in targets if "://" not in target and ":" not in target]
    return [target for target in inside if target and not (folder / target).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert missing_targets(page.read_text(encoding="utf-8"), page.parent) == []


@pytest.mark.parametrize(
    "page",
    [
        "```python\n1 / 0\n```",
        "```python\nprint(1)\n#> 2\n```",
        '=== "Tab"\n\n    ```python\n    print(1)\n    #> 2\n    ```',
        "```console\n$ discreet check bank.yaml\n# exit code 1\n```",
        "```console\n$ discreet check nowhere.yaml\n```",
        "```console\n$ discreet --version\ndiscreet none\n```",
        "```console\n$ discreet check bank.yaml\n...\nNot covered: nothing.\n```",
        '```text title="a.txt"\na\n```\n```console\n$ cat a.txt\nb\n```',
        '```yaml title="bank.yaml"\nuse: counts\n```',
    ],
    ids=["raises", "prints", "tab", "code", "error", "output", "skipped", "file", "bank"],
)
@pytest.mark.usefixtures("folder")
def test_a_wrong_example_is_found(page: str) -> None:
    with pytest.raises((AssertionError, ZeroDivisionError)):
        work_through(page)


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "there.md").touch()
    text = '[a](there.md#x) [b](gone.md) [c](#here) [d](https://example.org/x) <img src="gone.png">'
    assert missing_targets(text, tmp_path) == ["gone.md", "gone.png"]


def test_the_examples_are_not_lost() -> None:
    """The reader of blocks sees them all: each page but few has examples that run."""
    for page in DOCS.glob("*.md"):
        languages = [block.language for block in blocks(page.read_text(encoding="utf-8"))]
        assert {"python", "console"} & {*languages} or page.name in NO_EXAMPLES, page.name


def section(page: str, heading: str) -> str:
    text = (DOCS / page).read_text(encoding="utf-8")
    return text.partition(f"\n## `{heading}`\n")[2].partition("\n## ")[0]


def test_every_command_and_option_is_explained() -> None:
    group = typer.main.get_command(app)
    for name, command in getattr(group, "commands").items():  # noqa: B009
        text = section("command-line.md", name)
        assert text, name
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                assert not option.startswith("--") or option == "--help" or f"`{option}`" in text, (name, option)


def test_every_field_of_a_policy_is_explained() -> None:
    text = (DOCS / "policies.md").read_text(encoding="utf-8")
    parts: list[type[BaseModel]] = [
        d.Policy, d.Template, d.KAnonymity, d.Classify, d.Regress, d.Column, d.Missing, d.FileOptions, d.Disclosure,
        d.Genetic, d.Suppress, d.ReleaseOptions, d.Confidential, d.NaiveBayes, d.Rules,
    ]  # fmt: skip
    for part in parts:
        for name in (info.alias or name for name, info in part.model_fields.items()):
            assert f"`{name}`" in text or f"`{name}:" in text, (part.__name__, name)


def test_every_public_name_is_explained() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    assert [name for name in d.__all__ if f"`{name}`" not in text] == []


def test_the_layout_names_every_room_in_order() -> None:
    """And no module that there is not. The picture has them all, too."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rooms = [room for rooms in house.ORDER[:-1] for room in rooms]
    listed = text.partition("\n## The rooms\n")[2].partition("\n## ")[0]
    assert re.findall(r"`([a-z]+)`", listed)[: len(rooms)] == rooms
    picture = (DOCS / "architecture.svg").read_text(encoding="utf-8")
    drawn = {room for names in re.findall(r'class="room"[^>]*>([^<]*)<', picture) for room in names.split()}
    assert drawn == {*rooms}
    source = Path(d.__file__).parent
    named = re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py)?)`", text)
    inside = [path for path in named if not path.startswith(("tests/", "tools/", "bench/"))]
    assert [path for path in inside if not (source / path).exists()] == []


def test_the_navigation_has_every_page_once() -> None:
    """In four parts: tutorials, how-to, reference, explanation."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert re.findall(r"^  - ([^:\n]+):", text, re.MULTILINE) == [
        *("Start", "Tutorials", "How to", "Reference", "Explanation")
    ]
    listed = re.findall(r": ([a-z-]+\.md)$", text, re.MULTILINE)
    assert sorted(listed) == sorted(page.name for page in DOCS.glob("*.md"))


def test_the_version_has_a_heading_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1].split()[0] == d.__version__
    versions = [tuple(map(int, heading.split()[0].split("."))) for heading in headings[1:]]
    assert versions == sorted(versions, reverse=True)


def test_pictures_are_small_and_used() -> None:
    used = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (DOCS / "pictures").iterdir():
        assert f"pictures/{picture.name}" in used, picture.name
        assert picture.stat().st_size < 100_000, picture.name
