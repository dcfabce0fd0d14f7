"""CSV files: every value comes back as it stood, and a file that could be misread is refused with its line."""

import codecs
import csv
import gzip
import io
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.table.formats.csv_reading import MISTAKEN, read_csv
from discreet.table.formats.csv_writing import is_plain, write_csv, write_csv_parts
from discreet.table.formats.dialect import Dialect
from discreet.table.local import LocalEngine
from tests.conftest import unprivileged
from tests.profiles import MANY

Row = tuple[str | None, ...]
Read = Callable[..., tuple[pl.DataFrame, Dialect]]
Message = Callable[..., str]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv") / "table.csv"


@pytest.fixture(scope="module")
def read(file: Path) -> Read:
    """Read bytes as if they were a file."""

    def read_bytes(data: bytes, **options: Any) -> tuple[pl.DataFrame, Dialect]:
        file.write_bytes(data)
        return read_csv(file, **options)

    return read_bytes


@pytest.fixture(scope="module")
def message(file: Path, read: Read) -> Message:
    """The error for a file, without the name of the file, which must come first."""

    def error_of(data: bytes, **options: Any) -> str:
        with pytest.raises(InputError) as caught:
            read(data, **options)
        text = str(caught.value)
        assert text.startswith(str(file))
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
        return text.removeprefix(str(file)).removeprefix(", ").removeprefix(": ")

    return error_of


def written(frame: pl.DataFrame, dialect: Dialect | None = None) -> bytes:
    target = io.BytesIO()
    write_csv(frame, target, dialect or Dialect())
    return target.getvalue()


# --- values -----------------------------------------------------------------------------------------------


def test_values_come_as_they_stand(read: Read) -> None:
    values = ["007", "NA", "null", "NaN", "1e5", " x", "x  ", "None", "true", "1,5", 'say "no"', "a\nb", "a\r\nb"]
    values += ["\r", "é\u0301🙂", "\\N", "#x", "'", "''", "-", "2020-01-01", "\ufeff", "\u2028", "\x1f", "\x85"]
    frame = pl.DataFrame({"first": values, "second": values[::-1]})
    assert read(written(frame))[0].equals(frame)


def test_blank_is_null_and_quoted_blank_is_the_empty_text(read: Read) -> None:
    frame, _ = read(b'a,b,c\n,"",x\n"",,\n')
    assert frame.rows() == [(None, "", "x"), ("", None, None)]
    assert frame.schema == {"a": pl.String, "b": pl.String, "c": pl.String}


def test_in_one_column_a_blank_line_is_a_null_and_the_end_is_no_row(read: Read) -> None:
    assert read(b'a\nx\n\n""\n\n')[0].rows() == [("x",), (None,), ("",), (None,)]
    assert read(b"a\nx\n")[0].rows() == read(b"a\nx")[0].rows() == [("x",)]
    assert read(b"a\r\n\r\nx\r\n\r\n")[0].rows() == [(None,), ("x",), (None,)]
    assert read(b"\n\n", header=False)[0].rows() == [(None,), (None,)]


def test_blank_lines_at_the_end_of_several_columns_are_ignored(read: Read) -> None:
    for end in (b"", b"\n", b"\n\n", b"\r\n\n\r\n\n"):
        assert read(b"a,b\n1,2" + end)[0].rows() == [("1", "2")]
        assert read(b"a,b" + end)[0].rows() == []


def test_a_header_alone_is_a_table_of_no_rows(read: Read) -> None:
    frame, dialect = read(b"a;b\r\n")
    assert frame.schema == {"a": pl.String, "b": pl.String}
    assert frame.height == 0
    assert dialect == Dialect(separator=";", line_end="\r\n")
    assert written(frame, dialect) == b"a;b\r\n"


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", *MISTAKEN, b"BZh9", b"PK\x03\x04", b"#", b"\\"])
def test_a_start_that_looks_like_another_kind_of_file_is_text(read: Read, start: bytes) -> None:
    # Polars unpacks what starts like compressed data and takes byte order marks away, also after the header.
    try:
        text = start.decode()
    except UnicodeDecodeError:
        text = start.decode("latin-1")
    for value in (text, text + "\u06a9y"):
        named = pl.DataFrame({value: [value, "x"], "b": [value, None]})
        assert read(written(named))[0].equals(named)
        assert read(written(named.select(value)), separator=",")[0].equals(named.select(value))
        for encoding in ("utf-8", "utf-16", "utf-16-le"):
            for bom in (False, True):
                dialect = Dialect(header=False, encoding=encoding, bom=bom)
                frame, found = read(written(named, dialect), header=list(named.columns), encoding=encoding)
                assert frame.equals(named)
                assert found == dialect


