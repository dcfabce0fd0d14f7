"""Value trees: what is read is one tree or refused with everything that is wrong with it, and nothing is lost."""

import csv
import pickle
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns import taxonomy_draft, taxonomy_plain
from discreet.columns.taxonomy import Taxonomy, read_taxonomy
from discreet.columns.taxonomy_nodes import TaxonomyNode
from discreet.errors import InputError
from tests.conftest import unprivileged

ONE_PLACE = "put it under the same label everywhere, or give it two names"
NO_CIRCLE = "no group can be below itself, so take one of these steps out"
ONE_ROOT = "let every line end with the same most general label, such as *"
WORK = {"*": {"Government": ["State-gov", "Local-gov"], "Private": None}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "work.csv"


def problems(file: Path, text: str | bytes) -> list[str]:
    """What is said about a file, without its name, which every problem must give."""
    file.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    with pytest.raises(InputError) as caught:
        read_taxonomy(file)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(str(file)) for line in lines)
    return [line.removeprefix(str(file)).removeprefix(", ").removeprefix(": ") for line in lines]


def tree_problems(tree: object) -> list[str]:
    with pytest.raises(ValueError) as caught:
        Taxonomy.from_tree(tree)
    return str(caught.value).splitlines()


# Reading


def test_nodes_are_in_preorder_with_ranges_of_leaves() -> None:
    taxonomy = Taxonomy.from_tree(WORK)
    assert taxonomy.leaves == ("State-gov", "Local-gov", "Private")
    assert taxonomy.nodes == (
        TaxonomyNode("*", 0, 3, (1, 4), None),
        TaxonomyNode("Government", 0, 2, (2, 3), 0),
        TaxonomyNode("State-gov", 0, 1, (), 1),
        TaxonomyNode("Local-gov", 1, 2, (), 1),
        TaxonomyNode("Private", 2, 3, (), 0),
    )


@pytest.mark.parametrize(
    "tree",
    [
        {"*": [{"Government": ["State-gov", "Local-gov"]}, "Private"]},
        {"*": [{"Government": ["State-gov", "Local-gov"], "Private": ""}]},
        {"*": {"Government": {"State-gov": None, "Local-gov": ""}, "Private": None}},
        {"*": [{"Government": ["State-gov"]}, {"Government": ["Local-gov", "State-gov"]}, "Private"]},
    ],
)
def test_inline_forms_mean_the_same(tree: object) -> None:
    assert Taxonomy.from_tree(tree) == Taxonomy.from_tree(WORK)


def test_numbers_and_booleans_are_the_texts_they_have_in_a_table() -> None:
    taxonomy = Taxonomy.from_tree({"*": {1: [10, 1.5], "yes": [True, False]}})
    assert taxonomy.leaves == ("10", "1.5", "true", "false")
    assert Taxonomy.from_paths([[10, 1, "*"], [1.5, 1, "*"]]).to_tree() == {"*": {"1": ["10", "1.5"]}}


def test_rows_may_differ_in_length_and_equal_neighbours_are_one_node() -> None:
    paths = [
        ["State-gov", "Government", "Government", "*"],
        ["Private", "Private", "Private", "*"],
        ["Local-gov", "Government", "*", "*"],
    ]
    assert Taxonomy.from_paths(paths).to_tree() == WORK


def test_groups_stay_together_however_the_lines_are_mixed(file: Path) -> None:
    file.write_text("a;G;*\nb;H;*\nc;G;*\nd;H;*\n", encoding="utf-8")
    assert read_taxonomy(file).leaves == ("a", "c", "b", "d")


