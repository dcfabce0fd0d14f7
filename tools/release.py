"""What the workflow of a release asks: is the tag the version, and do the built files work where nothing else is?

python tools/release.py check v0.2.0
python tools/release.py try dist
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def version() -> str:
    """Return the version of the source."""
    text = (ROOT / "src" / "discreet" / "version.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    assert found, "no version in src/discreet/version.py"
    return found[1]


def problems(tag: str, changelog: str) -> list[str]:
    """Return what keeps a tag from being a release."""
    found = []
    if tag != f"v{version()}":
        found.append(f"the tag is {tag}, the version in src/discreet/version.py is {version()}")
    headings = re.findall(rf"^## {re.escape(version())}\b(.*)$", changelog, re.MULTILINE)
    if not headings:
        found.append(f"CHANGELOG.md has no part '## {version()}'")
    elif "unreleased" in headings[0]:
        found.append(f"CHANGELOG.md says that {version()} is unreleased; write its date")
    return found


def try_built(dist: Path) -> None:
    """Install each built file with its default needs alone, and run the example, in a folder with nothing of ours."""
    files = [*dist.glob("*.whl"), *dist.glob("*.tar.gz")]
    if len(files) != 2:
        sys.exit(f"{dist}: a wheel and a source package are wanted, {len(files)} files were found")
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(Path(folder, "venv"), with_pip=True)
            programs = Path(folder, "venv", "Scripts" if sys.platform == "win32" else "bin")
            install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", "constraints.txt"]
            subprocess.run([programs / "python", *install, file.resolve()], cwd=ROOT, check=True)
            for words in (["--version"], ["doctor"], ["demo"]):
                subprocess.run([programs / "discreet", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        print(f"{file.name}: installs and works")


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["check", "try"])
    parser.add_argument("which", help="the tag, or the folder with the built files")
    said = parser.parse_args()
    if said.what == "try":
        try_built(Path(said.which))
    elif found := problems(said.which, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")):
        sys.exit("\n".join(f"::error title=release::{problem}" for problem in found))


if __name__ == "__main__":
    main()