cells = st.one_of(
    st.none(),
    st.text(st.sampled_from('a \t,;|"\n\r\ufeffü\u0301🙂'), max_size=4),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5),
)
names = cells.filter(bool)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    columns = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.tuples(*(cells for _ in columns)), max_size=6))
    return pl.DataFrame(rows, schema={str(name): pl.String for name in columns}, orient="row")


dialects = st.builds(
    Dialect,
    separator=st.sampled_from(",;\t| a:\x1f"),
    header=st.booleans(),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32-le", "gb18030"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
)


@MANY
@given(frame=tables(), dialect=dialects)
@example(frame=pl.DataFrame({"\ufeffa": ["\ufeff", None]}), dialect=Dialect())
@example(frame=pl.DataFrame({"a": [None, "\r", None]}), dialect=Dialect(line_end="\r\n"))
@example(frame=pl.DataFrame({"a": ["\u8b1f"]}), dialect=Dialect(header=False, encoding="utf-16-le"))
def test_a_table_written_is_the_table_read(read: Read, frame: pl.DataFrame, dialect: Dialect) -> None:
    if not dialect.header and not frame.height:
        return  # an empty file
    header = True if dialect.header else frame.columns
    again, found = read(written(frame, dialect), separator=dialect.separator, header=header, encoding=dialect.encoding)
    assert again.equals(frame, null_equal=True)
    assert found == dialect


# --- the grammar, compared with slow readers ----------------------------------------------------------------


class WrongError(Exception):
    """What the slow reader refuses: the line."""


class Field(NamedTuple):
    text: str | None
    line: int


def slow_records(text: str, separator: str) -> Iterator[list[Field]]:
    """The records, read one character at a time, with the lines on which their fields start."""
    record: list[Field] = []
    place, line = 0, 1
    while True:
        begin, value = line, ""
        if quoted := text.startswith('"', place):
            place += 1
            while not text.startswith('"', place) or text.startswith('""', place):
                if place >= len(text):
                    raise WrongError(begin)
                value += text[place]
                line += text[place] == "\n"
                place += 2 if text[place] == '"' else 1
            place += 1
        while place < len(text) and text[place] not in (separator, "\n") and text[place : place + 2] != "\r\n":
            if quoted or text[place] in '"\r':
                raise WrongError(line)
            value += text[place]
            place += 1
        record.append(Field(value if value or quoted else None, begin))
        if place < len(text) and text[place] == separator:
            place += 1
            continue
        yield record
        place += 2 if text.startswith("\r", place) else 1
        if place >= len(text):
            return
        record = []
        line += 1


def slow_read(text: str, separator: str) -> list[Row]:
    """The table, its header first; the checks in the order of read_csv."""
    rest = slow_records(text, separator)
    found = [next(rest)]
    header = [field.text for field in found[0]]
    if not all(header) or len(set(header)) < len(header):
        raise WrongError(1)
    found.extend(rest)
    while len(header) > 1 and len(found[-1]) == 1 and found[-1][0].text is None:
        found.pop()
    for record in found:
        if len(record) != len(header):
            raise WrongError(record[0].line)
    return [tuple(field.text for field in record) for record in found]


texts = st.lists(st.sampled_from(["a", "b", " ", '"', '"', '""', ",", ",", "\n", "\n", "\r\n", "\r", "ü"]), max_size=40)
wellformed = st.lists(
    st.lists(
        st.sampled_from(["", "a", "b ", '""', '"a"', '"\n"', '"""a"', '","', '"\r"', '"\r\nü"']), min_size=2, max_size=3
    ),
    max_size=30,
)


def random_text(parts: Sequence[str], lines: Sequence[Sequence[str]], ends: Sequence[str]) -> str:
    """A mostly correct file with some noise at its end."""
    text = "a,b\n" if lines else ""
    for number, fields in enumerate(lines):
        text += ",".join(fields) + ends[number % len(ends)]
    return text + "".join(parts)


