"""Policies from YAML, TOML and Python are the same; all mistakes are told at once, with line and fix."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.policy.build import build_policy
from discreet.policy.places import PolicySource
from tests.jobs import Job, jobs

YAML = """
file: {separator: ";", header: false, encoding: utf-8, skip: 1}
columns:
  Name: {role: identifier}
  Child: {role: other}
missing: {values: ["?", null], rows: drop}
use: {classify: Rating}
protect:
  - infer: {Bankruptcy: [Discharged, No]}
    given: [Job, Country]
    at_most: 75%
marker: "⊥"
search: disclosure
disclosure: {disclose: always}
"""
TOML = """
marker = "⊥"
search = "disclosure"
use = {classify = "Rating"}
missing = {values = ["?", "null"], rows = "drop"}

[file]
separator = ";"
header = false
encoding = "utf-8"
skip = 1

[columns]
Name = {role = "identifier"}
Child.role = "other"

[[protect]]
infer = {Bankruptcy = ["Discharged", "No"]}
given = ["Job", "Country"]
at_most = 0.75

[disclosure]
disclose = "always"
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_yaml_toml_and_python_say_the_same(tmp_path: Path) -> None:
    from_yaml = d.read_policy(write(tmp_path, "p.yaml", YAML.replace("null]", '"null"]')))
    from_toml = d.read_policy(write(tmp_path, "p.toml", TOML))
    from_python = d.Policy(
        file=d.FileOptions(separator=";", header=False, encoding="utf-8", skip=1),
        columns={"Name": d.Column(role="identifier"), "Child": d.Column(role="other")},
        missing=d.Missing(values=("?", "null"), rows="drop"),
        use=d.Classify("Rating"),
        protect=[
            d.Template(given=["Job", "Country"], infer={"Bankruptcy": ["Discharged", "No"]}, at_most=Fraction(3, 4))
        ],
        marker="⊥",
        search="disclosure",
        disclosure=d.Disclosure(disclose="always"),
    )
    assert from_yaml == from_toml == from_python


def test_values_stay_the_texts_they_are(tmp_path: Path) -> None:
    """YAML 1.1 would read No as false, 007 as 7, 1_000 as a thousand and 12:30 as minutes."""
    text = "protect: [{infer: {x: [No, 007, 1_000, 12:30, 1.0, true, 'null', null]}, given: [a], at_most: 1/2}]"
    policy = d.read_policy(write(tmp_path, "p.yaml", text))
    assert isinstance(policy.protect[0], d.Template)
    assert policy.protect[0].values == ("No", "007", "1_000", "12:30", "1.0", "true", "null", None)


def test_the_smallest_policy_has_the_documented_defaults(tmp_path: Path) -> None:
    policy = d.read_policy(write(tmp_path, "p.yaml", "protect: [{infer: {x: y}, given: [a], at_most: 0.5}]"))
    assert isinstance(policy.use, d.General)
    assert (policy.marker, policy.method, policy.missing, dict(policy.columns)) == ("*", "disclosure", None, {})


def mistakes(path: Path) -> list[str]:
    with pytest.raises(d.PolicyError) as error:
        d.read_policy(path)
    return [str(problem).replace(str(path), path.name) for problem in error.value.problems]


def test_all_mistakes_at_once_with_line_and_fix(tmp_path: Path) -> None:
    text = """\
use: {clasify: Rating}
protect:
  - infer: {Bankruptcy: Discharged}
    givven: [Job]
    at_most: 75
  - infer: {Child: No}
    given: [Child]
    at_most: 3/4
  - {at_most: 3/4}
  - infer: {A: x, B: y}
    given: []
    at_most: lots
columns:
  x: {role: identifer}
marker: ""
missing: {rows: drp}
zebra: blue
file: {separator: ab, header: maybe, skip: -1}
"""
    assert mistakes(write(tmp_path, "p.yaml", text)) == [
        "p.yaml:1: use: write {classify: COLUMN}, {regress: COLUMN}, counts or general",
        "p.yaml:3: protect[0].given: is missing; write the columns an adversary may know, such as [Job, Country]",
        "p.yaml:4: protect[0].givven: unknown field 'givven'; did you mean 'given'?",
        "p.yaml:5: protect[0].at_most: 75 is more than everybody; write 75% or 0.75",
        "p.yaml:7: protect[1].given: 'Child' cannot be both known and inferred; take it out of given",
        (
            "p.yaml:9: protect[2]: a requirement has one of 'infer' (with 'given' and 'at_most'), 'k' (with 'over'), "
            "'l' (with 'of' and 'over'), 't' (with 'of' and 'over'), 'infer: membership' (with 'given', 'among' and "
            "'at_most') and 'column' (with 'rows', 'ids' or 'where')"
        ),
        "p.yaml:10: protect[3].infer: name exactly one sensitive column; write one item of protect for each",
        "p.yaml:11: protect[3].given: name at least one column that an adversary may know",
        "p.yaml:12: protect[3].at_most: 'lots' is not a share; write a share like 75%, 0.75 or 3/4",
        "p.yaml:14: columns.x.role: write one of 'identifier' or 'other'",
        "p.yaml:15: marker: write at least one character",
        "p.yaml:16: missing.rows: write one of 'drop', 'value' or 'unknown'",
        f"p.yaml:17: zebra: unknown field 'zebra'; known are {', '.join(d.Policy.model_fields)}",
        "p.yaml:18: file.separator: the separator is one ASCII character, such as ',' ';' '|' or tab",
        "p.yaml:18: file.header: write true, false or the list of column names",
        "p.yaml:18: file.skip: write a number that is not negative",
    ]


