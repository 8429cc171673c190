"""Daft's ``normalize`` and ``minhash``. It has no step from signatures to pairs, so ours is lent to it."""

import os

os.environ["DO_NOT_TRACK"] = "1"
os.environ["DAFT_PROGRESS_BAR"] = "0"

import daft
import numpy as np
from daft.functions import minhash, normalize
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from benchmarks.measuring import BANDS, NUM_PERM, ROWS_PER_BAND, THRESHOLD, K, measure
from dedup.candidates import candidate_pairs
from dedup.specs import BandingSpec

HUB_LIMIT = 1_000
BATCH = 100_000


def signatures_of(texts: list[str]) -> NDArray[np.uint32]:
    """Normalise and sign in Daft: ``uint32[n, 128]``."""
    clean = normalize(daft.col("text"), remove_punct=True, lowercase=True, white_space=True)
    rows = daft.from_pydict({"text": texts}).select(minhash(clean, num_hashes=NUM_PERM, ngram_size=K))
    column = rows.to_arrow().column(0).combine_chunks()
    return column.flatten().to_numpy(zero_copy_only=False).reshape(-1, NUM_PERM)


def cluster(texts: list[str]) -> list[int]:
    """Daft's signatures, then our candidates, estimates and connected components."""
    signatures = signatures_of(texts)
    banding = BandingSpec(bands=BANDS, rows_per_band=ROWS_PER_BAND)
    valid = np.ones(len(texts), np.bool_)
    pairs = candidate_pairs(signatures, banding, hub_limit=HUB_LIMIT, valid=valid)
    kept = np.concatenate(
        [
            (signatures[pairs.left[at : at + BATCH]] == signatures[pairs.right[at : at + BATCH]]).mean(1)
            >= THRESHOLD
            for at in range(0, len(pairs), BATCH)
        ]
        or [np.empty(0, np.bool_)]
    )
    left, right = pairs.left[kept], pairs.right[kept]
    graph = coo_array((np.ones(len(left), np.int8), (left, right)), shape=(len(texts), len(texts)))
    return connected_components(graph, directed=False)[1].tolist()


if __name__ == "__main__":
    measure(
        cluster,
        distribution="daft",
        how="normalize, minhash (murmurhash3); candidates, estimates and clusters by neardup",
        warm_up=cluster,
    )
