"""Many texts as one column of bytes, so that a compiled loop meets no Python object."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# A text may hold half of a surrogate pair (JSON can say so); it must not stop the other texts.
_HALVES = "surrogatepass"


@dataclass(frozen=True, slots=True)
class TextColumn:
    """UTF-8 texts end to end: ``data`` is ``uint8[bytes]``, text ``i`` is ``data[offsets[i]:offsets[i + 1]]``.

    ``offsets`` is ``int64[n + 1]``, never falling. Both may be memory-mapped.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def from_strings(cls, texts: Iterable[str]) -> "TextColumn":
        """Encode texts into a column."""
        return cls.from_bytes([text.encode("utf-8", _HALVES) for text in texts])

    @classmethod
    def from_bytes(cls, texts: Sequence[bytes]) -> "TextColumn":
        """Join UTF-8 texts into a column; the bytes are not checked."""
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(np.fromiter((len(text) for text in texts), np.int64, len(texts)), out=offsets[1:])
        return cls(np.frombuffer(b"".join(texts), np.uint8), offsets)

    def __len__(self) -> int:
        return int(self.offsets.shape[0]) - 1

    def encoded(self, index: int) -> bytes:
        """Give one text as UTF-8."""
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def text(self, index: int) -> str:
        """Give one text as a string."""
        return self.encoded(index).decode("utf-8", _HALVES)

    def take(self, indices: Sequence[int] | NDArray[np.integer]) -> "TextColumn":
        """Copy some texts, in the order given, into a new column."""
        places = np.asarray(indices, np.int64)
        starts, ends = self.offsets[places], self.offsets[places + 1]
        offsets = np.zeros(places.shape[0] + 1, np.int64)
        np.cumsum(ends - starts, out=offsets[1:])
        view = self.data.data
        parts = [view[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        return TextColumn(np.frombuffer(b"".join(parts), np.uint8), offsets)

    def part(self, start: int, stop: int) -> "TextColumn":
        """Give texts ``start`` to ``stop`` (half-open) without copying their bytes."""
        offsets = self.offsets[start : stop + 1]
        return TextColumn(self.data[offsets[0] : offsets[-1]], offsets - offsets[0])

    def with_room(self, room: int) -> tuple["TextColumn", "TextColumn"]:
        """Give the texts as two columns, each with ``room`` bytes or more after its last text.

        Only the last few texts are copied for it, so that vector code may read beyond a text.
        """
        roomy = int(np.searchsorted(self.offsets[1:], self.data.shape[0] - room, side="right"))
        first, last = self.offsets[roomy], self.offsets[-1]
        data = np.concatenate([self.data[first:last], np.zeros(room, np.uint8)])
        data.flags.writeable = self.data.flags.writeable
        return TextColumn(self.data, self.offsets[: roomy + 1]), TextColumn(
            data, self.offsets[roomy:] - first
        )


@dataclass(frozen=True, slots=True)
class CleanColumn:
    """What cleaning makes of ``n`` texts.

    ``streams`` are the clean streams, ``words`` the ``int32[n]`` numbers of words, ``exact_keys`` the ``uint8[n, 32]``
    SHA-256 of each stream, all zeros where a text has no word (and so no key).
    """

    streams: TextColumn
    words: NDArray[np.int32]
    exact_keys: NDArray[np.uint8]
