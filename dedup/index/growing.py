"""The newest texts of an index, in memory until a table on disk takes them over."""

import numpy as np
from numpy.typing import NDArray

from dedup.index.signing import Signed
from dedup.index.spec import IndexSpec
from dedup.index.tables import Table, build_table
from dedup.kernel import TextColumn

GROWTH = 4
FIRST_ROOM = 1_024


class NewestTexts:
    """Texts in the order of their ordinals from ``start`` on, with tables over them.

    New texts make a small table of their own; once it isn't much smaller than the one before, the two become one. So a
    text is sorted in again a few times, and there are few tables.
    """

    def __init__(self, spec: IndexSpec, start: int) -> None:
        self.start = start
        self.stop = start
        self.tables: list[Table] = []
        self._spec = spec
        self._signatures = np.empty((FIRST_ROOM, spec.minhash.num_perm), np.uint32)
        self._fingerprints = np.empty(FIRST_ROOM, np.uint64)
        self._valid = np.empty(FIRST_ROOM, np.bool_)
        self._streams: list[bytes] = []

    def extend(self, signed: Signed) -> None:
        """Take in the texts of the next ordinals."""
        have, added = self.stop - self.start, len(signed)
        if not added:
            return
        self._make_room(have + added)
        self._signatures[have : have + added] = signed.signatures
        self._fingerprints[have : have + added] = signed.fingerprints
        self._valid[have : have + added] = signed.valid
        self._streams += [signed.streams.encoded(place) for place in range(added)]
        self.stop += added
        tables = list(self.tables)
        start = self.stop - added
        while tables and tables[-1].stop - tables[-1].start <= GROWTH * (self.stop - start):
            start = tables.pop().start
        self.tables = [*tables, self._table(start)]

    def begin_at(self, start: int) -> None:
        """Let go of the texts before an ordinal, which a table on disk holds by now."""
        gone = min(max(start - self.start, 0), self.stop - self.start)
        have = self.stop - self.start
        self._signatures[: have - gone] = self._signatures[gone:have].copy()
        self._fingerprints[: have - gone] = self._fingerprints[gone:have].copy()
        self._valid[: have - gone] = self._valid[gone:have].copy()
        del self._streams[:gone]
        self.start, self.stop = start, max(self.stop, start)
        self.tables = [self._table(start)] if self.stop > start else []

    def signatures(self, ordinals: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Signatures of some of these texts."""
        return self._signatures[ordinals - self.start]

    def streams(self, ordinals: NDArray[np.int64]) -> TextColumn:
        """Clean streams of some of these texts."""
        return TextColumn.from_bytes([self._streams[place] for place in (ordinals - self.start).tolist()])

    def _table(self, start: int) -> Table:
        rows = slice(start - self.start, self.stop - self.start)
        return build_table(
            self._signatures[rows], self._fingerprints[rows], self._valid[rows], self._spec, start
        )

    def _make_room(self, rows: int) -> None:
        if rows <= self._fingerprints.shape[0]:
            return
        room = max(rows, 2 * self._fingerprints.shape[0]) - self._fingerprints.shape[0]
        self._signatures = np.concatenate(
            (self._signatures, np.empty((room, self._signatures.shape[1]), np.uint32))
        )
        self._fingerprints = np.concatenate((self._fingerprints, np.empty(room, np.uint64)))
        self._valid = np.concatenate((self._valid, np.empty(room, np.bool_)))
