"""What a file is that is no table in a form that is read, by its first bytes: people are told what to do with it."""

from __future__ import annotations

KNOWN: tuple[tuple[bytes, str], ...] = (
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Excel workbook (.xls) or an encrypted one; save it as .xlsx without a password",
    ),
    (b"PARE", "an encrypted Parquet file; decrypt it first"),
    (b"\x1c\0\0\0\0\0\0\0ENCRYPTED", "an encrypted SPSS file; save it without a password"),
    (b"ORC", "an ORC file; convert it to Parquet"),
    (b"Obj\x01", "an Avro file; convert it to Parquet"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file; save its table as Parquet"),
    (b"%PDF-", "a PDF document; export its table as CSV"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it first"),
    (b"RDX2\n", "an R data file; save its table with write.csv or arrow::write_parquet"),
    (b"RDX3\n", "an R data file; save its table with write.csv or arrow::write_parquet"),
    (b"PGDMP", "a dump of PostgreSQL; restore it, and give the table by its address, postgresql://HOST/DATABASE#TABLE"),
    (b"FEA1", "a Feather file of version 1; save it again with a newer Arrow"),
    (b"\x80\x04\x95", "a pickle of Python, which is never opened; save its table as Parquet"),
    (b"\x80\x05\x95", "a pickle of Python, which is never opened; save its table as Parquet"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"PK\x03\x04", "a zip archive inside a packed file; unpack it first"),
    (b"SQLite format 3\0", "a SQLite database inside a packed file; unpack it first"),
    (b"PAR1", "a Parquet file that is cut off, or inside a packed file"),
    (b"ARROW1", "an Arrow file inside a packed file; unpack it first"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)


def foreign(start: bytes) -> str | None:
    """Return what a file is that starts so, and what to do with it; None where it may be text.

    >>> foreign(b"%PDF-1.7")
    'a PDF document; export its table as CSV'
    """
    return next((said for magic, said in KNOWN if start.startswith(magic)), None)
