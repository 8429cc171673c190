"""Rensa's full-set R-MinHash; its rho pipeline samples words and answers only flags, so it makes no clusters."""

from collections.abc import Collection, Iterable

from rensa import RMinHash, RMinHashLSH

from benchmarks.measuring import NUM_PERM, ROWS_PER_BAND, THRESHOLD, labels_from_links, measure
from benchmarks.peers.lesson import shingle_list

# Rensa wants bands that use up all permutations: 32 bands of 4 rows for 30 of 4.
BANDS = NUM_PERM // ROWS_PER_BAND


def cluster_shingles(rows: Iterable[Collection[str]]) -> list[int]:
    """Sign in one call, insert in one call, query in one call, verify by estimate."""
    signatures = RMinHash.from_token_sets(rows, num_perm=NUM_PERM, seed=42)
    lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=NUM_PERM, num_bands=BANDS)
    lsh.insert_many(signatures)
    links = (
        (number, other)
        for number, candidates in enumerate(lsh.query_all(signatures))
        for other in candidates
        if other < number and signatures[number].jaccard(signatures[other]) >= THRESHOLD
    )
    return labels_from_links(len(signatures), links)


def cluster(texts: list[str]) -> list[int]:
    """Shingles as lists, which are cut faster; repeated shingles don't change a signature."""
    return cluster_shingles(shingle_list(text) for text in texts)


if __name__ == "__main__":
    measure(cluster, distribution="rensa", how="RMinHash.from_token_sets, RMinHashLSH 32 x 4, jaccard")