files = st.builds(
    random_text,
    st.one_of(st.just([]), texts),
    st.one_of(st.just([]), wellformed, wellformed.map(lambda lines: [fields[:2] for fields in lines])),
    st.lists(st.sampled_from(["\n", "\r\n"]), min_size=1, max_size=2),
)


@MANY
@given(text=files, mapped=st.booleans())
@example(text='a,b\n1,"2\n3,"4"\n', mapped=True)
@example(text="a,b\n1\n2,3,4\n", mapped=True)
@example(text='a\n"' + "x" * 61 + '"\n"' + "y" * 61 + '"z\n', mapped=True)
@example(text="a\n" + "x" * 61 + "\r", mapped=True)
@example(text="a\n" + "x" * 61 + "\ry\n", mapped=True)
@example(text="a\n" + "x" * 61 + "\r\ny\r\n", mapped=True)
@example(text="a\n" + "x" * 61 + "\r\n", mapped=True)
@example(text='a\n"' + "x" * 60 + '"y\n', mapped=True)
@example(text="a,b\n" + "1,2\n" * 40 + '"3\n",4\n', mapped=True)
@example(text="a,b\n,\n\n,,", mapped=True)
def test_what_is_read_and_what_is_refused_equals_a_slow_reader(read: Read, text: str, mapped: bool) -> None:
    # Blocks of 64 bytes, so that quotes, line ends and records fall on their edges.
    expected: list[Row] | str = "is empty"
    if text:
        try:
            expected = slow_read(text, ",")
        except WrongError as error:
            expected = f"line {error.args[0]}: "
    size = 1 if mapped else 1 << 20
    with (
        mock.patch("discreet.table.formats.records.BLOCK", 64),
        mock.patch("discreet.table.formats.dialect.MAPPED", size),
    ):
        try:
            frame, _ = read(text.encode(), separator=",")
            found: list[Row] | str = [tuple(frame.columns), *frame.rows()]
        except InputError as error:
            found = str(error)
    if isinstance(expected, str):
        assert expected in found
    else:
        assert found == expected


@MANY
@given(data=st.one_of(files.map(str.encode), st.lists(st.sampled_from(list(b'a,"\n\r\xff\0')), max_size=12).map(bytes)))
def test_what_is_read_equals_the_csv_module(read: Read, data: bytes) -> None:
    try:
        frame, _ = read(data, separator=",", header=False)
    except InputError:
        return
    expected = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
    while frame.width > 1 and not expected[-1]:
        expected.pop()
    assert [[value or "" for value in row] for row in frame.rows()] == [row or [""] for row in expected]


@pytest.mark.slow
def test_a_large_file_with_line_ends_in_quotes(read: Read) -> None:
    # Polars reads parts of a large file at once and must find where records start.
    chance = random.Random(1)
    pieces = ["a", '"', ",", "\n", "\r\n", '",\n"', "ü", "long text " * 3]
    rows = [["".join(chance.choices(pieces, k=chance.randint(0, 6))) for _ in range(3)] for _ in range(50_000)]
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String, "c": pl.String}, orient="row")
    data = written(frame)
    assert read(data)[0].equals(frame)
    assert [tuple(row) for row in csv.reader(io.StringIO(data.decode(), newline=""))][1:] == frame.rows()


@pytest.mark.parametrize("place", [1, 1000, 99_999, 100_000])
def test_one_short_record_in_a_large_file_is_found(message: Message, place: int) -> None:
    lines = [b"a,b,c"] + [b"1,2,3"] * 100_000
    lines[place] = b"1,2"
    assert message(b"\n".join(lines)).startswith(f"line {place + 1}: 2 fields, expected 3 (as in the header)")
    lines[place - 1 or 5] = b"1,2,3,4"  # as many separators as there should be
    first = min(place, place - 1 or 5) + 1
    assert message(b"\n".join(lines)).startswith(f"line {first}: ")


# --- separator, header, skip, encoding ----------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(read: Read, separator: str) -> None:
    others = "".join(other for other in ",;\t|" if other != separator)
    frame = pl.DataFrame({"a": ["x", f"y{others}", None], "b": [f"{separator}{others}", "", "1"]})
    again, dialect = read(written(frame, Dialect(separator=separator)))
    assert again.equals(frame)
    assert dialect.separator == separator


