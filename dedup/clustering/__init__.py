"""From links to clusters, and how far to trust them."""

from dedup.clustering.chaining import chain_between
from dedup.clustering.components import by_smallest_ordinal, components, members_by_cluster
from dedup.clustering.constraints import Clustering, Contradiction, cluster
from dedup.clustering.continuity import Carried, Comparison, carry_numbers, compare
from dedup.clustering.replay import Replay, replay_levels
from dedup.clustering.review import (
    ImpliedPairs,
    LowestSimilarities,
    WeakestLink,
    bridges,
    implied_pairs,
    lowest_similarities,
    weakest_link,
)

__all__ = [
    "Carried",
    "Clustering",
    "Comparison",
    "Contradiction",
    "ImpliedPairs",
    "LowestSimilarities",
    "Replay",
    "WeakestLink",
    "bridges",
    "by_smallest_ordinal",
    "carry_numbers",
    "chain_between",
    "cluster",
    "compare",
    "components",
    "implied_pairs",
    "lowest_similarities",
    "members_by_cluster",
    "replay_levels",
    "weakest_link",
]
