"""The Python face: dictionaries as policies, signatures that people read, every parameter described, no noise."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.policy.part import Part

TABLE = pl.DataFrame({"age": [31, 31, 44, 44], "town": ["A", "B", "A", "B"], "ill": ["flu", "cold", "flu", "cold"]})
PLAIN: dict[str, Any] = {
    "use": {"classify": "ill"},
    "columns": {"age": {"type": "number"}, "town": {"taxonomy": {"*": ["A", "B"]}}},
    "missing": {"values": ["?"], "rows": "value"},
    "protect": [{"k": 2, "over": ["age", "town"]}, {"infer": {"ill": "flu"}, "given": ["age"], "at_most": "60%"}],
}


def called() -> list[Any]:
    """Everything public that people call with parameters of their own."""
    names = [name for name in d.__all__ if name != "__version__"]
    found = [getattr(d, name) for name in names]
    parts = [each for each in found if isinstance(each, type) and issubclass(each, Part)]
    functions = [each for each in found if inspect.isfunction(each)]
    return [*functions, *parts, d.Release.attack, d.Release.write]


def test_dictionaries_are_policies() -> None:
    policy = d.Policy(**PLAIN)
    assert policy == d.Policy.from_dict(PLAIN)
    release = d.protect(TABLE, PLAIN)
    assert release.plan.policy == policy
    assert d.verify(release.table, PLAIN, original=TABLE).holds
    assert d.frontier(TABLE, PLAIN, ["60%"]).points[0].possible
    assert release.plan.apply(TABLE, policy=PLAIN).audit.verification.holds
    with pytest.raises(d.PolicyError, match=r"protect\[0\]"):
        d.protect(TABLE, {"protect": [{"k": 2}]})
    with pytest.raises(d.InputError, match="is not a policy; give a Policy, a dictionary, or the path of its file"):
        d.protect(TABLE, 7)  # type: ignore[arg-type]


def test_a_policy_is_checked_with_and_without_a_table() -> None:
    found = d.check(PLAIN, TABLE)
    assert found.possible
    assert found.rows == 4
    assert d.check(PLAIN).rows is None
    with pytest.raises(d.PolicyError, match="no row has"):
        d.check({"protect": [{"infer": {"ill": "plague"}, "given": ["age"], "at_most": "60%"}]}, TABLE)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "file"])
def test_a_draft_of_any_table(kind: str, tmp_path: Path) -> None:
    TABLE.write_csv(tmp_path / "t.csv")
    tables: dict[str, Callable[[], Any]] = {
        "polars": lambda: TABLE,
        "pandas": TABLE.to_pandas,
        "pyarrow": TABLE.to_arrow,
        "file": lambda: tmp_path / "t.csv",
    }
    found = d.draft(tables[kind](), secret=["ill"], known=["age", "town"])
    assert found.known == ("age", "town")
    assert "protect:" in found.text
    assert "ill" in found.secrets
    with pytest.raises(d.InputError, match="a draft needs a file, or a pandas, Polars or PyArrow table"):
        d.draft(TABLE.lazy())


@pytest.mark.slow
def test_attacks_alone_are_those_of_an_audit() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["town"])])
    found = d.attack_release(TABLE, policy, TABLE, seed=1)
    audit = d.audit_release(TABLE, policy, TABLE, seed=1)
    assert audit.attacks is not None
    assert [(each.name, each.released) for each in found.found] == [
        (each.name, each.released) for each in audit.attacks.found
    ]
    assert repr(found) == f"<Attacked: {len(found.found)} attacks; private>"


@pytest.mark.parametrize("each", called(), ids=lambda each: each.__qualname__)
def test_every_parameter_is_described(each: Any) -> None:
    names = [name for name in inspect.signature(each).parameters if name != "self"]
    doc = inspect.getdoc(each) or ""
    part = doc.partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    described = set(re.findall(r"\w+", " ".join(line for line in part.splitlines() if line[:1].strip())))
    assert set(names) <= described, set(names) - described


@pytest.mark.parametrize("each", called(), ids=lambda each: each.__qualname__)
def test_signatures_are_readable(each: Any) -> None:
    said = str(inspect.signature(each))
    assert not re.search(r"0x|Annotated|Validator|Pydantic|typing\.|Optional|FieldInfo|discreet\.", said)


def test_what_may_be_given_by_position_is() -> None:
    assert str(inspect.signature(d.Missing)).startswith("(*, rows: 'drop' | 'value' | 'unknown', values:")
    assert str(inspect.signature(d.Classify)).startswith("(target: str, *, ")
    assert "columns: Mapping[str, Column | dict] = {}" in str(inspect.signature(d.Policy))


def test_names_are_those_of_discreet() -> None:
    assert dir(d) == sorted(d.__all__)
    noise = {"model_dump", "model_fields", "construct", "parse_obj", "json", "dict", "copy"}
    for policy in (d.Policy, d.Policy(**PLAIN)):
        assert not noise & set(dir(policy))
        assert {"to_dict", "promises"} <= set(dir(policy))
