"""Random files and random policies end in documented errors or verified releases, and never tell a secret."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from tests.fuzz_jobs import FuzzJob, complaints, fuzz_jobs
from tests.profiles import VERY_MANY

SECRET = "Xq7Zvv"
POLICY = d.Policy(
    use=d.Counts(),
    protect=[d.Template(given=["a", "b"], infer={"s": "1"}, at_most="60%")],
    missing=d.Missing(values=("?",), rows="unknown"),
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


pieces = st.sampled_from([
    b"a", b"b", b"s", b"1", b"0", b",", b",", b";", b"\t", b"\n", b"\n", b"\r\n", b"\r", b'"', b'""', b"?", b"*", b" ",
    b"a,b,s\n", b"x,y,1\n", b"x,y,0\n", b"\x00", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"\x1f\x8b", b"PAR1",
])  # fmt: skip
files = st.one_of(
    st.binary(max_size=60),
    st.lists(pieces, max_size=25).map(b"".join),
    st.lists(pieces, max_size=12).map(lambda parts: b"a,b,s\nx,y,1\n" + b"".join(parts)),
)


@pytest.mark.slow
@VERY_MANY
@given(files)
@example(b"a,b,s\nx,y,1\nx,y,0\n")
@example(b"PAR1PAR1")
def test_random_bytes_as_a_table(folder: Path, data: bytes) -> None:
    path = folder / "t.csv"
    path.write_bytes(data)
    try:
        release = d.protect(path, POLICY)
    except d.DiscreetError as error:
        assert str(error)
        return
    found = d.verify(release.table, POLICY, original=path)
    assert found.holds or not any("1" in row for row in release.table.rows())  # type: ignore[attr-defined]


words = st.sampled_from([
    "use", "protect", "infer", "given", "at_most", "columns", "role", "missing", "rows", "values", "file", "header",
    "separator", "encoding", "skip", "marker", "search", "disclosure", "disclose", "classify", "counts", "general",
    "drop", "value", "unknown", "identifier", "other", "75%", "0.5", "3/4", "75", "s", "a", "b", "1", "null", "true",
])  # fmt: skip
signs = st.sampled_from([
    ": ", ":\n  ", "\n", "- ", "\n  - ", "{", "}", "[", "]", ", ", "&x ", "*x", "'", '"', "#", "|\n", "\t", "? ",
])  # fmt: skip
texts = st.lists(words | signs, max_size=25).map("".join)
scalars = words | st.none() | st.booleans() | st.integers(-9, 999) | st.floats() | st.text(max_size=4)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4), max_leaves=12
)


@pytest.mark.slow
@VERY_MANY
@given(st.one_of(texts, st.text(max_size=40)), st.sampled_from([".yaml", ".toml"]))
def test_random_text_as_a_policy(folder: Path, text: str, suffix: str) -> None:
    path = folder / f"p{suffix}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        assert isinstance(d.read_policy(path), d.Policy)
    except d.PolicyError as error:
        assert error.problems
        assert all(problem.file == str(path) for problem in error.problems)


items = st.lists(st.dictionaries(words, documents, max_size=5), max_size=3)


@pytest.mark.slow
@VERY_MANY
@given(st.dictionaries(words, documents | items, max_size=6))
def test_random_documents_as_a_policy(document: dict[str, object]) -> None:
    try:
        policy = d.Policy.from_dict(document)
    except d.PolicyError as error:
        assert error.problems
        return
    assert d.Policy.from_dict(policy.to_dict()) == policy


lines = st.sampled_from([
    "x,y,1", "x,z,0", "w,y,0", "", "*,y,1", f"x,y,{SECRET}", f"w,z,{SECRET}", f"x,{SECRET}", f"x,y,{SECRET},1",
    f'x,y,"{SECRET}', f'x,y,{SECRET}"', f'x,y,"{SECRET}"1', f"x,y,{SECRET}\x00", f"x,y,{SECRET}\r", f"x,y,{SECRET}\\",
    f'"x,y,{SECRET}', f"{SECRET}",
])  # fmt: skip
headers = st.sampled_from(["a,b,s\n", "b,a,s\n", "", "a,b\n", "a,a,s\n"])


@pytest.mark.slow
@given(st.lists(lines, max_size=6), headers, st.sampled_from("123"))
def test_no_output_has_a_sensitive_value(folder: Path, rows: list[str], header: str, nines: str) -> None:
    """Whatever is wrong with the file, and also when nothing is: no sensitive value is printed anywhere."""
    (folder / "s.csv").write_bytes((header + "\n".join(rows)).encode())
    (folder / "s.yaml").write_text(f"protect: [{{infer: {{s: '1'}}, given: [a, b], at_most: {nines}9%}}]")
    table, policy = str(folder / "s.csv"), str(folder / "s.yaml")
    for command in (
        ["protect", table, "-p", policy, "-o", str(folder / "r.csv"), "--force"],
        ["protect", table, "-p", policy, "-o", str(folder / "r.csv"), "--force", "--json"],
        ["verify", table, "-p", policy, "--original", table],
        ["check", policy, "--table", table, "--json"],
        *([["init", table]] if header else []),  # without a header, the first row names the columns
    ):
        result = CliRunner().invoke(app, command)
        assert result.exit_code in (0, 1, 2)
        assert "internal error" not in result.output
        assert SECRET not in result.output


@pytest.mark.slow
@given(fuzz_jobs())
def test_random_jobs_of_every_kind(job: FuzzJob) -> None:
    """What comes out keeps its promises by a count that knows nothing of the product; the rest is refused."""
    try:
        policy = d.Policy.from_dict(job.policy)
        release = d.protect(job.frame, policy)
    except d.DiscreetError as error:
        assert str(error)
        assert not isinstance(error, d.BrokenPromise), "a search made what verification does not confirm"
        return
    released = release.table.to_dicts()  # type: ignore[attr-defined]
    # Which row is which cannot always be told where medians are published without their intervals and rows are gone.
    told: dict[str, Any] = {"intervals": release.intervals} if release.intervals else {}
    if release.order is not None:  # confidential cells need to know more than the rows
        released = [
            row for _, row in sorted(zip(release.order.tolist(), released, strict=True), key=lambda one: one[0])
        ]
    if release.plan.order is not None:
        told["order"] = release.plan.order
    assert not complaints(job, released, release.plan)
    assert d.verify(release.table, policy, original=job.frame, **told).holds
    gone = release.audit.removed - len(release.plan.removed) if policy.removes else release.audit.suppressed
    assert len(release.plan.suppressed) == gone
    assert d.Plan.from_json(release.plan.to_json()).to_json() == release.plan.to_json()
