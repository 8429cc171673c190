"""What linking at every threshold would do to the documents, counted once when a study runs; pages only look it up."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dedup.clustering import replay_levels
from dedup.pairs import Pool, threshold_level
from labeling.models import Corpus, StudyRecipe
from labeling.services import linking, partitions, pools
from labeling.services.link_rules import LinkFacts, without_numbers

Ordinals = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What is the same for every recipe of a study.

    ``documents``, ``int64[texts]``, counts each text's documents. ``passes`` says for each product rule which rows of the
    pool pass it, ``exact`` which texts of equal words each rule links, the empty name standing for no rule.
    """

    documents: Ordinals
    passes: Mapping[str, NDArray[np.bool_]]
    exact: Mapping[str, Ordinals]

    def outcomes(self, pool: Pool, recipe: StudyRecipe) -> dict[str, dict[str, list[int]]]:
        """Clusters of two documents and more, removed documents and the largest cluster, at each level of a recipe.

        By name of the product rule. A level is a threshold: linked are the pairs at or above it, for Hamming distances
        those at or below it. People's verdicts are not obeyed here; a decision obeys them.
        """
        levels = np.asarray(pools.levels_of(pool, recipe), np.int64)
        closeness = recipe.scale - levels if recipe.score == "hamming" else levels
        everything = np.ones(closeness.size, np.bool_)
        return {
            rule: self._replayed(pool, recipe, closeness, self.passes.get(rule, everything), pairs)
            for rule, pairs in self.exact.items()
        }

    def _replayed(
        self,
        pool: Pool,
        recipe: StudyRecipe,
        closeness: Ordinals,
        passing: NDArray[np.bool_],
        exact: Ordinals,
    ) -> dict[str, list[int]]:
        replay = replay_levels(
            self.documents.size,
            np.concatenate([pool.left[passing], exact[:, 0]]),
            np.concatenate([pool.right[passing], exact[:, 1]]),
            np.concatenate([closeness[passing], np.full(exact.shape[0], recipe.scale)]),
            recipe.scale,
            documents=self.documents,
        )
        turn = -1 if recipe.score == "hamming" else 1
        return {
            "clusters": replay.clusters[::turn].tolist(),
            "removed": replay.removed[::turn].tolist(),
            "largest": replay.largest[::turn].tolist(),
        }


def outlook_of(
    corpus: Corpus, texts: int, facts: LinkFacts, passes: Mapping[str, NDArray[np.bool_]]
) -> Outlook:
    """Count the documents of the first ``texts`` texts, and find the links between texts of equal words."""
    _, ordinals = partitions.corpus_documents(corpus)
    return Outlook(
        documents=np.bincount(ordinals[ordinals < texts], minlength=texts),
        passes=passes,
        exact={rule: _exact_pairs(corpus, texts, facts, rule) for rule in ("", *passes)},
    )


def _exact_pairs(corpus: Corpus, texts: int, facts: LinkFacts, rule: str) -> Ordinals:
    pairs = np.array(linking.exact_links(corpus, facts.products, without_numbers(rule)), np.int64).reshape(
        -1, 2
    )
    return pairs[(pairs < texts).all(axis=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one setting does: clusters of two documents and more, documents removed, documents of the largest cluster."""

    clusters: int
    removed: int
    largest: int


def outcome_at(recipe: StudyRecipe, threshold: float, rule: str) -> Outcome | None:
    """Look up what a threshold does; None for a study that ran before this was counted."""
    counted = recipe.outcomes.get(rule)
    if counted is None:
        return None
    level = int(threshold) if recipe.score == "hamming" else threshold_level(threshold, recipe.scale)
    return Outcome(**{name: counted[name][level] for name in ("clusters", "removed", "largest")})
