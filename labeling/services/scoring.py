"""The keys from which permanent random numbers come: one for each text, from what makes it a node of its own."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from labeling.models import Corpus, Study
from labeling.services.known_pairs import ScoredPool
from labeling.services.link_rules import link_facts
from labeling.services.pools import open_pool


def node_keys(corpus: Corpus, size: int) -> NDArray[np.uint64]:
    """First 8 bytes of the SHA-256 of exact key and product key, for the first ``size`` texts: ``uint64[size]``."""
    keys = np.zeros(size, np.uint64)
    rows = corpus.texts.filter(ordinal__lt=size).order_by("ordinal")
    for ordinal, exact_key, product_key in rows.values_list("ordinal", "exact_key", "product_key").iterator(
        chunk_size=5000
    ):
        digest = hashlib.sha256((exact_key + product_key).encode()).digest()
        keys[ordinal] = int.from_bytes(digest[:8], "big")
    return keys


def open_scored_pool(study: Study) -> ScoredPool:
    """The study's pool with everything that its rows are made from. Raises like ``open_pool``."""
    return ScoredPool(
        pool=open_pool(study),
        node_keys=node_keys(study.corpus, study.texts),
        salt=study.corpus.salt,
        facts=link_facts(study.corpus, study.texts),
    )
