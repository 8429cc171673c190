"""The lesson's loop: one MinHash update a shingle, each text looked up before it is inserted."""

from datasketch import MinHash, MinHashLSH

from benchmarks.measuring import BANDS, NUM_PERM, ROWS_PER_BAND, THRESHOLD, labels_from_links, measure
from benchmarks.peers.lesson import shingles


def signature(text: str) -> MinHash:
    """The lesson's ``minhash``."""
    minhash = MinHash(NUM_PERM)
    for shingle in shingles(text):
        minhash.update(shingle.encode())
    return minhash


def cluster(texts: list[str]) -> list[int]:
    """Sign all texts, then query, verify by estimate and insert, one by one."""
    signatures = [signature(text) for text in texts]
    lsh = MinHashLSH(num_perm=NUM_PERM, params=(BANDS, ROWS_PER_BAND))
    links = []
    for number, minhash in enumerate(signatures):
        candidates = lsh.query(minhash)
        links += [(number, other) for other in candidates if minhash.jaccard(signatures[other]) >= THRESHOLD]
        lsh.insert(number, minhash)
    return labels_from_links(len(texts), links)


if __name__ == "__main__":
    measure(
        cluster, distribution="datasketch", how="the lesson's code: update per shingle, query before insert"
    )
