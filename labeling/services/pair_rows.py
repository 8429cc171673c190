"""Every pair of a study's pool with all that is known about it, for programs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.evaluation.inclusion import inclusion
from dedup.pairs import ScoreKey
from labeling.models import Pair, Study, StudyRecipe
from labeling.services import figures
from labeling.services.document_names import names_of_all
from labeling.services.known_pairs import ScoredPool
from labeling.services.scoring import open_scored_pool
from labeling.services.verdicts import current_verdicts


class RecipeUnknownError(ValueError):
    """The study has no such recipe; the message is one sentence for people."""


def find_recipe(
    study: Study, *, name: str | None = None, k: int | None = None, score: str = "exact"
) -> StudyRecipe:
    """The recipe of that full name or digest, or of that k. Raises ``RecipeUnknownError``."""
    rows = [row for row in study.recipes.order_by("k", "id") if row.score == score]
    for row in rows:
        if (name is None or name in {row.recipe, row.digest}) and (k is None or row.k == k):
            return row
    wanted = " and ".join(
        part for part in (f"named {name}" if name else "", f"with k = {k}" if k else "") if part
    )
    known = ", ".join(f"k = {row.k} ({row.digest})" for row in rows) or "none"
    raise RecipeUnknownError(
        f"The study “{study}” has no recipe {wanted} for the score {score}; it has {known}."
    )


def pool_rows(study: Study, chosen: NDArray[np.int64] | None = None) -> Iterator[dict[str, Any]]:
    """Rows of the pool, all or some: document ids, every score, u, inclusion probability, verdict.

    Similarities are those that thresholds compare with: exact ones are fractions, estimates shares of permutations.
    """
    scored = open_scored_pool(study)
    rows = np.arange(len(scored.pool), dtype=np.int64) if chosen is None else chosen
    names = names_of_all(study.corpus)
    verdicts = _verdicts(study)
    recipes = _recipe_names(study)
    probabilities = _probabilities(study, scored, rows)
    numbers = scored.numbers(rows)
    pool = scored.pool
    for place, row in enumerate(rows.tolist()):
        left, right = int(pool.left[row]), int(pool.right[row])
        yield {
            "left_id": names.get(left, ""),
            "right_id": names.get(right, ""),
            "scores": {
                recipe: {
                    "estimate": int(pool.levels[ScoreKey(digest, "estimate")][row]) / scale,
                    "exact": float(pool.jaccard[digest][row]),
                }
                for digest, (recipe, scale) in recipes.items()
            },
            "hamming": None if pool.hamming is None else int(pool.hamming[row]),
            "u": float(numbers[place]),
            "inclusion_probability": float(probabilities[place]),
            "verdict": verdicts.get((left, right)),
        }


def _recipe_names(study: Study) -> dict[str, tuple[str, int]]:
    rows = study.recipes.filter(score="estimate").order_by("k", "id")
    return {row.digest: (row.recipe, row.scale) for row in rows}


def _verdicts(study: Study) -> dict[tuple[int, int], str]:
    final = current_verdicts(study)
    rows = Pair.objects.filter(study_pairs__study=study)
    places = rows.values_list("pk", "left__ordinal", "right__ordinal")
    return {(left, right): final[pk] for pk, left, right in places if pk in final}


def _probabilities(study: Study, scored: ScoredPool, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The largest cutoff among the buckets that a pair lies in, given what is labelled by now."""
    found = np.zeros(rows.size)
    for prefix in inclusion(figures.summaries(study, score="exact"), figures.sample(study)).prefixes:
        levels = scored.pool.levels[ScoreKey(prefix.stratum.digest, "exact")][rows]
        inside = (levels >= prefix.stratum.low) & (levels < prefix.stratum.high)
        np.maximum(found, np.where(inside, prefix.cutoff, 0.0), out=found)
    return found