def test_equal_lines_are_accepted(file: Path) -> None:
    file.write_text("a;G;*\nb;G;*\na;G;*\nc;*\n", encoding="utf-8")
    assert read_taxonomy(file).leaves == ("a", "b", "c")


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_separators_line_ends_and_byte_order_marks(file: Path, separator: str, line_end: str, bom: str) -> None:
    lines = ["State-gov;Government;*", "", "Local-gov;Government;*", "   ", "Private;*", ""]
    text = bom + line_end.join(lines).replace(";", separator)
    file.write_bytes(text.encode("utf-8"))
    assert read_taxonomy(file).to_tree() == WORK


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Smith, John;Staff;*\nDoe, Jane;Staff;*\nX;*\n", {"*": {"Staff": ["Smith, John", "Doe, Jane"], "X": None}}),
        ("Smith, John, Jr;S;*\nDoe, Jane, Dr;S;*\n", {"*": {"S": ["Smith, John, Jr", "Doe, Jane, Dr"]}}),
        ("a;b,G,*\nc;d,G,*\n", {"*": {"G": ["a;b", "c;d"]}}),
        ('"a;b";"G ""1""";*\n"c\nd";"G ""1""";*\ne;*\n', {"*": {'G "1"': ["a;b", "c\nd"], "e": None}}),
        ('5" pipe;G;*\n6" pipe;G;*\ne;*\n', {"*": {"G": ['5" pipe', '6" pipe'], "e": None}}),
        ("Zürich;Schweiz;⊥\n東京;日本;⊥\n大阪;日本;⊥\n", {"⊥": {"Schweiz": ["Zürich"], "日本": ["東京", "大阪"]}}),
        ("a\u2028b;G;*\nc\x0bd;G;*\n", {"*": {"G": ["a\u2028b", "c\x0bd"]}}),
        (" a;G;*\na;G;*\n007;*\nNA;*", {"*": {"G": [" a", "a"], "007": None, "NA": None}}),
    ],
)
def test_labels_come_out_as_they_went_in(file: Path, text: str, tree: dict[str, object]) -> None:
    file.write_text(text, encoding="utf-8", newline="")
    assert read_taxonomy(str(file)).to_tree() == tree


@pytest.mark.parametrize(
    ("name", "leaves", "levels"),
    [
        ("age", 100, 5),
        ("education", 16, 4),
        ("marital-status", 7, 3),
        ("native-country", 41, 3),
        ("occupation", 14, 3),
        ("race", 5, 2),
        ("salary-class", 2, 2),
        ("sex", 2, 2),
        ("workclass", 8, 3),
    ],
)
def test_the_hierarchies_of_arx(data_dir: Path, name: str, leaves: int, levels: int) -> None:
    path = data_dir / "adult-hierarchies" / f"adult_hierarchy_{name}.csv"
    taxonomy = read_taxonomy(path)
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter=";"))
    assert len(taxonomy.leaves) == leaves
    assert {len(taxonomy.ancestors(value)) for value in taxonomy.leaves} == {levels}
    assert all(taxonomy.ancestors(row[0]) == tuple(row) for row in rows)
    assert taxonomy.nodes[0].label == "*"
    assert Taxonomy.from_tree(taxonomy.to_tree()) == taxonomy


def test_a_group_with_one_group_is_one_node_in_the_education_of_arx(data_dir: Path) -> None:
    taxonomy = read_taxonomy(data_dir / "adult-hierarchies" / "adult_hierarchy_education.csv")
    labels = {node.label for node in taxonomy.nodes} - set(taxonomy.leaves)
    assert labels == {
        "*",
        "Higher education",
        "Undergraduate",
        "Professional Education",
        "Graduate",
        "High School",
        "Primary School",
    }


# Contraction


def test_a_node_with_one_child_keeps_the_lower_label() -> None:
    taxonomy = Taxonomy.from_tree({"*": {"A": {"B": ["b1", "b2"]}, "C": {"D": ["d"]}}})
    assert [node.label for node in taxonomy.nodes] == ["*", "B", "b1", "b2", "d"]
    assert [node.dropped for node in taxonomy.nodes] == [(), ("A",), (), (), ("D", "C")]
    assert taxonomy.ancestors("b1") == ("b1", "B", "A", "*")
    assert taxonomy.ancestors("d") == ("d", "D", "C", "*")