def test_the_separator_with_most_fields_wins_and_a_tab_in_a_tsv_file(read: Read, tmp_path: Path) -> None:
    assert read(b"a;b,c,d\n1;2,3,4\n")[1].separator == ","
    data = b"a,b,c\td\n1,2,3\t4\n"
    assert read(data)[1].separator == ","
    for name in ("table.tsv", "table.TSV.gz"):
        path = tmp_path / name
        path.write_bytes(data)
        assert read_csv(path)[1].separator == "\t"
    path.write_bytes(b"a,b\n1,2\n")
    assert read_csv(path)[1].separator == ","


def test_separators_in_quotes_do_not_count(read: Read) -> None:
    assert read(b'"a,b,c";d\n"1,2\n3";4\n')[0].columns == ["a,b,c", "d"]


def test_a_file_that_fits_no_separator_is_one_column(read: Read) -> None:
    frame, dialect = read(b"remark\nfine\nwell, yes\n\nno; or so | perhaps\n")
    assert frame.rows() == [("fine",), ("well, yes",), (None,), ("no; or so | perhaps",)]
    assert read(written(frame, dialect), separator=dialect.separator)[0].equals(frame)
    assert read(b"remark\nx\n,\n;\n\t\n|\n")[0]["remark"].to_list() == ["x", ",", ";", "\t", "|"]


def test_a_ragged_file_is_not_mistaken_for_one_column(message: Message) -> None:
    assert message(b"a,b,c\n1,2,3\n4,5\n6,7,8\n") == (
        "line 3: 2 fields, expected 3 (as in the header); "
        "the separator (,) was guessed, give it as `separator` if it is another"
    )
    assert message(b"a,b\n1\n").startswith("line 2: 1 field, expected 2 (as in the header)")
    assert message(b"|a remark\na;b\n1;2\n3;4\n").startswith("line 2: 2 fields, expected 1 (as in the header)")
    assert message(b"a,b\n1,2\n\n3,4\n") == "line 3: a blank line, expected 2 fields (as in the header)"


def test_any_ascii_separator_can_be_given(read: Read, message: Message) -> None:
    frame, dialect = read(b"a b\n1 2\n", separator=" ")
    assert frame.rows() == [("1", "2")]
    assert written(frame, dialect) == b"a b\n1 2\n"
    for wrong in ("", ",,", '"', "\n", "\r", "\0", "§"):
        assert message(b"a b\n", separator=wrong).startswith("separator: must be one ASCII character")
        with pytest.raises(InputError):
            Dialect(separator=wrong)


def test_a_file_without_header(read: Read, message: Message) -> None:
    frame, dialect = read(b"1,2\n3,4\n", header=False)
    assert frame.columns == ["column_1", "column_2"]
    assert dialect == Dialect(header=False)
    assert written(frame, dialect) == b"1,2\n3,4\n"
    assert read(b"1,2\n3,4\n", header=["x", "y"])[0].equals(frame.rename({"column_1": "x", "column_2": "y"}))
    assert message(b"1,2\n3\n", header=False, separator=",") == "line 2: 1 field, expected 2 (as in line 1)"
    wrong = message(b"1,2\n3,4\n", header=["x", "y", "z"])
    assert wrong.startswith("line 1: 2 fields, expected 3 (one for each name given)")
    assert message(b"1,2\n", header=["x"]).startswith("line 1: 2 fields, expected 1 (one for each name given)")
    assert message(b"1,2\n", header=["x", "x"]) == "columns 1 and 2 have the same name"
    assert message(b"1,2\n", header=["x", ""]) == "column 2 has no name"
    assert message(b"1,2\n", header=[]) == "header: the list of names is empty"


def test_lines_are_skipped_and_still_counted(read: Read, message: Message) -> None:
    frame, _ = read(b'a "remark", \xff\n\na,b\n1,2\n', skip=2)
    assert frame.rows() == [("1", "2")]
    assert message(b"remark\na,b\n1,2\n3\n", skip=1, separator=",").startswith("line 4: 1 field, expected 2")
    assert message(b"remark\n", skip=1) == "has nothing after the 1 lines to skip (`skip`)"
    assert message(b"remark", skip=3) == "has nothing after the 3 lines to skip (`skip`)"
    assert message(b"remark", skip=-1) == "skip: must be a number of lines, 0 or more"


