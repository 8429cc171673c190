"""An index in files: memory-mapped tables of most texts, and a small part in memory for the newest ones."""

from bisect import bisect_right
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dedup.engines import corpus_arrays
from dedup.engines.corpus_arrays import SEGMENT_ROWS, segment_bounds
from dedup.index.growing import NewestTexts
from dedup.index.memory_index import MemoryIndex
from dedup.index.spec import IndexSpec
from dedup.index.table_files import check_bounds, open_table, read_bounds, record_state, tables_folder
from dedup.index.tables import Table
from dedup.kernel import TextColumn
from dedup.segments import SegmentError

TRIES = 5

Ordinals = NDArray[np.int64]


class SegmentIndex(MemoryIndex):
    """The index of one corpus under one recipe, as one process sees it.

    Rows in a database are the truth: the tables on disk hold the first ``stored`` ordinals, and whatever came later is
    handed in by ``extend``, in order. So nothing that another process inserted is missed, and nothing is lost with a
    process. Not for use by several threads at once.
    """

    def __init__(self, arrays: Path, spec: IndexSpec) -> None:
        super().__init__(spec)
        self._arrays = arrays
        self._folder = tables_folder(arrays, spec)
        self._state = (0, 0)
        self._stored = _Stored(arrays, spec, [])
        self.refresh()

    @property
    def stored(self) -> int:
        """Ordinals below this one are on disk."""
        return self._newest.start

    def refresh(self) -> None:
        """Take over tables that were written since; texts in memory that they hold are let go of."""
        state = record_state(self._folder)
        if state == self._state:
            return
        self._stored = self._read_stored()
        self._state = state
        if self._stored.stop < self._newest.start:
            self._newest = NewestTexts(self.spec, self._stored.stop)
        else:
            self._newest.begin_at(self._stored.stop)

    def streams(self, ordinals: Ordinals) -> TextColumn:
        """Read clean streams of ascending ordinals."""
        cut = int(np.searchsorted(ordinals, self.stored))
        newest = super().streams(ordinals[cut:])
        if not cut:
            return newest
        parts = self._stored.encoded(ordinals[:cut])
        return TextColumn.from_bytes([*parts, *(newest.encoded(place) for place in range(len(newest)))])

    def _read_stored(self) -> "_Stored":
        """Open what the record names; once more where a writer has just replaced it. Damaged tables count as none."""
        for _ in range(TRIES):
            try:
                return _Stored(self._arrays, self.spec, read_bounds(self._folder, self.spec))
            except SegmentError:
                continue
        return _Stored(self._arrays, self.spec, [])

    def _tables(self) -> list[Table]:
        return [*self._stored.tables, *super()._tables()]

    def _signatures(self, ordinals: Ordinals) -> NDArray[np.uint32]:
        stored = ordinals < self.stored
        if not stored.any():
            return super()._signatures(ordinals)
        rows = np.empty((ordinals.shape[0], self.spec.minhash.num_perm), np.uint32)
        rows[stored] = self._stored.signatures(ordinals[stored])
        rows[~stored] = super()._signatures(ordinals[~stored])
        return rows


class _Stored:
    """What lies on disk: tables, and the segments of streams and signatures that they speak of."""

    def __init__(self, arrays: Path, spec: IndexSpec, bounds: list[tuple[int, int]]) -> None:
        check_bounds(bounds)
        folder = tables_folder(arrays, spec)
        self.stop = bounds[-1][1] if bounds else 0
        self.tables = [open_table(folder, one) for one in bounds]
        self._segments = segment_bounds(self.stop, SEGMENT_ROWS)
        self._starts = [start for start, _ in self._segments]
        self._signatures = [
            np.asarray(self._open(arrays, spec.minhash.recipe, start, stop)[""])
            for start, stop in self._segments
        ]
        columns = [self._open(arrays, spec.stream.recipe, start, stop) for start, stop in self._segments]
        self._streams = [
            TextColumn(np.asarray(column[""]), np.asarray(column[".offsets"])) for column in columns
        ]

    @staticmethod
    def _open(arrays: Path, recipe: str, start: int, stop: int) -> dict[str, NDArray[np.generic]]:
        """Open the segment that begins at ``start`` and reaches to ``stop`` or, since texts were added, beyond."""
        longest = corpus_arrays.longest_stop(arrays, recipe, start)
        if longest < stop:
            raise SegmentError(f"the segment {start}-{stop} of {recipe} is missing")
        return corpus_arrays.open_segment(arrays, recipe, start, longest)

    def signatures(self, ordinals: Ordinals) -> NDArray[np.uint32]:
        numbers = ordinals // SEGMENT_ROWS
        rows = np.empty((ordinals.shape[0], self._signatures[0].shape[1]), np.uint32)
        for number in np.unique(numbers).tolist():
            mine = numbers == number
            rows[mine] = self._signatures[number][ordinals[mine] - self._starts[number]]
        return rows

    def encoded(self, ordinals: Ordinals) -> list[bytes]:
        parts = []
        for ordinal in ordinals.tolist():
            number = bisect_right(self._starts, ordinal) - 1
            parts.append(self._streams[number].encoded(ordinal - self._starts[number]))
        return parts