def test_the_root_keeps_its_label() -> None:
    taxonomy = Taxonomy.from_tree({"*": {"A": {"B": ["b1", "b2"]}}})
    assert taxonomy.nodes == (
        TaxonomyNode("*", 0, 2, (1, 2), None, ("B", "A")),
        TaxonomyNode("b1", 0, 1, (), 0),
        TaxonomyNode("b2", 1, 2, (), 0),
    )
    assert taxonomy.ancestors("b2") == ("b2", "B", "A", "*")


@pytest.mark.parametrize("tree", [{"*": ["a"]}, {"*": {"A": {"B": ["a"]}}}])
def test_a_tree_of_one_value_is_this_leaf(tree: dict[str, object]) -> None:
    taxonomy = Taxonomy.from_tree(tree)
    (node,) = taxonomy.nodes
    assert (taxonomy.leaves, node.label, node.children, node.parent) == (("a",), "a", (), None)
    assert taxonomy.ancestors("a")[0] == "a"
    assert taxonomy.ancestors("a")[-1] == "*"
    assert taxonomy.to_tree() == tree
    assert repr(taxonomy) == "Taxonomy(1 value under '*')"


# What it can tell


def test_ancestors_and_missing_values() -> None:
    taxonomy = Taxonomy.from_tree(WORK)
    assert taxonomy.ancestors("State-gov") == ("State-gov", "Government", "*")
    assert taxonomy.ancestors("Government") == taxonomy.ancestors("?") == ()
    assert taxonomy.missing_from(["?", "Private", "Government", "?"]) == ["?", "Government"]


def test_a_taxonomy_never_changes_and_can_be_a_key() -> None:
    taxonomy = Taxonomy.from_tree(WORK)
    assert {taxonomy: 1}[Taxonomy.from_tree(WORK)] == 1
    taxonomy.ancestors("Private")
    assert taxonomy == Taxonomy.from_tree(WORK) == pickle.loads(pickle.dumps(taxonomy))
    with pytest.raises(AttributeError):
        taxonomy.leaves = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        taxonomy.nodes[0].label = "?"  # type: ignore[misc]


def test_texts_are_short() -> None:
    taxonomy = Taxonomy.from_tree({"*": [str(number) for number in range(1000)]})
    assert repr(taxonomy) == "Taxonomy(1,000 values under '*')"
    assert str(Taxonomy.from_tree(WORK)) == "3 values in 1 group under '*'"


# Random trees


@st.composite
def trees(draw: st.DrawFn) -> dict[str, object]:
    """Any tree in the inline form that `to_tree` writes."""
    labels = iter(draw(st.lists(st.text(min_size=1), min_size=2, max_size=40, unique=True)))
    shapes = draw(st.recursive(st.none(), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=30))

    def written(shape: Any) -> Any:
        if not shape:
            return None
        pairs = [(label, written(inner)) for inner, label in zip(shape, labels, strict=False)]
        if any(inner for _, inner in pairs):
            return dict(pairs)
        return [label for label, _ in pairs] or None

    root = next(labels)
    return {root: written(shapes) or [next(labels)]}


@given(trees())
def test_the_inline_form_goes_round(tree: dict[str, object]) -> None:
    taxonomy = Taxonomy.from_tree(tree)
    assert taxonomy.to_tree() == tree
    assert Taxonomy.from_tree(taxonomy.to_tree()) == taxonomy


@given(trees())
def test_paths_go_round(tree: dict[str, object]) -> None:
    taxonomy = Taxonomy.from_tree(tree)
    paths = [taxonomy.ancestors(value) for value in taxonomy.leaves]
    assert Taxonomy.from_paths(paths) == taxonomy


@given(trees(), st.sampled_from(";,\t|"))
def test_files_go_round_whatever_is_in_the_labels(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, object], separator: str
) -> None:
    taxonomy = Taxonomy.from_tree(tree)
    path = tmp_path_factory.mktemp("trees") / "tree.csv"
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, delimiter=separator, quoting=csv.QUOTE_ALL)
        writer.writerows(taxonomy.ancestors(value) for value in taxonomy.leaves)
    if "\0" in path.read_text(encoding="utf-8"):
        with pytest.raises(InputError, match="NUL"):
            read_taxonomy(path)
    else:
        assert read_taxonomy(path) == taxonomy


