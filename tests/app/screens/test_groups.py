"""Groups: every edit of a tree or a scale is an edit of the policy, with files beside it; nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.served import Served, served, wait

from discreet.app.group_tree import GroupTree  # isort: skip
from discreet.columns.taxonomy import Taxonomy
from discreet.errors import InputError

pytestmark = pytest.mark.xdist_group("app")

TABLE = "town,age,born,ill\n" + "".join(
    f"{town},{age},19{age}-03-01,{ill}\n"
    for town, age, ill in [
        ("Oslo", 31, "flu"),
        ("Oslo", 45, "cold"),
        ("Turku", 52, "flu"),
        ("Rome", 38, "cold"),
        ("Rome", 67, "flu"),
        ("<b>Bari</b>", 71, "cold"),
    ]
)
POLICY = """# as few words as can be
protect:
  - {k: 2, over: [town, age, born]}
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("groups")
    (folder / "people.csv").write_text(TABLE)
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "towns.csv").write_text("Oslo;North;*\nTurku;North;*\nRome;South;*\n")
    with served(folder) as found:
        found.enter()
        found.desk.take_policy(folder / "policy.yaml")
        found.desk.open_table("people.csv")
        found.page("/groups")
        wait(lambda: found.desk.figure("values").is_current)
        yield found


@pytest.fixture(autouse=True)
def _from_the_beginning(app: Served) -> None:
    if app.desk.now.text != POLICY:
        app.desk.write("Begin again", POLICY, dict.fromkeys(app.desk.now.files))
    wait(lambda: app.desk.figure("values").is_current)


def edit(app: Served, action: str, column: str = "town", **fields: str | list[str]) -> str:
    code, told = app.answer(f"/groups/{action}", column=column, **fields)
    assert code == 303, told
    return app.desk.now.text


def tree(app: Served, column: str = "town") -> object:
    policy = app.desk.reading.policy
    assert policy is not None
    found = policy.columns[column].taxonomy
    assert found is not None
    return found.to_tree()


@pytest.mark.slow
def test_a_column_without_groups_shows_its_values_as_text(app: Served) -> None:
    page = app.page("/groups?column=town")
    assert "&lt;b&gt;Bari&lt;/b&gt;" in page
    assert "<b>Bari" not in page


def test_groups_are_begun_gathered_moved_renamed_ordered_and_dissolved(app: Served) -> None:
    text = edit(app, "propose", kind="none")
    assert text.startswith("# as few words as can be")
    assert "town-groups.csv" in text
    assert tree(app) == {"*": ["<b>Bari</b>", "Oslo", "Rome", "Turku"]}
    edit(app, "tree", act="gather", node=["Oslo", "Turku"], name="North")
    edit(app, "tree", act="gather", node=["Rome"], name="South")
    edit(app, "tree", act="move", node="<b>Bari</b>", to="South")
    edit(app, "tree", act="rename", node="South", name="The South")
    assert tree(app) == {"*": {"North": ["Oslo", "Turku"], "The South": ["Rome", "<b>Bari</b>"]}}
    edit(app, "tree", act="up", node="The South")
    assert list(tree(app)["*"]) == ["The South", "North"]  # type: ignore[index]
    page = app.page("/groups?column=town")
    assert "&lt;b&gt;Bari" in page
    assert 'value="The South"' in page
    edit(app, "tree", act="dissolve", node="North")
    assert tree(app) == {"*": {"The South": ["Rome", "<b>Bari</b>"], "Oslo": None, "Turku": None}}
    app.desk.undo()
    assert "North" in tree(app)["*"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"act": "move", "to": "*"}, "choose"),
        ({"act": "gather", "node": "Oslo", "name": " "}, "name"),
        ({"act": "gather", "node": "Oslo", "name": "Rome"}, "already"),
        ({"act": "rename", "node": "Oslo", "name": "Oslo!"}, "only groups"),
        ({"act": "move", "node": "Oslo", "to": "Rome"}, "not into other values"),
        ({"act": "move", "node": "nobody", "to": "*"}, "reload"),
        ({"act": "melt", "node": "Oslo"}, "no such edit"),
    ],
)
def test_an_edit_that_cannot_be_is_refused_and_nothing_changes(app: Served, said: dict[str, str], word: str) -> None:
    edit(app, "propose", kind="none")
    before = app.desk.now.number
    code, told = app.answer("/groups/tree", column="town", **said)
    assert code == 422
    assert word in told
    assert app.desk.now.number == before


