"""Packed text files: gzip, bzip2, xz, zstd, or a zip archive with one file in it.

Nothing is unpacked without a limit: a small file may hold a text that fills memory or disk. Names of files in an
archive are never used.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import shutil
import zipfile
import zlib
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from discreet.errors import InputError

STEP = 1 << 24
PIECE = 1 << 16
"""Packed bytes that are read at once."""
ZSTD = b"\x28\xb5\x2f\xfd"
FREE = 0.9
"""Of the free disk, how much an unpacked text may take."""
NEVER = (1980, 1, 1, 0, 0, 0)
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, RuntimeError)


class _Anything:
    """Holds whatever it is asked for."""

    def __contains__(self, _: object) -> bool:
        return True


ANYTHING = _Anything()


@dataclass(frozen=True)
class Compression:
    """A way to pack a file."""

    name: str
    suffix: str
    magic: bytes
    unpacking: Callable[[BinaryIO, Path], BinaryIO]
    packing: Callable[[BinaryIO, str], BinaryIO]
    then: Container[bytes] = ANYTHING
    """What may stand from the fifth byte on, where the first ones alone could be a text."""


def packing_of(start: bytes) -> Compression | None:
    """Return how a file is packed that starts so."""
    return next((one for one in PACKINGS if start.startswith(one.magic) and start[4:10] in one.then), None)


def packing_for(path: Path) -> Compression | None:
    """Return how a file of this name is packed."""
    return next((one for one in PACKINGS if path.suffix.lower() == one.suffix), None)


def packed_as(path: Path) -> Compression | None:
    """Return how a file is packed; None where it is not, or cannot be read."""
    try:
        with path.open("rb") as file:
            return packing_of(file.read(10))
    except (OSError, ValueError):
        return None  # reading it says what is wrong


@contextlib.contextmanager
def unpacking(path: Path, said: Path) -> Iterator[BinaryIO]:
    """Open a packed file to read what is in it; `said` is what it is called in messages."""
    packing = packed_as(path)
    assert packing is not None
    with path.open("rb") as file:
        with _damaged(packing, said):
            inner = packing.unpacking(file, said)
        with contextlib.closing(inner):
            yield cast(BinaryIO, _PackedText(inner, packing, said))


class _PackedText:
    """A packed file whose damage is said as such."""

    def __init__(self, inner: BinaryIO, packing: Compression, said: Path) -> None:
        self.inner, self.packing, self.said = inner, packing, said

    def read(self, size: int) -> bytes:
        with _damaged(self.packing, self.said):
            return self.inner.read(size)


@contextlib.contextmanager
def _damaged(packing: Compression, said: Path) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if not isinstance(error, DAMAGED) and type(error).__name__ != "ZstdError":
            raise
        raise InputError(f"{said}: is a {packing.name} file that is damaged or cut off") from None


def unpacked(path: Path, said: Path, most: int) -> bytes:
    """Return what is in a packed file, at most so many bytes."""
    text = io.BytesIO()
    with unpacking(path, said) as source:
        while data := source.read(STEP):
            if text.tell() + len(data) > most:
                raise InputError(
                    f"{said}: unpacks to more than {most >> 20:,} MB, more than fits into memory; use --engine "
                    "streaming (in Python engine='streaming'), which unpacks it to the disk"
                )
            text.write(data)
    return text.getvalue()


def room_on_disk(folder: Path) -> int:
    """Return how many bytes an unpacked text may take in a folder."""
    return int(FREE * shutil.disk_usage(folder).free)


def too_large(said: Path, most: int) -> InputError:
    """Return the error for a file that would fill the disk."""
    return InputError(
        f"{said}: unpacks to more than {most >> 20:,} MB, more than the disk for scratch files has room for; nothing "
        "was written"
    )


def start_of(path: Path, size: int) -> tuple[bytes, int]:
    """Return the start of what is in a packed file, and about how long all of it is, by that."""
    whole = path.stat().st_size
    packing = packed_as(path)
    assert packing is not None
    with path.open("rb") as file, contextlib.closing(packing.unpacking(file, path)) as inner:
        sample = inner.read(size)
        if len(sample) < size:
            return sample, len(sample)
        return sample, max(whole * len(sample) // max(min(file.tell(), whole), 1), _told(path, packing))


def _told(path: Path, packing: Compression) -> int:
    """Return how long a file says that its content is."""
    if packing.name == "gzip":
        with path.open("rb") as file:
            file.seek(-4, 2)
            return int.from_bytes(file.read(4), "little")
    if packing.name == "zip":
        with zipfile.ZipFile(path) as archive:
            return max((one.file_size for one in archive.infolist()), default=0)
    return 0


def _member(file: BinaryIO, said: Path) -> BinaryIO:
    """Open the one file in a zip archive."""
    archive = zipfile.ZipFile(file)
    inside = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
    if len(inside) != 1:
        found = "holds no file" if not inside else f"holds {len(inside)} files"
        raise InputError(f"{said}: is a zip archive that {found}; unpack it, and give the file that is the table")
    if inside[0].flag_bits & 1:
        raise InputError(f"{said}: is an encrypted zip archive; decrypt it first")
    return cast(BinaryIO, archive.open(inside[0]))


class _OneInside(io.RawIOBase):
    """A zip archive that is being written, with one file in it."""

    def __init__(self, target: BinaryIO, name: str) -> None:
        super().__init__()
        self.archive = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)
        about = zipfile.ZipInfo(name, NEVER)
        about.compress_type, about.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        self.inner = self.archive.open(about, "w", force_zip64=True)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self.inner.write(data)

    def close(self) -> None:
        if not self.closed:
            self.inner.close()
            self.archive.close()
        super().close()


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise InputError("this is a zstd file: pip install 'discreet[zstd]'") from None
    return zstandard


class _Zstd:
    """A zstd file, of one frame or several; its library takes a cut-off frame for the end of the text."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.inner: BinaryIO = _zstandard().ZstdDecompressor().stream_reader(file, read_across_frames=True)

    def read(self, size: int) -> bytes:
        data = self.inner.read(size)
        if len(data) < size:
            _refuse_cut_zstd(self.file)
        return data

    def close(self) -> None:
        self.inner.close()


