"""Daft's ``normalize`` and ``minhash``. It has no step from signatures to pairs, so ours is lent to it."""

import os

os.environ["DO_NOT_TRACK"] = "1"
os.environ["DAFT_PROGRESS_BAR"] = "0"

import daft
import numpy as np
from daft.functions import minhash, normalize
from numpy.typing import NDArray

from benchmarks.measuring import BANDS, NUM_PERM, ROWS_PER_BAND, THRESHOLD, K, measure
from dedup.candidates import candidate_pairs
from dedup.clustering.components import components
from dedup.minhash import agreements
from dedup.specs import BandingSpec

HUB_LIMIT = 200


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
    kept = agreements(signatures, pairs.left, pairs.right) >= THRESHOLD * NUM_PERM
    return components(len(texts), pairs.left[kept], pairs.right[kept]).tolist()


if __name__ == "__main__":
    measure(
        cluster,
        distribution="daft",
        how="normalize, minhash (murmurhash3); candidates, estimates and clusters by neardup",
        warm_up=cluster,
    )
