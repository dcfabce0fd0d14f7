"""`discreet schema`: the JSON Schema of policies or audits."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.reporting import print_json, reporting


def schema(
    audit: Annotated[bool, typer.Option("--audit", help="That of audits, as --json prints them, instead.")] = False,
) -> None:
    """Print the JSON Schema of policies, for editors that complete and check them.

    Example:

    discreet schema > policy.schema.json
    """
    with reporting():
        from discreet.audit.schema import audit_schema
        from discreet.policy.schema import policy_schema

        print_json(audit_schema() if audit else policy_schema())