def test_toml_mistakes_have_lines_too(tmp_path: Path) -> None:
    text = (
        '[use]\nclassify = 3\n\n[[protect]]\ninfer = {x = "y"}\ngiven = ["a"]\nat_most = 80\n[[protect]]\ngiven = "a"\n'
    )
    assert mistakes(write(tmp_path, "p.toml", text)) == [
        "p.toml:2: use.classify: write a text",
        "p.toml:7: protect[0].at_most: 80 is more than everybody; write 80% or 0.8",
        (
            "p.toml:8: protect[1]: a requirement has one of 'infer' (with 'given' and 'at_most'), 'k' (with 'over'), "
            "'l' (with 'of' and 'over'), 't' (with 'of' and 'over'), 'infer: membership' (with 'given', 'among' and "
            "'at_most') and 'column' (with 'rows', 'ids' or 'where')"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("protect: []", "p.yaml:1: protect: nothing to protect"),
        ("use: counts", "p.yaml:1: protect: is missing"),
        ("", "p.yaml: a policy has fields"),
        ("- a\n- b", "p.yaml:1: a policy has fields"),
        ("protect: [", "p.yaml:2: is not valid YAML"),
        (
            "marker: a\nmarker: b\nprotect: [{infer: {x: y}, given: [a], at_most: 1}]",
            "p.yaml:2: marker: stands here twice",
        ),
        ("protect: &p [*p]", "p.yaml:1: "),
        ("protect: [{infer: {x: }, given: [a], at_most: 1}]", "p.yaml:1: protect[0].infer.x: has no value"),
        ("protect:", "p.yaml:1: protect: nothing to protect"),
        (
            "protect: [{infer: x, given: [a], at_most: 1}]",
            "p.yaml:1: protect[0].infer: write fields and values, such as",
        ),
        ("missing: drop\nprotect: []", "p.yaml:1: missing: write fields and values, such as {values:"),
        ("missing: {values: [x]}\nprotect: []", "p.yaml:1: missing.rows: is missing; write rows: drop, value or"),
        ("protect: {infer: {x: y}}", "p.yaml:1: protect: write a list of requirements"),
        ("protect: [{infer: {x: y}, given: [a], at_most: 1e-400000000}]", "p.yaml:1: protect[0].at_most: too long"),
        (
            "protect: [{infer: {x: y}, given: [a, a], at_most: 1}]",
            "p.yaml:1: protect[0].given: a column is listed twice",
        ),
        (
            "protect: [{infer: {x: [y, y]}, given: [a], at_most: 1}]",
            "p.yaml:1: protect[0].infer: a value is listed twice",
        ),
        ("protect: [{infer: {x: []}, given: [a], at_most: 1}]", "p.yaml:1: protect[0].infer: name at least one value"),
        (
            "use: counts\nprotect: [{infer: {x: y}, given: [a], at_most: 1}]\ndisclosure: {disclose: beneficial}",
            "p.yaml:3: disclosure: 'disclose: beneficial' needs 'use: {classify: COLUMN}'",
        ),
    ],
)
def test_one_mistake(tmp_path: Path, text: str, expected: str) -> None:
    assert mistakes(write(tmp_path, "p.yaml", text))[0].startswith(expected)


def test_files_that_are_no_policies(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"a: b\nmarker: \xe9")
    for path, message in [
        (tmp_path / "absent.yaml", "there is no such policy file"),
        (tmp_path, "ends in .yaml, .yml, .json or .toml"),
        (write(tmp_path, "p.txt", ""), "ends in .yaml, .yml, .json or .toml"),
        (tmp_path / "latin.yaml", "latin.yaml:2: is not UTF-8 text"),
        (write(tmp_path, "bad.toml", "a = "), "is not valid TOML"),
    ]:
        with pytest.raises(d.InputError, match=message):
            d.read_policy(path)


def test_python_mistakes_are_reported_the_same_way() -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Template(given=[], infer={"b": 1}, at_most=75)
    assert [str(problem) for problem in error.value.problems] == [
        "given: name at least one column that an adversary may know",
        "at_most: 75 is more than everybody; write 75% or 0.75",
    ]


def test_policies_are_frozen() -> None:
    policy = d.Policy(protect=[d.Template(given=["a"], infer={"b": 1}, at_most="1/2")])
    with pytest.raises(Exception, match="frozen"):
        policy.marker = "x"  # type: ignore[misc]
    with pytest.raises(TypeError, match="frozen"):
        policy.columns["a"] = d.Column(role="other")  # type: ignore[index]
    with pytest.raises(TypeError, match="frozen"):
        policy.protect[0].infer["c"] = ("1",)  # type: ignore[union-attr]
    assert hash(policy) == hash(d.Policy.from_dict(policy.to_dict()))
    assert pickle.loads(pickle.dumps(policy)) == policy