def _refuse_cut_zstd(file: BinaryIO) -> None:
    """Refuse a zstd file whose last frame is not whole, by the lengths that its frames and blocks tell (RFC 8878)."""
    end = file.seek(0, 2)
    at = 0
    while at < end:
        file.seek(at)
        start = file.read(5)
        if start[1:4] == b"\x2a\x4d\x18" and start[0] >> 4 == 5:  # a frame to be skipped
            file.seek(at + 4)
            at += 8 + int.from_bytes(file.read(4), "little")
            continue
        if start[:4] != ZSTD or len(start) < 5:
            raise EOFError
        single, sizes = start[4] >> 5 & 1, (0, 2, 4, 8)[start[4] >> 6]
        at += 5 + (1 - single) + (0, 1, 2, 4)[start[4] & 3] + (sizes or single)
        last = 0
        while not last and at < end:
            file.seek(at)
            block = int.from_bytes(file.read(3), "little")
            last, at = block & 1, at + 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
        if not last:
            raise EOFError
        at += 4 * (start[4] >> 2 & 1)
    if at != end:
        raise EOFError


class _Streams:
    """A file of bzip2 or xz, of one stream or several: what stands behind one and is none is not passed over."""

    def __init__(self, file: BinaryIO, new: Callable[[], Any], padding: bytes = b"") -> None:
        self.file, self.new, self.padding = file, new, padding
        self.stream, self.rest = new(), b""

    def read(self, size: int) -> bytes:
        found = io.BytesIO()
        while found.tell() < size and self._more():
            piece, self.rest = self.rest, b""
            found.write(self.stream.decompress(piece, size - found.tell()))
        return found.getvalue()

    def _more(self) -> bool:
        """Whether there is more to unpack."""
        if self.stream.eof:
            self.rest = self._behind(self.stream.unused_data)
            if not self.rest:
                return False
            self.stream = self.new()
        elif self.stream.needs_input and not self.rest:
            self.rest = self.file.read(PIECE)
            if not self.rest:
                raise EOFError
        return True

    def _behind(self, data: bytes) -> bytes:
        """Return what stands behind a stream, without padding; nothing at the end of the file."""
        data = data or self.file.read(PIECE)
        while self.padding and data and not (data := data.lstrip(self.padding)):
            data = self.file.read(PIECE)
        return data

    def close(self) -> None:
        """Nothing is open but the file."""


def _unxz(file: BinaryIO) -> _Streams:
    return _Streams(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), b"\0")


def _zstd(target: BinaryIO, _: str) -> BinaryIO:
    return cast(BinaryIO, _zstandard().ZstdCompressor().stream_writer(target, closefd=False))


PACKINGS = (
    Compression(
        "gzip",
        ".gz",
        b"\x1f\x8b",
        lambda file, _: cast(BinaryIO, gzip.GzipFile(fileobj=file)),
        lambda target, _: cast(BinaryIO, gzip.GzipFile("", "wb", fileobj=target, mtime=0)),
    ),
    Compression(
        "bzip2",
        ".bz2",
        b"BZh",
        lambda file, _: cast(BinaryIO, _Streams(file, bz2.BZ2Decompressor)),
        lambda target, _: cast(BinaryIO, bz2.BZ2File(target, "wb")),
        (b"1AY&SY", b"\x17rE8P\x90"),
    ),
    Compression(
        "xz",
        ".xz",
        b"\xfd7zXZ\0",
        lambda file, _: cast(BinaryIO, _unxz(file)),
        lambda target, _: cast(BinaryIO, lzma.LZMAFile(target, "wb")),  # noqa: SIM115 - who asks closes it
    ),
    Compression("zstd", ".zst", ZSTD, lambda file, _: cast(BinaryIO, _Zstd(file)), _zstd),
    Compression("zip", ".zip", b"PK\x03\x04", _member, lambda target, name: cast(BinaryIO, _OneInside(target, name))),
)
"""All ways to pack a file that are read and written."""