@given(trees())
def test_ranges_of_leaves_are_contiguous_and_nested(tree: dict[str, object]) -> None:
    taxonomy = Taxonomy.from_tree(tree)
    root, *others = taxonomy.nodes
    assert (root.first, root.stop, root.parent) == (0, len(taxonomy.leaves), None)
    for position, node in enumerate(taxonomy.nodes):
        children = [taxonomy.nodes[child] for child in node.children]
        if children:
            assert len(children) >= 2
            assert all(child.parent == position for child in children)
            edges = [node.first, *(child.stop for child in children)]
            assert [child.first for child in children] == edges[:-1]
            assert edges[-1] == node.stop
            assert node.children[0] == position + 1
        else:
            assert taxonomy.leaves[node.first : node.stop] == (node.label,)
    assert all(node.parent is not None for node in others)
    labels = [label for node in taxonomy.nodes for label in node.labels]
    assert len(set(labels)) == len(labels)


# What is wrong with a file


def test_several_roots(file: Path) -> None:
    assert problems(file, "a;G;*\nb;G;*\nc;H;All\nd;I;x\n") == [
        f"has 3 roots: '*' (line 1), 'All' (line 3), 'x' (line 4); {ONE_ROOT}"
    ]


def test_of_many_roots_ten_are_listed(file: Path) -> None:
    (problem,) = problems(file, "".join(f"a{number};r{number}\n" for number in range(1013)))
    assert problem.startswith("has 1,013 roots: 'r0' (line 1), ")
    assert "'r9' (line 10) and 1,003 more; let" in problem


def test_a_line_that_ends_too_early_is_another_root(file: Path) -> None:
    (problem,) = problems(file, "a;G;*\nb;G\n")
    assert problem.startswith("has 2 roots: '*' (line 1), 'G' (line 2); ")


def test_a_circle_over_two_lines(file: Path) -> None:
    assert problems(file, "x;A;B;*\ny;B;A;*\n") == [
        f"line 2: goes round in a circle: 'A' is under 'B' (line 1), 'B' is under 'A' (line 2); {NO_CIRCLE}"
    ]


def test_a_circle_on_one_line(file: Path) -> None:
    (problem,) = problems(file, "x;A;B;C;A;*\n")
    assert problem.startswith("line 1: goes round in a circle: 'A' is under 'B' (line 1), 'B' is under 'C' (line 1), ")
    (problem,) = problems(file, "x;A;*\n*;A;*\n")
    assert problem.startswith("line 2: goes round in a circle: 'A' is under '*' (line 1), '*' is under 'A' (line 2);")


def test_a_circle_of_roots(file: Path) -> None:
    roots, circle = problems(file, "x;A;B\ny;B;A\n")
    assert roots.startswith("has 2 roots: 'B' (line 1), 'A' (line 2)")
    assert "'A' is under 'B' (line 1), 'B' is under 'A' (line 2)" in circle


def test_a_circle_does_not_hide_other_parents(file: Path) -> None:
    circle, clash = problems(file, "x;A;B;*\ny;B;A;*\nz;A;C;*\n")
    assert "circle" in circle
    assert clash.startswith("line 3: the group 'A' is under '*' (line 2) and under 'C' (line 3)")


@pytest.mark.slow
def test_many_long_circles_are_told_soon(file: Path) -> None:
    steps = "".join(f"v{number};a{number};a{number + 1};*\nw{number};a{number};a0;*\n" for number in range(20_000))
    found = problems(file, steps)
    assert sum("goes round in a circle" in problem for problem in found) == 10
    assert "and 10 more circles, and perhaps others" in found


