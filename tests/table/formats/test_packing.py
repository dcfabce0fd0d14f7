"""Packed text: what is cut off or damaged is never read as a shorter table, wherever the cut is."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as d
from discreet.policy import FileOptions
from discreet.table.source import open_source

zstandard = pytest.importorskip("zstandard", reason="zstd files need zstandard")
_DRAW = random.Random(1)
LINES = ["a,b\n", *(f"{place},{_DRAW.randrange(10**9)}\n" for place in range(60_000))]
TEXT = "".join(LINES).encode()
HALVES = "".join(LINES[:30_000]).encode(), "".join(LINES[30_000:]).encode()


def zipped(text: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", text)
    return made.getvalue()


def zstd(text: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(text)  # type: ignore[no-any-return]


def zstd_streamed(text: bytes) -> bytes:
    """As a pipe writes it: without the length of the content, and without a checksum."""
    made = zstandard.ZstdCompressor(write_checksum=False).compressobj()
    return made.compress(text) + made.flush()  # type: ignore[no-any-return]


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
    "streamed.zst": zstd_streamed,
    "zip": zipped,
}
STREAMS = [name for name in PACKINGS if name != "zip"]


def rows(path: Path) -> int:
    return open_source(path, FileOptions()).rows


def kept(folder: Path, kind: str, data: bytes) -> Path:
    path = folder / f"t.csv.{kind}"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("kind", PACKINGS)
def test_a_cut_anywhere_is_refused(kind: str, tmp_path: Path) -> None:
    data = PACKINGS[kind](TEXT)
    assert rows(kept(tmp_path, kind, data)) == 60_000
    for cut in (12, len(data) // 3, len(data) * 9 // 10, len(data) - 9, len(data) - 4, len(data) - 1):
        with pytest.raises(d.InputError, match="damaged or cut off"):
            rows(kept(tmp_path, kind, data[:cut]))


@pytest.mark.parametrize("kind", STREAMS)
def test_several_streams_are_one_text(kind: str, tmp_path: Path) -> None:
    first, second = map(PACKINGS[kind], HALVES)
    assert rows(kept(tmp_path, kind, first + second)) == 60_000
    for cut in (len(first) + 2, len(first) + 9, len(first) + len(second) // 2, len(first) + len(second) - 1):
        with pytest.raises(d.InputError, match="damaged or cut off"):
            rows(kept(tmp_path, kind, (first + second)[:cut]))


@pytest.mark.parametrize("kind", STREAMS)
def test_what_stands_behind_a_stream_is_not_passed_over(kind: str, tmp_path: Path) -> None:
    """The second stream of a file may have lost its first bytes: the rest of the table would be missing."""
    first, second = map(PACKINGS[kind], HALVES)
    for behind in (b"x" + second[1:], b"not packed"):
        with pytest.raises(d.InputError, match="damaged or cut off"):
            rows(kept(tmp_path, kind, first + behind))


def test_padding_and_skipped_frames_are_passed_over(tmp_path: Path) -> None:
    skipped = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"
    first, second = map(lzma.compress, HALVES)
    assert rows(kept(tmp_path, "xz", first + b"\0" * 8 + second + b"\0" * 4)) == 60_000
    first, second = map(zstd, HALVES)
    assert rows(kept(tmp_path, "zst", first + skipped + second + skipped)) == 60_000
    with pytest.raises(d.InputError, match="damaged or cut off"):
        rows(kept(tmp_path, "zst", first + second + skipped[:-1]))


@pytest.mark.slow
def test_a_small_file_does_not_fill_memory_at_once(tmp_path: Path) -> None:
    """What is asked for is what is unpacked, however much a few bytes stand for."""
    from discreet.table.formats.packing import unpacking

    for kind in ("bz2", "xz", "zst"):
        path = kept(tmp_path, kind, PACKINGS[kind](b"a" * (1 << 26)))
        with unpacking(path, path) as file:
            assert len(file.read(1000)) == 1000
            assert len(file.read(1 << 20)) == 1 << 20
