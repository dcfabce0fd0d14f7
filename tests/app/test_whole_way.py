"""The whole way from a file to published files in a browser: wide and narrow, light and dark, keyboard alone."""

from __future__ import annotations

import csv
import filecmp
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tools.pictures import app_of, walk

from tests.app.browsing import Visitor, axe_source, bank_in, launched
from tests.profiles import in_short

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="document.title=1">'
SCREENS = ("table", "columns", "groups", "promises", "release", "attacks", "compare", "publish")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launched()


def written_by_the_command(visitor: Visitor, folder: Path) -> None:
    """Run the command that the app shows in another folder: the files that do not depend on chance are the same."""
    command = shlex.split(visitor.page.inner_text("#command"))
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    table, policy = command[2], command[command.index("--policy") + 1]
    for name in (table, policy):
        (elsewhere / name).write_bytes((folder / name).read_bytes())
    for file in folder.glob("*-groups.csv"):
        (elsewhere / file.name).write_bytes(file.read_bytes())
    subprocess.run([sys.executable, "-m", *command], cwd=elsewhere, check=True, capture_output=True)
    for option in ("--out", "--plan", "--policy"):
        name = command[command.index(option) + 1]
        assert filecmp.cmp(folder / name, elsewhere / name, shallow=False), name
    ours = {path.name for path in folder.iterdir() if path.is_file()}
    assert {path.name for path in elsewhere.iterdir()} <= ours, "the command makes no file that the app does not"


LOOKS = ((1280, "light"), (390, "dark"))


