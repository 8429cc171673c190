"""An index in memory: enough for a notebook, for a batch, and for the newest texts of a larger index."""

import numpy as np
from numpy.typing import NDArray

from dedup.band_kernel import keys_of_bands
from dedup.index.growing import NewestTexts
from dedup.index.signing import Signed
from dedup.index.spec import IndexSpec
from dedup.index.tables import Table
from dedup.kernel import TextColumn

SLACK = 0.15
LOOKED_AT = 200
PLACE_BITS = np.int64(32)
ORDINAL_MASK = np.int64(0xFFFFFFFF)

Ordinals = NDArray[np.int64]


class MemoryIndex:
    """Texts by ordinal, from 0 on, in the order in which they were handed in.

    >>> from dedup.index import IndexSpec, ask, sign_texts
    >>> from dedup.specs import MinHashSpec, SimHashSpec
    >>> spec = IndexSpec(minhash=MinHashSpec(k=1), simhash=SimHashSpec())
    >>> index = MemoryIndex(spec)
    >>> index.extend(sign_texts(["Trams run until midnight on Fridays.", "Rain all week."], spec))
    >>> [answer] = ask(index, sign_texts(["Trams run until midnight on Sundays."], spec))
    >>> answer.layer, answer.matches[0].ordinal, round(answer.matches[0].similarity, 2)
    ('minhash', 0, 0.71)
    """

    def __init__(self, spec: IndexSpec) -> None:
        self.spec = spec
        self._newest = NewestTexts(spec, 0)

    @property
    def stop(self) -> int:
        """Ordinals below this one can be asked for."""
        return self._newest.stop

    def extend(self, signed: Signed) -> None:
        """Take in the texts of the next ordinals, from ``stop`` on."""
        self._newest.extend(signed)

    def near(self, signed: Signed) -> tuple[Ordinals, Ordinals, NDArray[np.uint8]]:
        """Find texts within the recipe's distance of each fingerprint: places of the questions, ordinals, bits."""
        found = [table.near(signed.fingerprints, self.spec.simhash.max_distance) for table in self._tables()]
        if not found:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint8)
        places, ordinals, bits = (np.concatenate(column) for column in zip(*found, strict=True))
        return places, ordinals, bits

    def candidates(self, signed: Signed) -> tuple[Ordinals, Ordinals]:
        """Find texts that share a band key and whose estimates come near the threshold: the 200 best of each question."""
        banding = self.spec.banding
        keys = keys_of_bands(signed.signatures, banding, range(banding.bands))
        found = [table.colliding(keys) for table in self._tables()]
        codes = np.unique(
            np.concatenate(
                [np.zeros(0, np.int64), *(places << PLACE_BITS | ordinals for places, ordinals in found)]
            )
        )
        places, ordinals = codes >> PLACE_BITS, codes & ORDINAL_MASK
        agreeing = np.count_nonzero(self._signatures(ordinals) == signed.signatures[places], axis=1)
        likely = agreeing >= (self.spec.threshold - SLACK) * self.spec.minhash.num_perm
        places, ordinals, agreeing = places[likely], ordinals[likely], agreeing[likely]
        order = np.lexsort((ordinals, -agreeing, places))
        places, ordinals = places[order], ordinals[order]
        best = np.arange(places.shape[0]) - np.searchsorted(places, places) < LOOKED_AT
        return places[best], ordinals[best]

    def streams(self, ordinals: Ordinals) -> TextColumn:
        """Give clean streams of ascending ordinals."""
        return self._newest.streams(ordinals)

    def _tables(self) -> list[Table]:
        return self._newest.tables

    def _signatures(self, ordinals: Ordinals) -> NDArray[np.uint32]:
        return self._newest.signatures(ordinals)