def test_a_group_under_two_parents(file: Path) -> None:
    assert problems(file, "a;G;X;*\nb;G;X;*\nc;G;Y;*\n") == [
        f"line 3: the group 'G' is under 'X' (line 1) and under 'Y' (line 3); {ONE_PLACE}"
    ]


def test_a_value_under_two_parents(file: Path) -> None:
    assert problems(file, "a;G;*\nb;G;*\n\na;H;*\n") == [
        "line 4: the value 'a' is under 'G' (line 1) and under 'H' (line 4); keep one of the two lines"
    ]


def test_a_value_on_two_lines_with_other_ancestors(file: Path) -> None:
    assert problems(file, "a;G;*\na;G;H;*\n") == [
        f"line 2: the group 'G' is under '*' (line 1) and under 'H' (line 2); {ONE_PLACE}"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P;*\nx;P;*\n", "line 2: 'P' is a value (line 1) and a group (line 2); give the group another name"),
        ("x;P;*\nP;H;*\n", "line 2: 'P' is a value (line 2) and a group (line 1); give the group another name"),
    ],
)
def test_a_label_that_is_a_value_and_a_group(file: Path, text: str, message: str) -> None:
    assert problems(file, text) == [message]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a;;*", "the label in column 2 is empty; write a label, or leave the cell out"),
        (";G;*", "the label in column 1 is empty; write a label, or leave the cell out"),
        ('a;"";*', "the label in column 2 is empty; write a label, or leave the cell out"),
        ("a;G;*;", "ends with an empty cell; end the line with its most general label, without a separator after it"),
        ("a;*;;", "ends with an empty cell; end the line with its most general label, without a separator after it"),
        (";;", "has no labels; write the value and the groups above it, or leave the line out"),
    ],
)
def test_empty_labels(file: Path, row: str, message: str) -> None:
    assert problems(file, f"x;G;*\ny;G;*\n{row}\nz;G;*\n") == [f"line 3: {message}"]


@pytest.mark.parametrize("text", ["", "\n\r\n  \n", "\ufeff"])
def test_an_empty_file(file: Path, text: str) -> None:
    assert problems(file, text) == ["is empty; write one line for each value, such as State-gov;Government;*"]


@pytest.mark.parametrize("text", ["a\nb\nc\n", "a;a\nb;b\n", "*"])
def test_only_one_column(file: Path, text: str) -> None:
    fix = "write each value, the group it is in, and so on up to one label for all: State-gov;Government;*"
    assert problems(file, text) == [f"has only one column, no groups; {fix}"]


def test_a_line_with_one_label(file: Path) -> None:
    assert problems(file, "a;*\nb\nc;*\n*;*\n") == [
        "line 2: 'b' has no group above it; write the groups too, up to the root",
        "line 4: '*' has no group above it; write the groups too, up to the root",
    ]


def test_no_file_a_folder_and_a_file_that_may_not_be_read(tmp_path: Path, file: Path) -> None:
    with pytest.raises(InputError, match=r"work.csv: there is no such taxonomy file"):
        read_taxonomy(file)
    with pytest.raises(InputError, match="is a folder, not a taxonomy file"):
        read_taxonomy(tmp_path)
    with pytest.raises(InputError, match="is not the name of a file"):
        read_taxonomy("a\0b")
    file.write_text("a;*\n", encoding="utf-8")
    tmp_path.chmod(0o755)
    file.chmod(0)
    with unprivileged(), pytest.raises(InputError, match=r"work.csv: cannot be read \(Permission denied\)"):
        read_taxonomy(file)