def test_a_byte_order_mark_is_no_text_and_is_kept(read: Read) -> None:
    for header in (True, False):
        frame, dialect = read(b"\xef\xbb\xbfa,b\n1,2\n", header=header)
        assert dialect == Dialect(header=header, bom=True)
        assert frame.row(0) == (("1", "2") if header else ("a", "b"))
        assert written(frame, dialect) == b"\xef\xbb\xbfa,b\n1,2\n"
    assert read(b"\xef\xbb\xbfa,b\n1,2\n", encoding="utf-8-sig")[1] == Dialect(bom=True)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "UTF8"])
def test_other_encodings_are_read_and_written(read: Read, encoding: str) -> None:
    data = "größe;ä\r\n1;é\r\n".encode(encoding)
    frame, dialect = read(data, encoding=encoding)
    assert frame.rows() == [("1", "é")]
    assert frame.columns == ["größe", "ä"]
    assert written(frame, dialect) == data


def test_a_wrong_encoding_is_named_with_the_line(message: Message) -> None:
    wrong = message("a,b\n1,2\n3,é\n".encode("latin-1"))
    assert wrong == "line 3: not UTF-8 text; give its `encoding`, e.g. latin-1"
    assert message("a,é\n1,2\n".encode("latin-1")).startswith("line 1: not UTF-8 text")
    assert message("a,b\n1,2\n".encode("utf-16")).endswith("probably utf-16")
    wrong = message(b"a,b\n1,\x81\n", encoding="cp1252")
    assert wrong == "line 2: not text in the encoding cp1252; give another `encoding`"
    assert message(b"a,b", encoding="utf-16") == "line 1: not text in the encoding utf-16; give another `encoding`"
    for name in ("klingon", "rot13", "base64", "undefined", "a\0b", ""):
        assert message(b"a,b\n", encoding=name).startswith("there is no text encoding")


def test_gzip_is_read_whatever_the_name(read: Read, message: Message) -> None:
    packed = gzip.compress(b"a,b\n1,2\n")
    assert read(packed)[0].rows() == [("1", "2")]
    for damaged in (packed[:-3], packed[:5], packed[:15] + b"\xff" + packed[16:], packed + b"x"):
        assert message(damaged) == "is a gzip file that is damaged or cut off"


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "start"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"\n1,2\n", "line 1: a blank line where the names of the columns should stand"),
        (b"a,,c\n1,2,3\n", "line 1: column 2 has no name"),
        (b'a,b,""\n1,2,3\n', "line 1: column 3 has no name"),
        (b"a,b,c,b\n1,2,3,4\n", "line 1: columns 2 and 4 have the same name"),
        (b'a,b\n1,2\n"3\n",4\n5\n', "line 5: 1 field, expected 2 (as in the header)"),
        (b"a,b\n1,2,\n", "line 2: 3 fields, expected 2 (as in the header)"),
        (b"a,b\n1,2,3\n4\n", "line 2: 3 fields, expected 2 (as in the header)"),
        (b"a,b\r\n1,2\r\n\r\n3,4\r\n", "line 3: a blank line, expected 2 fields (as in the header)"),
        (b"a,b\n1,2\n \n", "line 3: 1 field, expected 2 (as in the header)"),
        (b"a,b\n1,x\0y\n", "line 2: a NUL byte"),
        (b'a,b\n1,x"y\n', "line 2: a stray quote in a field that does not start with one"),
        (b'a,b\n1, "x"\n', "line 2: a stray quote in a field that does not start with one"),
        (b'a,b\n1,"x"y\n', "line 2: a stray quote in the quoted field that opens in line 2"),
        (b'a,b\n1,"2\n3,"4"\n', "line 3: a stray quote in the quoted field that opens in line 2"),
        (b'a,b\n1,"""x\ny""z"\n2,"3"" \n', "line 4: a quote opens here that is never closed"),
        (b'a,b\n1,"2\n3,4\n', "line 2: a quote opens here that is never closed"),
        (b'a,"b\n1,2\n', "line 1: a quote opens here that is never closed"),
        (b"a,b\r1,2\r3,4\r", "line 1: a lone carriage return (CR) outside quotes"),
        (b"a,b\n1,2\n3,4\r5,6\n", "line 3: a lone carriage return (CR) outside quotes"),
        (b"a,b\n1,2\r\r\n", "line 2: a lone carriage return (CR) outside quotes"),
        (b"a,b\n1,2\r", "line 2: a lone carriage return (CR) outside quotes"),
    ],
)
def test_a_file_that_could_be_misread_is_refused(message: Message, data: bytes, start: str) -> None:
    assert message(data, separator=",").startswith(start)


