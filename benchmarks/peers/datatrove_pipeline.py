"""datatrove's three MinHash stages in one process, with its English word tokenizer; it verifies no pair."""

import os
import struct
import tempfile
from pathlib import Path

os.environ["DATATROVE_COLORIZE_LOGS"] = "0"

from datatrove.data import Document
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from loguru import logger

from benchmarks.measuring import BANDS, ROWS_PER_BAND, K, measure


def cluster(texts: list[str]) -> list[int]:
    """Signatures, buckets and clusters through files, as between datatrove's jobs."""
    logger.remove()
    config = MinhashConfig(n_grams=K, num_buckets=BANDS, hashes_per_bucket=ROWS_PER_BAND)
    with tempfile.TemporaryDirectory() as folder:
        signatures, buckets, clusters = (f"{folder}/{name}" for name in ("signatures", "buckets", "clusters"))
        documents = (Document(text=text, id=str(number)) for number, text in enumerate(texts))
        MinhashDedupSignature(signatures, config=config).run(documents)
        matching = MinhashDedupBuckets(signatures, buckets, config=config)
        for rank in range(BANDS):
            matching.run(None, rank, BANDS)
        MinhashDedupCluster(buckets, clusters, config=config, save_cluster_id=True).run()
        return labels_from_file(Path(clusters) / "000000.clusters", len(texts))


def labels_from_file(path: Path, count: int) -> list[int]:
    """Read (text, cluster) pairs of 32-bit numbers; a text that isn't among them stands alone."""
    labels = list(range(count, 2 * count))
    if path.is_file():
        for number, label in struct.iter_unpack("<2I", path.read_bytes()):
            labels[number] = label
    return labels


if __name__ == "__main__":
    measure(
        cluster,
        distribution="datatrove",
        how="MinhashDedupSignature, Buckets, Cluster, 120 permutations, 30 x 4, spaCy words, no verification",
        warm_up=cluster,
    )
