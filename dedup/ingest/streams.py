"""Bytes of a file, expanded if it is compressed, and never more of them than the limits allow."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias

from dedup.ingest.records import DamagedFileError, IngestError, ReadOptions

_FREE_BYTES = 64 * 2**20
_BUFFER = 2**20
_BLOCK = 2**16
COMPRESSIONS = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
Buffered: TypeAlias = "io.BufferedReader[Any]"


def compression_of(head: bytes) -> str | None:
    """Name of the compression that the first bytes of a file show, or None."""
    return next((name for magic, name in COMPRESSIONS.items() if head.startswith(magic)), None)


class _Expanding(Protocol):
    def read1(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


class ExpandingStream(io.RawIOBase):
    """A stream under watch: damage becomes a sentence, and growth beyond the limits ends it.

    Raises ``DamagedFileError`` while reading.
    """

    def __init__(self, source: _Expanding, *, file: str, packed_size: int, options: ReadOptions) -> None:
        self._source = source
        self._file = file
        self._packed_size = max(1, packed_size)
        self._options = options
        self._expanded = 0
        self._failure: DamagedFileError | None = None

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill ``buffer`` with expanded bytes; what was read before damage is handed out before the error."""
        if self._failure:
            raise self._failure
        filled = 0
        while filled < len(buffer):
            try:
                data = self._read(len(buffer) - filled)
            except DamagedFileError as error:
                self._failure = error
                if not filled:
                    raise
                break
            if not data:
                break
            buffer[filled : filled + len(data)] = data
            filled += len(data)
        return filled

    def close(self) -> None:
        """Close the source too."""
        if not self.closed:
            self._source.close()
        super().close()

    def _read(self, size: int) -> bytes:
        try:
            data = self._source.read1(size)
        except EOFError as error:
            raise DamagedFileError(f"{self._file} ends early: the compressed data is cut off.") from error
        except (OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError) as error:
            raise DamagedFileError(f"{self._file} is damaged: {error}.") from error
        self._expanded += len(data)
        self._check_limits()
        return data

    def _check_limits(self) -> None:
        if self._expanded > self._options.expanded_limit:
            raise DamagedFileError(
                f"{self._file} expands to more than the limit of {_size(self._options.expanded_limit)}; the rest was not read."
            )
        if self._expanded > max(_FREE_BYTES, self._packed_size * self._options.ratio_limit):
            raise DamagedFileError(
                f"{self._file} expands to more than {self._options.ratio_limit} times its size, the limit for compressed files; "
                "the rest was not read."
            )


def expanded(
    source: BinaryIO, compression: str, *, file: str, packed_size: int, options: ReadOptions
) -> Buffered:
    """Wrap a compressed stream as a buffered stream of its expanded bytes."""
    opener = _OPENERS[compression]
    watched = ExpandingStream(opener(source), file=file, packed_size=packed_size, options=options)
    return io.BufferedReader(watched, _BUFFER)


def open_file(path: Path, *, file: str) -> Buffered:
    """Open a file for reading bytes. Raises ``IngestError`` if that isn't possible."""
    try:
        return io.BufferedReader(io.FileIO(path), _BUFFER)
    except OSError as error:
        raise IngestError(f"{file} can't be opened: {error.strerror}.") from error


class _Zstandard:
    """Arrow's reader for Zstandard, which reads frame after frame and notices a missing end."""

    def __init__(self, source: BinaryIO) -> None:
        import pyarrow as pa

        self._stream = pa.CompressedInputStream(pa.PythonFile(source, mode="r"), "zstd")

    def read1(self, size: int) -> bytes:
        """Read at most ``size`` bytes."""
        return bytes(self._stream.read(min(size, _BLOCK)))

    def close(self) -> None:
        """Close the source too."""
        self._stream.close()


_OPENERS: dict[str, Callable[[BinaryIO], _Expanding]] = {
    "gz": lambda source: gzip.GzipFile(fileobj=source),
    "bz2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zst": _Zstandard,
}


def _size(count: int) -> str:
    if count >= 2**30:
        return f"{count / 2**30:,.0f} GiB"
    return f"{count / 2**20:.0f} MiB" if count >= 2**20 else f"{count:,} bytes"