def test_several_columns_need_more_than_blank_lines(message: Message) -> None:
    assert message(b"\n\r\n", header=["a", "b"]) == "has only blank lines"
    assert message(b"\xef\xbb\xbf\n", header=["a", "b"]) == "has only blank lines"


@given(noise=st.lists(st.sampled_from([b"SECRET", b'"', b",", b"\n", b"\r", b"\xff", b"\0"]), max_size=10))
def test_no_message_shows_a_value(file: Path, noise: list[bytes]) -> None:
    file.write_bytes(b"SECRET,SECRET\n" + b"".join(noise))
    with pytest.raises(InputError) as caught:
        read_csv(file)
    assert "SECRET" not in str(caught.value)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path, end in [
        (tmp_path / "none.csv", "there is no such file"),
        (tmp_path, "is a directory, not a file"),
        (tmp_path / "a\0b", "is not the name of a file"),
        (tmp_path / ("n" * 300), "cannot be read (File name too long)"),
    ]:
        with pytest.raises(InputError) as caught:
            read_csv(path)
        assert str(caught.value) == f"{path}: {end}"


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "closed.csv"
    path.write_bytes(b"a\n")
    path.chmod(0)
    with unprivileged(), pytest.raises(InputError, match=r"closed\.csv: cannot be read \(Permission denied\)"):
        read_csv(path)


def test_whatever_polars_fails_with_stays_inside(message: Message) -> None:
    for error in (pl.exceptions.ComputeError("SECRET"), OSError("SECRET"), pl.exceptions.PanicException("SECRET")):
        with mock.patch.object(pl, "read_csv", side_effect=error):
            assert message(b"a,b\n1,2\n") == "cannot be read as a table"
    with mock.patch.object(pl, "read_csv", return_value=pl.DataFrame({"a": ["1", "1"], "b": ["2", "2"]})):
        assert message(b"a,b\n1,2\n") == "cannot be read as a table"


def test_a_large_file_is_mapped_whatever_its_name(tmp_path: Path) -> None:
    text = "a,b\n" + "1,2\n" * 300_000
    for name in ("[a]*?.csv", "~", "plain.gz"):
        path = tmp_path / name
        path.write_text(text)
        assert read_csv(path)[0].height == 300_000
    path.write_text(text + "3\n")
    with pytest.raises(InputError, match="line 300002: 1 field, expected 2"):
        read_csv(path)
    path.write_bytes(text.encode() + b"3,\xff\n")
    with pytest.raises(InputError, match="line 300002: not UTF-8"):
        read_csv(path)


def test_a_large_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path, polars = tmp_path / "table.csv", pl.read_csv

    def meddle(*arguments: Any, **options: Any) -> pl.DataFrame:
        frame = polars(*arguments, **options)
        path.rename(tmp_path / "old.csv")
        path.write_text("a,b\n" + "3,4\n" * 300_000)
        return frame

    path.write_text("a,b\n" + "1,2\n" * 300_000)
    with mock.patch.object(pl, "read_csv", meddle), pytest.raises(InputError, match="was changed"):
        read_csv(path)


