"""Rensa's full-set R-MinHash on the lesson's own ``shingles``, which is slower than Rensa is."""

from benchmarks.measuring import measure
from benchmarks.peers.lesson import shingles
from benchmarks.peers.rensa_full import cluster_shingles


def cluster(texts: list[str]) -> list[int]:
    """As ``rensa_full``, with sets of shingles."""
    return cluster_shingles(shingles(text) for text in texts)


if __name__ == "__main__":
    measure(cluster, distribution="rensa", how="as rensa_full, shingles cut by the lesson's code")
