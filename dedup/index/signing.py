"""What a text is asked for by: its clean stream, its exact key, its fingerprint, its signature."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.index.spec import IndexSpec
from dedup.kernel import TextColumn, clean, fingerprints, signatures


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """``n`` texts as an index sees them.

    ``words`` is ``int32[n]``, ``exact_keys`` ``uint8[n, 32]``, ``signatures`` ``uint32[n, num_perm]``, ``fingerprints``
    ``uint64[n]``; a text without a word has no key and matches nothing.
    """

    streams: TextColumn
    words: NDArray[np.int32]
    exact_keys: NDArray[np.uint8]
    signatures: NDArray[np.uint32]
    fingerprints: NDArray[np.uint64]

    def __len__(self) -> int:
        return int(self.words.shape[0])

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which texts have words: ``bool[n]``."""
        return self.words > 0

    def take(self, places: NDArray[np.int64]) -> "Signed":
        """Give some of the texts, in ascending order of their places."""
        if places.shape[0] == len(self):
            return self
        return Signed(
            streams=self.streams.take(places),
            words=self.words[places],
            exact_keys=self.exact_keys[places],
            signatures=np.ascontiguousarray(self.signatures[places]),
            fingerprints=self.fingerprints[places],
        )


def sign_texts(texts: Iterable[str], spec: IndexSpec) -> Signed:
    """Clean and sign texts by an index's recipes."""
    cleaned = clean(TextColumn.from_strings(texts), spec.normaliser)
    return Signed(
        streams=cleaned.streams,
        words=cleaned.words,
        exact_keys=cleaned.exact_keys,
        signatures=signatures(cleaned.streams, [spec.minhash])[0],
        fingerprints=fingerprints(cleaned.streams, spec.simhash),
    )