def test_other_encodings_and_bytes_that_are_no_text(file: Path) -> None:
    assert problems(file, "a;*\nZürich;*\n".encode("latin-1")) == ["line 2: is not UTF-8 text; save it as UTF-8"]
    assert problems(file, "a;*\n".encode("utf-16")) == ["line 1: is not UTF-8 text; save it as UTF-8"]
    assert problems(file, "a;*\nb\0;*\n") == ["line 2: has a NUL byte; save it as UTF-8 text"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a;*\n"b;*\nc;*\n', "a quote is opened and never closed"),
        ('a;*\n"b"c;*\nc;*\n', "a label goes on after its closing quote"),
        (f"a;*\n{'b' * 200_000};*\n", "a label is too long, or a quote is not closed"),
    ],
)
def test_bad_quotes(file: Path, text: str, message: str) -> None:
    fix = 'write a quote inside a quoted label twice: "a ""b"" c"'
    assert problems(file, text) == [f"line 2: {message}; {fix}"]


def test_a_line_number_counts_the_lines_inside_quotes(file: Path) -> None:
    (problem,) = problems(file, 'a;*\n"b\nb\nb";*\n\nc;;*\n')
    assert problem.startswith("line 6: ")


def test_too_deep(file: Path) -> None:
    groups = [f"g{number}" for number in range(50)]
    assert problems(file, f"a;*\nb;{';'.join(groups)}\n") == ["line 2: has 51 levels; at most 50 can be"]
    file.write_text(f"b;{';'.join(groups[1:])}\n", encoding="utf-8")
    assert len(read_taxonomy(file).ancestors("b")) == 50


def test_too_large(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert taxonomy_draft.MOST_LEAVES == 1_000_000
    monkeypatch.setattr(taxonomy_draft, "MOST_LEAVES", 1_000)
    lines = [f"{number};*" for number in range(1_001)]
    assert problems(file, "\n".join(lines)) == ["is too large: it has more than 1,000 values"]
    file.write_text("\n".join(lines[1:] * 2), encoding="utf-8")
    assert len(read_taxonomy(file).leaves) == 1_000
    with pytest.raises(ValueError, match="^is too large: it has more than 1,000 values$"):
        Taxonomy.from_tree({"*": list(range(1_001))})


def test_all_problems_at_once_and_ten_of_each_kind(file: Path) -> None:
    empty = "".join(f"e{number};;*\n" for number in range(12))
    clashes = "".join(f"v{number};{group};*\n" for group in "GH" for number in range(13))
    found = problems(file, f"{empty}{clashes}P;*\nx;P;*\ny;G;All\n")
    assert found[0] == "line 1: the label in column 2 is empty; write a label, or leave the cell out"
    assert found[10] == "and 2 more lines with empty labels"
    assert found[11].startswith("has 2 roots: ")
    assert found[12].startswith("line 26: the value 'v0' is under 'G' (line 13) and under 'H' (line 26)")
    assert found[22] == "and 3 more values in two places"
    assert found[23] == f"line 41: the group 'G' is under '*' (line 13) and under 'All' (line 41); {ONE_PLACE}"
    assert len(found) == 25
    assert found[-1].startswith("line 40: 'P' is a value (line 39) and a group (line 40)")


def test_long_labels_are_cut_in_messages(file: Path) -> None:
    (problem,) = problems(file, f"{'a' * 10_000};G;*\n{'a' * 10_000};H;*\n")
    assert len(problem) < 200


# What is wrong with plain data


@pytest.mark.parametrize(
    ("tree", "given"),
    [(None, "nothing"), ({}, "nothing"), ("*", "str"), (["a", "b"], "list"), (7, "int")],
)
def test_a_tree_is_a_mapping_with_one_root(tree: object, given: str) -> None:
    fix = 'write one label for all values and the rest under it, as in {"*": ...}'
    assert tree_problems(tree) == [f"{fix}; given: {given}"]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"A": ["a"], "B": ["b"]}, "has 2 roots: 'A', 'B'; put them under one most general label, such as *"),
        ({"*": {"G": ["a"], "H": ["a"]}}, "the value 'a' is under 'G' and under 'H'; keep one of the two"),
        (
            {"*": {"G": {"X": ["a"]}, "H": {"X": ["b"]}}},
            "the group 'X' is under 'G' and under 'H'; put it under the same label everywhere, or give it two names",
        ),
        (
            {"*": {"A": {"B": {"A": ["a"]}}}},
            f"goes round in a circle: 'A' is under 'B', 'B' is under 'A'; {NO_CIRCLE}",
        ),
        ({"*": {"G": ["a"], "H": ["G"]}}, "'G' is a value and a group; give the group another name"),
        ({"*": {"G": []}}, "'G' is an empty group; write the values under it, or nothing if it is a value"),
        ({"*": {"G": {}}}, "'G' is an empty group; write the values under it, or nothing if it is a value"),
        ({"*": {"G": "a"}}, "'G' has no list; write the values under it as [one, two], or nothing if it is a value"),
        (
            {"*": ["a", None]},
            "'*' has an empty label under it; write texts, or mappings with what is under each label",
        ),
        (
            {"*": {"G": [""]}},
            "'G' has an empty label under it; write texts, or mappings with what is under each label",
        ),
        ({"": ["a"]}, "the tree has an empty label under it; write texts, or mappings with what is under each label"),
        (
            {"*": {"G": ["a", ["b"]]}},
            "'G' has a list for a label under it; write texts, or mappings with what is under each label",
        ),
    ],
)
def test_mistakes_in_a_tree(tree: object, message: str) -> None:
    assert tree_problems(tree) == [message]


