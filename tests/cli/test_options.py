"""Sets of options: Typer sees each option where its set stands, the command gets one object."""

from __future__ import annotations

import inspect

from discreet.cli.options import (
    EngineOptions,
    ForceOption,
    KeyedEngineOptions,
    OriginalLayoutOptions,
    TableLayoutOptions,
    spread,
)


def test_each_option_of_a_set_is_a_parameter_where_the_set_stands() -> None:
    given = []

    def command(name: str, *, rows: KeyedEngineOptions, force: ForceOption = False, layout: TableLayoutOptions) -> None:
        """Do something."""
        given.append((name, rows, force, layout))

    made = spread(command)
    assert (made.__name__, made.__doc__) == ("command", "Do something.")
    parameters = inspect.signature(made).parameters
    assert list(parameters) == [
        *("name", "engine", "memory_limit", "key", "force"),
        *("separator", "header", "encoding", "skip", "codes", "decimal"),
    ]
    assert parameters["name"].default is inspect.Parameter.empty
    assert parameters["force"].default is False
    assert parameters["skip"].default is None
    layout = {"separator": ";", "header": True, "encoding": None, "skip": 2, "codes": True, "decimal": ","}
    made(name="a", engine="duckdb", memory_limit=None, key="id", force=True, **layout)
    said = TableLayoutOptions(";", True, None, 2, True, ",")
    assert given == [("a", KeyedEngineOptions("duckdb", None, "id"), True, said)]
    assert given[0][3].said() == layout


def test_a_set_that_says_one_option_otherwise_keeps_their_order() -> None:
    assert list(inspect.signature(OriginalLayoutOptions).parameters) == list(
        inspect.signature(TableLayoutOptions).parameters
    )


def test_how_a_table_is_opened() -> None:
    opened = KeyedEngineOptions("spark", "2GB", "id").opening()
    assert (opened.engine, opened.memory_limit, opened.key) == ("spark", "2GB", "id")
    assert EngineOptions().opening().key is None
