"""gaoya's index with its own word analyser, which splits at white space and lower-cases."""

import os

from gaoya.minhash import MinHashStringIndex

from benchmarks.measuring import BANDS, ROWS_PER_BAND, THRESHOLD, K, labels_from_links, measure

HASH_BITS = 32


def cluster(texts: list[str]) -> list[int]:
    """Insert all, query all; the index itself keeps what its signatures put at the threshold or above."""
    index = MinHashStringIndex(
        HASH_BITS, THRESHOLD, BANDS, ROWS_PER_BAND, None, "word", True, (K, K), id_container="vec"
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    found = index.par_bulk_query(texts)
    links = ((number, other) for number, others in enumerate(found) for other in others if other < number)
    return labels_from_links(len(texts), links)


if __name__ == "__main__":
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    measure(
        cluster, distribution="gaoya", how="MinHashStringIndex, own word analyser, 120 permutations, 30 x 4"
    )