@pytest.mark.parametrize("tree", [{"*": None}, {"*": ["*"]}])
def test_a_root_alone_has_no_values(tree: object) -> None:
    assert tree_problems(tree) == ["'*' has no values under it; write them as [one, two]"]


def test_all_mistakes_of_a_tree_at_once() -> None:
    found = tree_problems({"*": {"G": ["a", *([None] * 12)], "H": ["a"], "I": 5}})
    assert len(found) == 12
    assert found[10] == "and 3 more mistakes in the tree"
    assert found[11].startswith("the value 'a' is under 'G' and under 'H'")


def test_data_that_contain_themselves_end() -> None:
    tree: dict[str, object] = {}
    tree.update(a=tree, b=tree)
    assert tree_problems({"*": tree}) == ["is too deep, near 'a'; at most 50 levels can be"]


def test_aliases_of_aliases_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taxonomy_plain, "MOST_LABELS", 10_000)
    tree: object = ["a"]
    for number in range(45):
        tree = [{f"g{number}": tree}, {f"g{number}": tree}]
    assert tree_problems({"*": tree}) == ["is too large: it has more than 10,000 labels"]


def test_paths_name_their_lines() -> None:
    with pytest.raises(ValueError, match=r"^line 2: the value 'a' is under 'G' \(line 1\) and under 'H' \(line 2\)"):
        Taxonomy.from_paths([["a", "G", "*"], ["a", "H", "*"]])
    with pytest.raises(ValueError, match="^line 1: write a list, from the value up to the root$"):
        Taxonomy.from_paths(["abc"])
    with pytest.raises(ValueError, match="^line 1: write the labels as texts$"):
        Taxonomy.from_paths([["a", None, "*"]])
    with pytest.raises(ValueError, match="^line 1: has no labels"):
        Taxonomy.from_paths([[]])
    with pytest.raises(ValueError, match="^is empty; "):
        Taxonomy.from_paths([])


# Speed


@pytest.mark.slow
def test_a_hundred_thousand_lines_are_read(file: Path) -> None:
    numbers = list(range(100_000))
    random.Random(1).shuffle(numbers)
    lines = [f"{n:05};{n // 10:04}x;{n // 100:03}xx;{n // 1000:02}xxx;*\n" for n in numbers]
    file.write_text("".join(lines), encoding="utf-8")
    taxonomy = read_taxonomy(file)
    assert len(taxonomy.leaves) == 100_000
    assert len(taxonomy.nodes) == 100_000 + 10_000 + 1_000 + 100 + 1


def test_nothing_heavy_is_imported() -> None:
    heavy = "('numpy', 'polars', 'pydantic')"
    code = f"import sys, discreet.columns.taxonomy; print([n for n in {heavy} if n in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