@given(jobs())
def test_plain_data_and_back(job: Job) -> None:
    assert d.Policy.from_dict(job.policy.to_dict()) == job.policy


_plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 200) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_fields = st.sampled_from(
    [
        "use",
        "protect",
        "columns",
        "missing",
        "file",
        "marker",
        "search",
        "disclosure",
        "infer",
        "given",
        "at_most",
        "classify",
    ]
)


@pytest.mark.slow
@given(
    st.dictionaries(_fields, _plain | st.lists(st.dictionaries(_fields, _plain, max_size=4), max_size=3), max_size=6)
)
def test_random_documents_are_policies_or_policy_errors(document: dict[str, object]) -> None:
    try:
        build_policy(d.Policy, document, PolicySource())
    except d.PolicyError as error:
        assert error.problems


def test_a_small_file_that_means_a_huge_one_is_refused_at_once(tmp_path: Path) -> None:
    """Aliases of aliases: 9 lines that stand for a thousand million values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert any("too large" in problem for problem in mistakes(write(tmp_path, "p.yaml", "\n".join(lines))))


def test_values_from_numpy_are_values() -> None:
    import numpy as np

    template = d.Template(given=["a"], infer={"b": [np.int64(1), np.bool_(True)]}, at_most="1/2")  # type: ignore[list-item]
    assert template.values == ("1", "true")


@pytest.mark.parametrize("truth", [True, False])
def test_true_is_no_number(truth: bool) -> None:
    """Python takes True for 1: a promise of k = 1 that nobody meant."""
    for data in (
        {"protect": [{"k": truth, "over": ["a"]}]},
        {"protect": [{"k": 2, "over": ["a"]}], "file": {"skip": truth}},
    ):
        with pytest.raises(d.PolicyError, match="(k|skip): write a whole number"):
            d.Policy.from_dict(data)
    with pytest.raises(d.PolicyError, match="k: write a whole number"):
        d.KAnonymity(k=truth, over=["a"])


DEEP = 100_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "protect: " + "[" * DEEP),
        ("b.yaml", "protect: " + "[" * DEEP + "]" * DEEP),
        ("c.yaml", "protect: " + "{a: " * DEEP),
        ("d.yaml", "? " * DEEP),
        ("e.yaml", "\n".join(" " * level + "a:" for level in range(200))),
        ("f.json", '{"protect": ' + "[" * DEEP + "]" * DEEP + "}"),
        ("g.toml", "protect = " + "[" * DEEP + "]" * DEEP),
        ("h.toml", "protect = " + "{a = " * DEEP),
        ("i.toml", ".".join("a" * DEEP) + " = 1"),
        ("j.toml", "[" + ' . "a b"' * DEEP + "]"),
        ("k.toml", "[[" + ".".join("a" * DEEP) + "]]"),
    ],
    ids=lambda text: text if len(text) < 10 else "",
)
def test_a_policy_that_is_nested_too_deeply_is_refused_before_anything_breaks(
    tmp_path: Path, name: str, text: str
) -> None:
    """Each of these once ended the interpreter: out of stack in the reader of YAML, out of memory in that of TOML."""
    text = text.replace("[ . ", "[")
    with pytest.raises(d.PolicyError, match="nested too deeply"):
        d.read_policy(write(tmp_path, name, text))


MANY_DIGITS = "9" * 5_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", f"protect: [{{k: {MANY_DIGITS}, over: [a]}}]"),
        ("b.yaml", f"protect: [{{k: 2, over: [a]}}]\nfile: {{skip: {MANY_DIGITS}}}"),
        ("c.yaml", f"protect: [{{k: 2, over: [a]}}]\ngenetic: {{iterations: {MANY_DIGITS}}}"),
        ("d.yaml", "protect: [{k: 10000000000000000000, over: [a]}]"),
        ("e.toml", f'[[protect]]\nk = {MANY_DIGITS}\nover = ["a"]'),
        ("f.toml", f'[[protect]]\nk = 0x{MANY_DIGITS}\nover = ["a"]'),
        ("g.toml", f'[[protect]]\ninfer = {{b = 0x{MANY_DIGITS}}}\ngiven = ["a"]\nat_most = "50%"'),
        ("h.toml", f'[[protect]]\ninfer = {{b = "c"}}\ngiven = ["a"]\nat_most = 0x{MANY_DIGITS}'),
        ("i.toml", f'[[protect]]\nk = 2\nover = ["a"]\n[columns.a]\nweight = 0x{MANY_DIGITS}'),
    ],
    ids=lambda text: text if len(text) < 10 else "",
)
def test_numbers_with_thousands_of_digits_are_refused_in_plain_words(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(d.PolicyError, match="write a smaller|or less|write a number|too long") as caught:
        d.read_policy(write(tmp_path, name, text))
    assert "set_int_max_str_digits" not in str(caught.value)
    assert "999999999999" not in str(caught.value)
