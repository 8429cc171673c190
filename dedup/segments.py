"""Immutable array files: a file under its final name is whole, or it is found out."""

import hashlib
import mmap
import os
import secrets
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

UNFINISHED_SUFFIX = ".unfinished"

_READ_BYTES = 4 * 1024 * 1024


class SegmentError(ValueError):
    """A stored array file is missing, damaged, or not what its record says."""


def write_array(path: Path, array: NDArray[Any]) -> str:
    """Write an array as a ``.npy`` file, whole or not at all, and return the SHA-256 of the file's bytes.

    The same values, shape and dtype always give the same bytes. A file of that name is replaced. The folder is made
    if it is missing. Raises ``ValueError`` for arrays that hold Python objects: reading those could run code.
    """
    return write_rows(path, [array])


def write_rows(path: Path, parts: Sequence[NDArray[Any]]) -> str:
    """Write one array from parts that follow each other along its first axis, without joining them in memory.

    The bytes are those of ``write_array`` of the joined parts. Raises ``ValueError`` where there is no part, or parts
    differ in dtype or in the shape of a row.
    """
    kinds = {(part.dtype, part.shape[1:]) for part in parts}
    if len(kinds) != 1:
        raise ValueError(f"{path.name}: one array has one kind of row, not {len(kinds)}")
    dtype, row_shape = kinds.pop()
    if dtype.hasobject:
        raise ValueError(f"{path.name}: arrays of Python objects are never stored")
    header = BytesIO()
    np.lib.format.write_array_header_1_0(
        header,
        {
            "descr": np.lib.format.dtype_to_descr(dtype),
            "fortran_order": False,
            "shape": (sum(len(part) for part in parts), *row_shape),
        },
    )
    return write_bytes(path, header.getvalue(), *(np.ascontiguousarray(part) for part in parts))


def write_bytes(path: Path, *parts: bytes | NDArray[Any]) -> str:
    """Write parts one after the other as one file, whole or not at all; return the SHA-256 of its bytes.

    Temporary file in the same folder, fsync, rename, fsync of the folder: after a crash the name holds the old
    content, the new content, or nothing, and never a piece.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED_SUFFIX}")
    try:
        with unfinished.open("xb") as file:
            digest = _write_and_hash(file, parts)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    return digest


def open_array(path: Path) -> NDArray[Any]:
    """Open a ``.npy`` file as a read-only memory map. Raises ``SegmentError`` if it is missing or no whole array."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise SegmentError(f"{path} is missing") from error
    except (ValueError, EOFError, OSError) as error:
        raise SegmentError(f"{path} is not a whole array file: {error}") from error
    return array


def forget_pages(array: NDArray[Any]) -> None:
    """Let go of the memory that an opened array's read pages take up; they are fetched again when they are needed."""
    if isinstance(array.base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        array.base.madvise(mmap.MADV_DONTNEED)


def sha256_of(path: Path) -> str:
    """Hash a file's bytes. Raises ``SegmentError`` if it is missing or can't be read."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_READ_BYTES):
                digest.update(piece)
    except FileNotFoundError as error:
        raise SegmentError(f"{path} is missing") from error
    except OSError as error:
        raise SegmentError(f"{path} can't be read: {error}") from error
    return digest.hexdigest()


def verify_array(path: Path, sha256: str) -> None:
    """Compare a file with its recorded SHA-256. Raises ``SegmentError`` with a sentence if it is missing or damaged."""
    found = sha256_of(path)
    if found != sha256:
        raise SegmentError(
            f"{path} is damaged: its SHA-256 begins with {found[:12]} and should with {sha256[:12]}"
        )


def remove_unfinished(folder: Path) -> int:
    """Delete what killed writers left in a folder and below; return how many files that were.

    Call it only where nobody else is writing.
    """
    leftovers = list(_unfinished_files(folder))
    for leftover in leftovers:
        leftover.unlink(missing_ok=True)
    return len(leftovers)


def _unfinished_files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from folder.rglob(f".*{UNFINISHED_SUFFIX}")


def _write_and_hash(file: IO[bytes], parts: tuple[bytes | NDArray[Any], ...]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        view = part if isinstance(part, bytes) else part.reshape(-1).view(np.uint8).data
        digest.update(view)
        file.write(view)
    return digest.hexdigest()


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
