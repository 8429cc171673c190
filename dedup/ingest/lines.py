"""Text files line by line: numbered, decoded, bounded, whatever ends the lines."""

import io
from collections.abc import Iterator
from typing import BinaryIO

from dedup.ingest.encodings import marking_handler
from dedup.ingest.records import RECORD_LIMIT

TOO_LONG = "\x00too long\x00"


class Lines(Iterator[str]):
    """The lines of a stream with their ends, counted from 1; lines can be handed back to be read again.

    A line of more than ``RECORD_LIMIT`` characters comes as ``TOO_LONG``; the rest of it is skipped without being kept.
    Undecodable bytes are marked.
    """

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding=encoding, errors=marking_handler(), newline="")
        self._returned: list[str] = []
        self.taken: list[str] = []
        self.number = 0

    def __next__(self) -> str:
        line = self._returned.pop() if self._returned else self._read()
        self.number += 1
        self.taken.append(line)
        return line

    def read(self, size: int) -> str:
        """Read up to ``size`` characters regardless of lines; not to be mixed with reading lines."""
        return self._text.read(size)

    def start_record(self) -> int:
        """Forget the lines taken so far; return the number of the line that comes next."""
        self.taken.clear()
        return self.number + 1

    def hand_back(self, count: int) -> None:
        """Give back the last ``count`` of the lines taken since ``start_record``."""
        if count <= 0:
            return
        self._returned.extend(reversed(self.taken[-count:]))
        del self.taken[-count:]
        self.number -= count

    def close(self) -> None:
        """Close the stream below."""
        self._text.close()

    def _read(self) -> str:
        line = self._text.readline(RECORD_LIMIT)
        if not line:
            raise StopIteration
        if len(line) < RECORD_LIMIT or line[-1] in "\r\n":
            return line
        while line and line[-1] not in "\r\n":
            line = self._text.readline(RECORD_LIMIT)
        return TOO_LONG