def test_what_would_not_come_back_is_not_written() -> None:
    for frame, dialect, start in [
        (pl.DataFrame({"a": ["x", "SECRET\0"]}), Dialect(), "column 'a': a NUL character"),
        (pl.DataFrame({"a\0": ["x"]}), Dialect(), "column 'a\\x00': a NUL character"),
        (pl.DataFrame({"a": ["x"], "": ["x"]}), Dialect(), "column 2 has no name"),
        (pl.DataFrame(), Dialect(), "a table without columns"),
        (pl.DataFrame({"a": ["x"], "b": [1]}), Dialect(), "column 'b': is not text"),
        (pl.DataFrame({"a": ["x"], "b": ["SECRET€"]}), Dialect(encoding="latin-1"), "column 'b': has a character"),
        (pl.DataFrame({"a": ["x"], "€": ["x"]}), Dialect(encoding="latin-1"), "column '€': has a character"),
        (pl.DataFrame({"a": ["SECRET¥"]}), Dialect(encoding="shift_jis"), "column 'a': has a character"),
        (pl.DataFrame({"a": ["x"]}), Dialect(encoding="klingon"), "there is no text encoding 'klingon'"),
        (pl.DataFrame({"a": ["x"]}), Dialect(encoding="hex"), "there is no text encoding 'hex'"),
        (pl.DataFrame({"a": ["x"]}), Dialect(encoding="latin-1", bom=True), "bom: there is no byte order mark"),
    ]:
        with pytest.raises(InputError) as caught:
            written(frame, dialect)
        assert str(caught.value).startswith(start)
        assert "SECRET" not in str(caught.value)
    with pytest.raises(InputError):
        Dialect(line_end="\r")


def test_categories_are_written_as_text_and_long_tables_in_parts() -> None:
    frame = pl.DataFrame({"a": ["x", None, "y"]}, schema={"a": pl.Categorical}).with_columns(b=None)
    assert written(frame) == b"a,b\nx,\n,\ny,\n"
    long = pl.DataFrame({"a": [str(number) for number in range(450_000)]})
    assert written(long, Dialect(encoding="utf-16")).decode("utf-16") == "\n".join(["a", *long["a"]]) + "\n"


def test_a_target_that_takes_little_at_a_time_gets_everything() -> None:
    class Slow(io.BytesIO):
        def write(self, data: Any, /) -> int:
            return super().write(bytes(data[:3]))

    target = Slow()
    write_csv(pl.DataFrame({"name": ["abcdef"]}), target, Dialect(bom=True))
    assert target.getvalue() == codecs.BOM_UTF8 + b"name\nabcdef\n"


def test_benchmark_files(data_dir: Path) -> None:
    frame, dialect = read_csv(data_dir / "adult.data", header=False)
    assert frame.shape == (32561, 15)
    assert frame.row(0)[1] == " State-gov"
    assert written(frame, dialect) == (data_dir / "adult.data").read_bytes().rstrip(b"\n") + b"\n"
    frame, _ = read_csv(data_dir / "adult.test", header=False, skip=1)
    assert frame.shape == (16281, 15)
    frame, dialect = read_csv(data_dir / "german.data", header=False, separator=" ")
    assert frame.shape == (1000, 21)
    assert written(frame, dialect) == (data_dir / "german.data").read_bytes()


@given(
    st.lists(st.tuples(st.text(max_size=4) | st.none(), st.sampled_from(["a", " b ", "-1", "é", None])), max_size=9),
    st.sampled_from([",", ";", "\t", "|", " ", "-"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_plain_is_written_as_ever_without_looking_for_quotes(
    rows: list[Row], separator: str, line_end: str
) -> None:
    dialect = Dialect(separator, line_end=line_end)
    table = pl.DataFrame(rows, schema={"x": pl.String, "y": pl.String}, orient="row")
    plain = [row for row in rows if is_plain(row, dialect)]
    some = pl.DataFrame(plain, schema=table.schema, orient="row")
    for columns in (["x", "y"], ["x"]):
        ever, quick = io.BytesIO(), io.BytesIO()
        write_csv_parts(columns, [some.select(columns)], ever, dialect)
        write_csv_parts(columns, [some.select(columns)], quick, dialect, plain=True)
        assert quick.getvalue() == ever.getvalue()
    for row in rows:
        if row not in plain:  # each of these has to stand in quotes
            assert b'"' in written(pl.DataFrame([row], schema=table.schema, orient="row"), dialect)


@pytest.mark.parametrize("cell", ["a,b", 'say "a"', "", "a\nb", "a\rb", "b"])
def test_a_release_is_written_with_quotes_where_some_cell_needs_them(cell: str, tmp_path: Path) -> None:
    """Also where the different texts of all columns are known."""
    frame = pl.DataFrame({"x": ["a", "a", cell], "y": ["1", None, "2"]})
    table = LocalEngine(frame)
    for name in table.columns:
        table.encoded(name)
    with (tmp_path / "r.csv").open("wb") as file:
        table.write(file, tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_bytes() == written(frame)
    assert read_csv(tmp_path / "r.csv")[0].equals(frame)
