"""The JSON Schema of audits fits what audits write, and nothing else."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.audit.audit import Audit
from discreet.audit.schema import audit_schema
from discreet.cli.app import app
from tests.audit.audits import ATTACKED, REAL, attacked, real, rich, sampled


def validate(document: object) -> None:
    jsonschema.Draft202012Validator(audit_schema()).validate(document)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from parts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from parts(part)


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(audit_schema())


@pytest.mark.parametrize("name", REAL)
def test_real_audits_fit(name: str) -> None:
    validate(json.loads(real(name).to_json()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKED)
def test_attacked_audits_fit(name: str) -> None:
    audit = attacked(name)
    assert audit.attacks is not None
    assert audit.utility is not None
    validate(json.loads(audit.to_json()))


@pytest.mark.parametrize("audit", [rich(), sampled(rich())], ids=["rich", "sampled"])
def test_an_audit_with_every_part_fits(audit: Audit) -> None:
    validate(json.loads(audit.to_json()))
    validate(json.loads(json.dumps(audit.to_dict())))


def test_a_regression_fits() -> None:
    policy = d.Policy(use=d.Regress("n"), protect=[d.KAnonymity(k=2, over=["a"])])
    table = {"a": ["x", "x", "y", "y"], "n": ["1", "2", "3", "4"]}
    validate(json.loads(d.protect(pl.DataFrame(table), policy).audit.to_json()))


@pytest.mark.parametrize(
    "place", [(), ("utility",), ("attacks", "attacks", 0), ("requirements", 2, "cells", "cells", 0)]
)
def test_what_is_not_in_it_is_refused(place: tuple[str | int, ...]) -> None:
    document = json.loads(rich().to_json())
    inside = document
    for step in place:
        inside = inside[step]
    validate(document)
    inside["unheard"] = 1
    with pytest.raises(jsonschema.ValidationError):
        validate(document)


def test_a_missing_field_is_refused() -> None:
    document = json.loads(rich().to_json())
    del document["attacks"]["attacks"][0]["baseline"]
    with pytest.raises(jsonschema.ValidationError):
        validate(document)


def test_every_field_is_described_and_nothing_else_allowed() -> None:
    for part in parts(audit_schema()):
        if "properties" in part and isinstance(part["properties"], dict) and part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert all(field["description"] for field in part["properties"].values())


def test_the_command_prints_it() -> None:
    printed = CliRunner().invoke(app, ["schema", "--audit"])
    assert printed.exit_code == 0
    assert json.loads(printed.stdout) == audit_schema()
