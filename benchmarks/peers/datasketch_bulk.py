"""datasketch as its documentation advises for many texts: ``MinHash.bulk`` and an insertion session."""

from collections.abc import Iterator

from datasketch import MinHash, MinHashLSH

from benchmarks.measuring import BANDS, NUM_PERM, ROWS_PER_BAND, THRESHOLD, labels_from_links, measure
from benchmarks.peers.lesson import shingle_list


def links_of(lsh: MinHashLSH, signatures: list[MinHash]) -> Iterator[tuple[int, int]]:
    """Candidates of each text among the earlier ones, verified by estimate."""
    for number, minhash in enumerate(signatures):
        for other in lsh.query(minhash):
            if other < number and minhash.jaccard(signatures[other]) >= THRESHOLD:
                yield number, other


def cluster(texts: list[str]) -> list[int]:
    """Sign in bulk, insert in one session, query all."""
    rows = ([shingle.encode() for shingle in shingle_list(text)] for text in texts)
    signatures = MinHash.bulk(rows, num_perm=NUM_PERM)
    lsh = MinHashLSH(num_perm=NUM_PERM, params=(BANDS, ROWS_PER_BAND))
    with lsh.insertion_session() as session:
        for number, minhash in enumerate(signatures):
            session.insert(number, minhash, check_duplication=False)
    return labels_from_links(len(texts), links_of(lsh, signatures))


if __name__ == "__main__":
    measure(
        cluster, distribution="datasketch", how="MinHash.bulk, MinHashLSH with an insertion session, jaccard"
    )
