"""The command line as tests use it, on the example that comes with the package."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner, Result

import discreet as d
from discreet.cli.app import app

DEMO = Path(d.__file__).parent / "cli" / "demo"
"""The bank example."""


def run(*words: str, code: int = 0) -> Result:
    """Run a command that ends with this code."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result
