"""Names of persons, and the files with them: the hash as its authors have it; ledgers of the first version."""

from __future__ import annotations

import hmac
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.encoded import encode
from discreet.ledger import entry
from discreet.ledger.people_file import LOW, number_of, people_bytes, read_people
from discreet.ledger.secret import HMAC, LedgerSecret
from discreet.ledger.siphash import halves, joined, keyed_hashes, order_of

KEY = bytes(range(16))
VECTORS = ("a3817f04ba25a8e66df67214c7550293", "da87c1d86b99af44347659119b22fc45")
"""Of nothing, and of one byte 0, by the key 0, 1, 2, ..., 15."""
MASK = 2**64 - 1


def turned(word: int, by: int) -> int:
    """Turn a word left."""
    return ((word << by) | (word >> (64 - by))) & MASK


def slow(text: bytes, key: bytes) -> int:
    """SipHash-2-4 with 128 bits, step by step."""
    k = [int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")]
    v = [
        k[0] ^ 0x736F6D6570736575,
        k[1] ^ 0x646F72616E646F6D ^ 0xEE,
        k[0] ^ 0x6C7967656E657261,
        k[1] ^ 0x7465646279746573,
    ]

    def rounds(number: int) -> None:
        for _ in range(number):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = turned(v[1], 13) ^ v[0]
            v[0] = turned(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = turned(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = turned(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = turned(v[1], 17) ^ v[2]
            v[2] = turned(v[2], 32)

    padded = text + b"\0" * (7 - len(text) % 8) + bytes([len(text) % 256])
    for begin in range(0, len(padded), 8):
        word = int.from_bytes(padded[begin : begin + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    high = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return high << 64 | (v[0] ^ v[1] ^ v[2] ^ v[3])


def test_the_vectors_of_its_authors() -> None:
    for text, wanted in zip(("", "\0"), VECTORS, strict=True):
        for found in (slow(text.encode(), KEY), keyed_hashes(pl.Series([text]), KEY).item()):
            assert b"".join((half % 2**64).to_bytes(8, "little") for half in (found >> 64, found)).hex() == wanted


@given(st.lists(st.text(max_size=40).filter(lambda text: not any("\ud800" <= one <= "\udfff" for one in text))))
def test_as_step_by_step(texts: list[str]) -> None:
    found = keyed_hashes(pl.Series(texts, dtype=pl.String), KEY)
    assert found.to_list() == [slow(text.encode(), KEY) for text in texts]
    assert joined(*halves(found)).equals(found)


@given(st.lists(st.sampled_from(["b", "é", "", "a", None])), st.sampled_from([2**16, 2]))
def test_a_column_as_numbers_of_its_texts(texts: list[str | None], most: int) -> None:
    said = pl.Series(texts, dtype=pl.String)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry, "MOST_CATEGORIES", most)
        column = entry.told_texts(said)
    assert column.cast(pl.String).equals(said)
    every = pl.Enum(["é", "never", "a", "b", ""])  # as another file may have them
    for one in (column, said.cast(every)):
        people = entry.people_frame(pl.Series(range(len(said)), dtype=pl.UInt128), [one])
        found = entry.PastRelease(
            "one", d.Policy.from_dict({"protect": [{"k": 2, "over": ["age"]}]}), ("ill",), people
        ).encoded("ill")
        assert found.domain == encode(said).domain
        assert found.codes.tolist() == encode(said).codes.tolist()


def test_a_file_has_names_as_two_numbers_and_is_read_back(tmp_path: Path) -> None:
    names = keyed_hashes(pl.Series(["a", "b", "c"]), KEY)
    people = pl.DataFrame({"person": names, "c0": pl.Series(["x", None, "y"], dtype=pl.Enum(["x", "y"]))})
    (tmp_path / "people.parquet").write_bytes(people_bytes(people))
    written = pl.read_parquet(tmp_path / "people.parquet")
    assert written.schema["person"] == written.schema[LOW] == pl.UInt64
    assert read_people(tmp_path / "people.parquet").equals(people.sort("person"))
    duckdb = pytest.importorskip("duckdb")
    lines = duckdb.sql(f"select person, person_low, c0 from read_parquet('{tmp_path / 'people.parquet'}')").fetchall()
    assert [(high << 64 | low, text) for high, low, text in lines] == people.sort("person").rows()


def test_a_ledger_of_the_first_version_goes_on(tmp_path: Path) -> None:
    """Its names are HMAC-SHA-256, as texts; the same persons are known again."""
    policy = {"protect": [{"k": 2, "over": ["age"]}]}
    rows = pl.DataFrame({"id": list("abcd"), "age": list("xxyy")})
    ledger = tmp_path / "ledger"
    d.protect(rows, policy, ledger=ledger, person="id").write(tmp_path / "one.csv")
    d.Ledger(ledger).publish("one.csv")
    key = (ledger / "secret").read_bytes().strip()
    digits = [hmac.digest(key, each.encode(), "sha256").hex()[:32] for each in rows["id"]]
    assert LedgerSecret(key, HMAC).names(rows["id"]).equals(number_of(pl.Series(digits)))
    old = pl.DataFrame({"person": digits, "c0": rows["age"]}).sort("person")
    old.write_parquet(ledger / "0123456789abcdef.parquet")  # names of files did not end with a hash
    body = json.loads((ledger / "ledger.json").read_text())
    body["entries"][0]["people"] = "0123456789abcdef.parquet"
    del body["hash"], body["check"]
    (ledger / "ledger.json").write_text(json.dumps({**body, "version": 1}))
    d.protect(rows, policy, ledger=ledger, person="id").write(tmp_path / "two.csv")
    found = d.Ledger(ledger).publish("two.csv")
    assert (found.matched, found.new, found.left, found.holds) == (4, 0, 0, True)
    assert json.loads((ledger / "ledger.json").read_text())["hash"] == HMAC


def test_names_with_equal_halves_are_put_in_order() -> None:
    numbers = pl.Series([2**64 + 2, 5, 2**64 + 1, 2**64 + 2**63], dtype=pl.UInt128)
    assert order_of(numbers).tolist() == [1, 2, 0, 3]
    assert order_of(pl.Series(["b", "a"])).tolist() == [1, 0]
