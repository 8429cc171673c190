"""Do two programs find the same clusters, and do they find the planted groups?"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

EASY_EDITS = 0.03

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Truth:
    """The planted group of each text (those without copies have one of their own) and its edit rate."""

    groups: Labels
    edit_rates: NDArray[np.float64]


def read_truth(path: Path) -> Truth:
    """Read what the generator planted."""
    with path.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    groups = np.array([record["group"] for record in records], np.int64)
    alone = groups < 0
    groups[alone] = -1 - np.arange(int(alone.sum()))
    return Truth(groups, np.array([record["edit_rate"] for record in records]))


def read_labels(path: Path) -> Labels:
    """Read one cluster label a line."""
    return np.array(path.read_text(encoding="utf-8").split(), np.int64)


def compare(labels: Labels, reference: Labels, truth: Truth) -> dict[str, float | int | None]:
    """Count pairs of texts in one cluster.

    ``shared_of_theirs`` and ``shared_of_ours`` are the shares of the pairs of ``labels`` and of ``reference`` that are
    pairs of the other one, too. ``easy_found`` is the share of planted pairs with few edits (both rates together at
    most 3 %) that are together, ``unrelated`` counts pairs that were not planted.
    """
    together, shared = pairs_in(labels), pairs_in(crossed(labels, reference))
    easy = np.flatnonzero((truth.edit_rates <= EASY_EDITS / 2) & (truth.groups >= 0))
    planted = pairs_in(truth.groups[easy])
    found = pairs_in(crossed(labels[easy], truth.groups[easy]))
    return {
        "shared_of_theirs": share(shared, together),
        "shared_of_ours": share(shared, pairs_in(reference)),
        "easy_found": share(found, planted),
        "unrelated": together - pairs_in(crossed(labels, truth.groups)),
    }


def pairs_in(labels: Labels) -> int:
    """Count the pairs of texts with equal labels.

    >>> pairs_in(np.array([1, 1, 1, 2]))
    3
    """
    sizes = np.unique(labels, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def crossed(left: Labels, right: Labels) -> Labels:
    """Labels that are equal where both are equal."""
    _, dense = np.unique(right, return_inverse=True)
    _, crossing = np.unique(left, return_inverse=True)
    return crossing.astype(np.int64) * (int(dense.max(initial=0)) + 1) + dense


def share(part: int, whole: int) -> float | None:
    """``part / whole``; None where there is nothing to have a share of."""
    return round(part / whole, 4) if whole else None
