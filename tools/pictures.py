"""The pictures of README and docs: a table before and after, a frontier, attacks, the app; `make pictures`.

    python tools/pictures.py [--out docs/pictures] [--width 1100] [--scheme light] [--whole] [--only PICTURE ...]

`before-after`: rows of the bank example and of its release. `frontier`: what `discreet frontier --plot` draws of it.
`linkage`: the chart of the owner's report of examples/clinic.csv. The others are screens of the app, the bank example
going the whole way through it; `app` is one of them, narrow. It needs Playwright's Python package, a Chromium of the
system and the extras `app`, `attacks` and `report`. Pictures have few colours, so that they are small.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import csv
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent.parent
DEMO = HERE / "src" / "discreet" / "cli" / "demo"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 180_000
"""Milliseconds."""
HEIGHT = 860
EXAMPLES = HERE / "examples"
DRAWN = ("before-after", "frontier", "linkage")
"""The pictures that are not of the app."""
NARROW = 760
"""Pixels: pictures of README and first page are read on telephones too."""
ALL = ("table", "columns", "groups", "promises", "release", "attacks", "compare", "publish")
FIRST = {"release": "app"}
"""The screen that README and first page show, narrow."""
SHOWN = [*DRAWN, "app", "groups", "promises", "release", "attacks"]
"""The pictures that pages show."""


@contextlib.contextmanager
def app_of(folder: Path, *said: str) -> Iterator[str]:
    """Start the app on a folder; yield the address that it prints."""
    command = [sys.executable, "-m", "discreet", "app", *said, "--no-browser", "--folder", str(folder)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            yield next(word for word in program.stdout.readline().split() if word.startswith("http"))
        finally:
            program.terminate()
            program.wait(20)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Start the Chromium of the system; yield Playwright's browser."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        sys.exit("pictures: no Chromium was found; install your system's package")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def walk(page: Any, address: str) -> Iterator[str]:
    """Go through all screens with the bank example; yield the name of each when there is something to see."""
    root = "/".join(address.split("/")[:3])
    page.goto(address)
    page.wait_for_url("**/table")
    page.wait_for_selector("#rows-box tbody tr")
    page.wait_for_selector("#looks-box tbody tr")
    yield "table"
    page.goto(f"{root}/columns")
    page.wait_for_selector(".state.current")
    yield "columns"
    page.goto(f"{root}/groups")
    page.wait_for_selector(".state.current")
    page.click("#propose")
    page.wait_for_selector(".tree li.group")
    page.wait_for_selector("#levels-box")
    yield "groups"
    page.goto(f"{root}/promises")
    page.wait_for_selector(".state.coming", state="detached")
    yield "promises"
    page.goto(f"{root}/release")
    page.click("#make")
    page.wait_for_selector("#sides-box tbody tr")
    page.wait_for_selector("text=that succeed")
    yield "release"
    page.goto(f"{root}/attacks")
    page.wait_for_selector(".verdict")
    yield "attacks"
    page.goto(f"{root}/groups")
    page.wait_for_selector("#treeform")
    page.click("#other-groups summary")
    page.click("text=tell or hide each value, without groups")
    page.wait_for_selector("text=Each value is told or hidden")
    page.goto(f"{root}/release")
    page.click("#make")
    page.wait_for_selector("text=Release 2")
    page.wait_for_selector("text=that succeed")
    page.goto(f"{root}/compare")
    page.wait_for_selector("text=Release 2")
    yield "compare"
    page.goto(f"{root}/publish")
    page.wait_for_selector("pre")
    yield "publish"


def take(out: Path, width: int, scheme: str, *, whole: bool, only: list[str]) -> list[Path]:
    """Take the pictures; return their files."""
    made = []
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name) / "bank"
        folder.mkdir()
        for file in ("bank.csv", "bank.yaml"):
            shutil.copy(DEMO / file, folder)
        with app_of(folder, "bank.csv", "--policy", "bank.yaml") as address:
            context = browser.new_context(
                viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
            )
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            for screen in walk(page, address):
                for path, wide in ((out / f"app-{screen}.png", width), (out / "app.png", NARROW)):
                    if (screen if wide == width else FIRST.get(screen)) in only:
                        page.set_viewport_size({"width": wide, "height": HEIGHT})
                        page.evaluate("window.scrollTo(0, 0)")
                        page.wait_for_timeout(300)  # parts that are drawn anew
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(small(browser, page.screenshot(full_page=whole)))
                        made.append(path)
                page.set_viewport_size({"width": width, "height": HEIGHT})
    return made


def draw(out: Path, only: list[str]) -> list[Path]:
    """Draw the pictures that are not of the app; return their files."""
    made = []
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        for file in (DEMO / "bank.csv", DEMO / "bank.yaml", *EXAMPLES.glob("clinic*")):
            shutil.copy(file, folder)
        page = browser.new_page(viewport={"width": NARROW, "height": HEIGHT}, device_scale_factor=1.5)
        for picture in (picture for picture in DRAWN if picture in only):
            path = out / f"{picture}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(small(browser, DRAW[picture](page, folder)))
            made.append(path)
    return made


def discreet(folder: Path, *said: str) -> None:
    """Run a command in a folder."""
    subprocess.run([sys.executable, "-m", "discreet", *said], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def before_and_after(page: Any, folder: Path) -> bytes:
    """Return rows of the bank and of its release beside each other, what is hidden marked."""
    discreet(folder, "protect", "bank.csv", "--policy", "bank.yaml", "--out", "release.csv")
    before, after = (list(csv.reader((folder / name).open(encoding="utf-8"))) for name in ("bank.csv", "release.csv"))
    kept = [0, *range(1, len(before), 3)]
    sides = []
    for title, table in (("bank.csv", before), ("release.csv", after)):
        rows = "".join(f"<tr>{_row(table[row], before[row], head=row == 0)}</tr>" for row in kept)
        sides.append(f"<figure><figcaption>{title}</figcaption><table>{rows}</table></figure>")
    page.set_content(f"<!doctype html><meta charset=utf-8><style>{SIDES}</style><main>{''.join(sides)}</main>")
    return bytes(page.locator("main").screenshot())


def _row(texts: list[str], were: list[str], *, head: bool) -> str:
    kind = "th" if head else "td"
    marks = (" class=hidden" if text != was else "" for text, was in zip(texts, were, strict=True))
    return "".join(f"<{kind}{mark}>{escape(text)}</{kind}>" for text, mark in zip(texts, marks, strict=True))


SIDES = """main { display: grid; gap: 14px; width: max-content; padding: 16px; background: #fff }
figure { margin: 0 } figcaption { font: 700 21px sans-serif; color: #1c2328; padding: 0 0 5px 10px }
table { border-collapse: collapse; font: 19px sans-serif; color: #1c2328 }
td, th { border: 1px solid #dde2e6; padding: 4px 10px; text-align: left; width: 108px } th { background: #eef1f3 }
.hidden { background: #0b6470; color: #fff; font-weight: 700 }"""


def frontier(_page: Any, folder: Path) -> bytes:
    """Return what `discreet frontier` draws."""
    discreet(folder, "frontier", "bank.csv", "--policy", "bank.yaml", "--plot", "frontier.png")
    return (folder / "frontier.png").read_bytes()


def linkage(page: Any, folder: Path) -> bytes:
    """Return the chart of attacks in the owner's report of the clinic."""
    said = ("--policy", "clinic.yaml", "--out", "clinic-release.csv", "--report", "clinic.html", "--seed", "1")
    discreet(folder, "protect", "clinic.csv", *said)
    page.goto(f"file://{folder / 'clinic.html'}")
    chart = page.locator("figure[aria-labelledby=attack-linkage-title]")
    chart.locator("svg.marks, canvas").first.wait_for()
    chart.evaluate("figure => figure.querySelectorAll('details').forEach((more) => more.remove())")
    chart.evaluate("figure => { figure.style.padding = '14px'; figure.style.background = '#fff' }")
    return bytes(chart.screenshot())


DRAW = {"before-after": before_and_after, "frontier": frontier, "linkage": linkage}
PIXELS = """async (picture) => {
  const bytes = Uint8Array.from(atob(picture), (c) => c.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const data = pen.getImageData(0, 0, image.width, image.height).data;
  let text = "";
  for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
  return [image.width, image.height, btoa(text)];
}"""


def small(browser: Any, picture: bytes) -> bytes:
    """Return a picture as PNG with at most 256 colours, about a third of its size."""
    page = browser.new_page()
    width, height, pixels = page.evaluate(PIXELS, base64.b64encode(picture).decode())
    page.close()
    rgb = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(-1, 4)[:, :3].astype(np.int64)
    colours, codes, counts = np.unique(rgb // 4 * 4 + rgb // 85, axis=0, return_inverse=True, return_counts=True)
    kept = np.argsort(-counts)[:256]
    near = ((colours[:, None, :] - colours[kept][None, :, :]) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    rows = near[codes.reshape(-1)].reshape(height, width)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()
    palette = np.minimum(colours[kept], 255).astype(np.uint8).tobytes()
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description="Make the pictures of README and docs.")
    parser.add_argument("--out", type=Path, default=HERE / "docs" / "pictures")
    parser.add_argument("--width", type=int, default=1100)
    parser.add_argument("--scheme", choices=["light", "dark"], default="light")
    parser.add_argument("--whole", action="store_true", help="whole pages, not what is seen first")
    parser.add_argument("--only", nargs="*", choices=[*DRAWN, "app", *ALL], default=SHOWN, help="these only")
    said = parser.parse_args()
    made = draw(said.out, said.only) if {*said.only} & {*DRAWN} else []
    if {*said.only} & {"app", *ALL}:
        made += take(said.out, said.width, said.scheme, whole=said.whole, only=said.only)
    for path in made:
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