@pytest.mark.parametrize(("width", "scheme"), in_short(LOOKS))
def test_the_bank_example_from_file_to_published_files(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    bank_in(folder)
    axe = axe_source()
    wrong: dict[str, list[str]] = {}
    with app_of(folder, "bank.csv", "--policy", "bank.yaml") as address:
        visitor = Visitor(browser, address, width, scheme)
        seen = []
        for screen in walk(visitor.page, f"{visitor.root}/table"):
            seen.append(screen)
            for look in (*(look for look in LOOKS if look != (width, scheme)), (width, scheme)):
                visitor.look(*look)
                if visitor.wider_than_the_window():
                    wrong.setdefault(screen, []).append(f"wider than the window of {look[0]}")
                if axe is not None:
                    wrong.setdefault(screen, []).extend(visitor.seriously_wrong(axe))
            if screen == "columns" and width == 1280:
                dragged(visitor.page)
        assert tuple(seen) == SCREENS
        visitor.page.click("#write-files")
        visitor.page.wait_for_selector("text=Written:")
        if width == 1280:
            written_by_the_command(visitor, folder)
            attacked_thoroughly(visitor)
        assert not visitor.outside
        assert not visitor.complaints
        visitor.close()
    assert not {screen: found for screen, found in wrong.items() if found}
    names = {path.name for path in folder.iterdir()}
    assert {"bank-release.csv", "bank-policy.yaml", "bank-plan.json"} <= names


def dragged(page: Any) -> None:
    """Drag a column into another bin, and take that back."""
    name = {"x": 30, "y": 15}  # not the list below it
    page.locator('[data-column="Child"]').drag_to(page.locator('[data-bin="identifier"]'), source_position=name)
    page.wait_for_selector('[data-bin="identifier"] [data-column="Child"]')
    page.click("#undo")
    page.wait_for_selector('[data-bin="harmless"] [data-column="Child"]')


def attacked_thoroughly(visitor: Visitor) -> None:
    """Attack the release once more, to the end; a reload meanwhile loses nothing."""
    visitor.go("attacks")
    visitor.page.click("#again")
    visitor.page.wait_for_selector("text=Leave out the rest")
    visitor.page.reload()
    visitor.page.wait_for_selector("text=These are thorough attacks")
    assert visitor.page.locator("text=The owner's report of these attacks").count() == 1


@pytest.mark.skipif(axe_source() is None, reason="axe-core is not installed: set DISCREET_AXE to its folder")
def test_axe_core_is_there() -> None:
    assert "axe" in (axe_source() or "")


def test_by_keyboard_alone_with_a_drafted_policy(browser: Any, tmp_path: Path) -> None:
    """From a path that is typed to published files; a second tab sees every step, and a reload loses none."""
    folder = tmp_path / "bank"
    folder.mkdir()
    (bank_in(folder) / "bank.yaml").unlink()
    with app_of(folder) as address:
        visitor = Visitor(browser, address)
        page, other = visitor.page, visitor.another()
        visitor.tab_to("#path")
        page.keyboard.type("bank.csv")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=A policy is there")
        visitor.press("nav.onward a:last-child")
        page.wait_for_url("**/columns")
        page.wait_for_selector("text=of 24 rows")
        visitor.tab_to('[data-column-choice="Rating"]')
        page.keyboard.press("End")
        page.wait_for_selector('[data-bin="harmless"] [data-column="Rating"]')
        made_groups_by_keyboard(visitor)
        other.goto(f"{visitor.root}/promises")
        visitor.press("nav.steps a[href='/promises']")
        page.wait_for_url("**/promises")
        visitor.tab_to("#slide-0-k")
        for _ in range(6):
            page.keyboard.press("ArrowLeft")
        for tab in (page, other):
            written(tab, "k: 4")
        page.reload()
        written(page, "k: 4")
        wrong_at_its_line(visitor)
        page.wait_for_selector("text=Yes: some release keeps every promise")
        visitor.press("nav.steps a[href='/release']")
        page.wait_for_url("**/release")
        visitor.press("#make")
        page.reload()
        page.wait_for_selector("text=verified, every promise holds")
        page.wait_for_selector("text=that succeed")
        visitor.press("td.hidden a, td.coarser a")
        page.wait_for_selector("#why .said")
        visitor.press("nav.steps a[href='/publish']")
        page.wait_for_url("**/publish")
        visitor.press("#write-files")
        page.wait_for_selector("text=Written:")
        other.goto(f"{visitor.root}/publish")
        other.wait_for_selector("text=Written:")
        assert not visitor.complaints
        assert not visitor.outside
        visitor.close()
    assert (folder / "bank-release.csv").is_file()


def made_groups_by_keyboard(visitor: Visitor) -> None:
    page = visitor.page
    visitor.press("nav.steps a[href='/groups']")
    page.wait_for_url("**/groups")
    page.wait_for_selector(".state.current")
    visitor.tab_to("#kind")
    page.keyboard.press("End")  # no groups yet
    visitor.press("#propose")
    page.wait_for_selector("#treeform")
    for value in ("Cook", "Clerk"):
        visitor.press(f"#treeform [name=node][value={value}]", "Space")
    visitor.tab_to("#group-name")
    page.keyboard.type("Services")
    visitor.press("#gather")
    page.wait_for_selector("li.group[data-label=Services]")
    visitor.press("#undo")
    page.wait_for_selector("li.group", state="detached")
    visitor.press("#redo")
    page.wait_for_selector("li.group[data-label=Services]")


def wrong_at_its_line(visitor: Visitor) -> None:
    """Write a mistake into the text: it is said with its line, and undone."""
    page = visitor.page
    visitor.tab_to("#policy-text")
    page.keyboard.press("Control+End")
    page.keyboard.type("nonsense: 1")
    visitor.press("#save")
    page.wait_for_selector("text=1 mistake")
    visitor.press("[data-line]")
    visitor.press("#undo")
    page.wait_for_selector("text=1 mistake", state="detached")


def written(page: Any, text: str) -> None:
    """Wait until the policy's text has something."""
    page.wait_for_function("(text) => document.getElementById('policy-text').value.includes(text)", arg=text)


def test_hostile_names_and_cells_are_texts(browser: Any, tmp_path: Path) -> None:
    town, ill = f"town {HOSTILE}", "</script><script>document.title=2</script>"
    with (tmp_path / "bad.csv").open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow([town, "age", ill])
        for place in range(12):
            lines.writerow([f"{HOSTILE}{place % 3}", str(30 + place), ("flu", "'\"><b>cold</b>")[place % 2]])
    known = f"[{_quoted(town)}, age]"
    policy = f"protect:\n  - {{k: 2, over: {known}}}\n"
    policy += f"  - {{infer: {{{_quoted(ill)}: {{any: true}}}}, given: {known}, at_most: 70%}}\n"
    (tmp_path / "bad.yaml").write_text(policy, encoding="utf-8")
    with app_of(tmp_path, "bad.csv", "--policy", "bad.yaml") as address:
        visitor = Visitor(browser, address)
        page = visitor.page
        page.wait_for_selector("#rows-box tbody tr")
        assert HOSTILE in page.inner_text("#rows-box")
        visitor.go("groups")
        page.wait_for_selector(".state.current")
        page.click("#propose")
        page.wait_for_selector("#treeform")
        visitor.go("release")
        page.click("#make")
        page.wait_for_selector("text=that succeed")
        for screen in SCREENS:
            visitor.go(screen)
            page.wait_for_selector("h1")
            page.wait_for_timeout(150)
            assert "discreet" in page.title(), screen
            assert page.locator("main img, main b:has-text('cold')").count() == 0, screen
        assert not visitor.complaints
        assert not visitor.outside
        visitor.close()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


ADULT = "age,workclass,fnlwgt,education,years,marital,occupation,relationship,race,sex,gain,loss,hours,country,income"
ADULT_POLICY = """
use: {classify: income}
protect:
  - {k: 10, over: [age, education, race, sex]}
  - {infer: {income: ">50K"}, given: [age, education, race, sex], at_most: 75%}
columns:
  age: {type: number, ends: [20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70]}
"""


@pytest.mark.nightly
@pytest.mark.slow
def test_adult_from_file_to_published_files(browser: Any, tmp_path: Path, data_dir: Path) -> None:
    folder = tmp_path / "adult"
    folder.mkdir()
    lines = (data_dir / "adult.data").read_text("utf-8").replace(", ", ",").strip()
    (folder / "adult.csv").write_text(f"{ADULT}\n{lines}\n", encoding="utf-8")
    (folder / "adult.yaml").write_text(ADULT_POLICY, encoding="utf-8")
    with app_of(folder, "adult.csv", "--policy", "adult.yaml") as address:
        visitor = Visitor(browser, address)
        page = visitor.page
        page.wait_for_selector("text=32,561 rows")
        visitor.go("groups?column=age")
        page.wait_for_selector(".handle")
        page.focus("#handle-end1")
        page.keyboard.press("ArrowRight")  # the first end, by one year
        page.wait_for_selector("#end1[value='21']")
        visitor.go("release")
        page.click("#make")
        page.wait_for_selector("text=that succeed")
        visitor.go("attacks")
        page.wait_for_selector(".verdict")
        visitor.go("publish")
        page.click("#write-files")
        page.wait_for_selector("text=Written:")
        written_by_the_command(visitor, folder)
        assert not visitor.complaints
        assert not visitor.outside
        visitor.close()