def test_a_file_is_imported_and_what_it_lacks_is_said(app: Served) -> None:
    edit(app, "import", path="towns.csv")
    page = app.words("/groups?column=town")
    assert "1 values of the table are in no group" in page
    edit(app, "add")
    assert tree(app) == {"*": {"North": ["Oslo", "Turku"], "South": ["Rome"], "<b>Bari</b>": None}}
    code, told = app.answer("/groups/import", column="town", path="../../etc/passwd")
    assert code == 422, told
    edit(app, "import", text="Oslo\tN\t*\nTurku\tN\t*\nRome\tS\t*\n<b>Bari</b>\tS\t*\n")
    assert tree(app) == {"*": {"N": ["Oslo", "Turku"], "S": ["Rome", "<b>Bari</b>"]}}
    code, told = app.answer("/groups/import", column="town", text='Oslo;N;*\n"Rome";"S;*\n')
    assert code == 422
    assert "quote" in told
    assert str(app.desk.sitting.path) not in told
    assert "town-groups.csv" in app.desk.now.files
    edit(app, "remove")
    assert "taxonomy" not in app.desk.now.text
    assert "town-groups.csv" not in app.desk.now.files, "what the policy names no more is not published with it"
    app.desk.undo()
    assert "town-groups.csv" in app.desk.now.files


@pytest.mark.slow
def test_numbers_have_ends_that_can_be_moved(app: Served) -> None:
    assert "look like numbers" in app.words("/groups?column=age")
    edit(app, "type", "age", type="number")
    wait(lambda: app.desk.figure("values").is_current)
    page = app.page("/groups?column=age")
    assert "<svg" in page
    assert "every 20" in page
    text = edit(app, "ends", "age", end=["40", "60"], more="50", top="70", bottom="", form="interval")
    assert "ends: [40, 50, 60]" in text.replace('"', "")
    assert "70" in text
    text = edit(app, "ends", "age", end=["40", "50", "60"], drop="50", top="", bottom="", form="median")
    assert "ends: [40, 60]" in text.replace('"', "")
    assert "top" not in text
    assert "median" in text
    before = app.desk.now.text
    for bad in ("x", "1e9999999"):
        code, told = app.answer("/groups/ends", column="age", end=bad)
        assert code == 422, told
    code, told = app.answer("/groups/ends", column="age", end="40", top="30", bottom="", form="interval")
    assert code == 422, told
    assert app.desk.now.text == before
    edit(app, "type", "age", type="category")
    assert "age:" not in app.desk.now.text


@pytest.mark.slow
def test_dates_are_put_on_a_scale(app: Served) -> None:
    assert "look like dates" in app.words("/groups?column=born")
    edit(app, "type", "born", type="date", date_format="")
    wait(lambda: app.desk.figure("values").is_current)
    page = app.words("/groups?column=born")
    assert "every year" in page
    assert "from 1931-03-01 to 1971-03-01" in page


def test_levels_are_previewed(app: Served) -> None:
    edit(app, "propose", kind="none")
    edit(app, "tree", act="gather", node=["Oslo", "Turku"], name="North")
    app.page("/groups")
    wait(lambda: app.desk.figure("checked").is_current)
    said = app.words("/groups?column=town")
    assert "level 1" in said
    assert "Smallest group" in said


def test_other_columns_are_not_edited(app: Served) -> None:
    code, _ = app.answer("/groups/propose", column="ill", kind="none")
    assert code == 422


def test_a_tree_of_one_group_in_another_is_what_it_was() -> None:
    made = Taxonomy.from_tree({"*": {"N": {"NN": ["a", "b"], "c": None}, "d": None}})
    tree = GroupTree.of(made)
    assert tree.taxonomy() == made
    tree.gather(["a"], "A")
    assert tree.taxonomy().to_tree() == {"*": {"N": {"NN": {"A": ["a"], "b": None}, "c": None}, "d": None}}
    tree.move(["NN"], "*")
    with pytest.raises(InputError, match="into itself"):
        tree.move(["NN"], "A")
    tree.move(["a", "b"], "N")
    assert tree.taxonomy().to_tree() == {"*": {"N": ["c", "a", "b"], "d": None}}
