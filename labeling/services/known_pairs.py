"""Pairs whose scores a study keeps as rows: those that were drawn, and those that somebody judged anyway."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Max
from numpy.typing import NDArray

from dedup.pairs import Pool
from dedup.sampling import permanent_random_numbers
from labeling.models import Corpus, Label, Pair, Study, StudyPair, StudyRecipe, Text
from labeling.services.link_rules import LinkFacts
from labeling.services.pools import find_pairs

BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPool:
    """A pool with what decides about its pairs: permanent random numbers of its texts, and what rules look at."""

    pool: Pool
    node_keys: NDArray[np.uint64]
    salt: int
    facts: LinkFacts

    def numbers(self, rows: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """The permanent random numbers of some rows of the pool."""
        left, right = self.pool.left[rows], self.pool.right[rows]
        return permanent_random_numbers(self.node_keys[left], self.node_keys[right], salt=self.salt)

    def passes(self, rows: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:
        """What each rule says about some rows; rules about which nothing is known are left out."""
        left, right = self.pool.left[rows], self.pool.right[rows]
        return {rule: self.facts.passes(rule, left, right) for rule in self.facts.known_rules()}


def text_ids(corpus: Corpus, ordinals: Iterable[int]) -> dict[int, int]:
    """Ids of the texts with these ordinals."""
    wanted = sorted(set(ordinals))
    found: dict[int, int] = {}
    for start in range(0, len(wanted), BATCH):
        rows = Text.objects.filter(corpus=corpus, ordinal__in=wanted[start : start + BATCH])
        found.update(rows.values_list("ordinal", "pk"))
    return found


def pair_ids(corpus: Corpus, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Ids of the pairs of these ordinals (left below right), made where they are missing."""
    texts = text_ids(corpus, (ordinal for pair in pairs for ordinal in pair))
    keys = [(texts[left], texts[right]) for left, right in pairs]
    rows = [Pair(corpus=corpus, left_id=left, right_id=right) for left, right in keys]
    Pair.objects.bulk_create(rows, batch_size=BATCH // 2, ignore_conflicts=True)
    known: dict[tuple[int, int], int] = {}
    lefts = sorted({left for left, _ in keys})
    for start in range(0, len(lefts), BATCH):
        found = Pair.objects.filter(left__in=lefts[start : start + BATCH])
        known.update(
            ((left, right), pk) for pk, left, right in found.values_list("pk", "left_id", "right_id")
        )
    return [known[key] for key in keys]


def labelled_pairs(corpus: Corpus) -> dict[tuple[int, int], int]:
    """Pairs of ordinals that have a label of anybody, with the id of the pair."""
    judged = Label.objects.filter(pair__corpus=corpus).values("pair")
    rows = Pair.objects.filter(pk__in=judged)
    return {
        (left, right): pk for pk, left, right in rows.values_list("pk", "left__ordinal", "right__ordinal")
    }


def keep_known(study: Study, scored: ScoredPool) -> int:
    """Keep the scores of judged pairs of the pool that were not drawn; returns how many were new."""
    present = set(study.study_pairs.values_list("pair_id", flat=True))
    judged = {pair: pk for pair, pk in labelled_pairs(study.corpus).items() if pk not in present}
    places = find_pairs(scored.pool, judged)
    chosen = [(int(row), pk) for row, pk in zip(places, judged.values(), strict=True) if row >= 0]
    if not chosen:
        return 0
    rows = np.array([row for row, _ in chosen], np.int64)
    behind = study.study_pairs.aggregate(last=Max("position"))["last"]
    first = 0 if behind is None else behind + 1
    values = study_pair_values(study, scored, rows)
    StudyPair.objects.bulk_create(
        [
            StudyPair(study=study, pair_id=pk, drawn=False, position=first + place, **fields)
            for place, ((_, pk), fields) in enumerate(zip(chosen, values, strict=True))
        ],
        batch_size=100,
    )
    return len(chosen)


def study_pair_values(
    study: Study, scored: ScoredPool, rows: NDArray[np.int64]
) -> list[Mapping[str, object]]:
    """What a study pair keeps about each of these rows of the pool."""
    pool = scored.pool
    digests = dict(StudyRecipe.objects.filter(study=study, score="hamming").values_list("score", "digest"))
    levels = {f"{key.digest}:{key.score}": column[rows].tolist() for key, column in pool.levels.items()}
    hamming = None if pool.hamming is None else pool.hamming[rows].tolist()
    if hamming is not None and "hamming" in digests:
        levels[f"{digests['hamming']}:hamming"] = hamming
    passes = {rule: flags.tolist() for rule, flags in scored.passes(rows).items()}
    numbers = scored.numbers(rows).tolist()
    return [
        {
            "u": numbers[place],
            "levels": {name: column[place] for name, column in levels.items()},
            "hamming": None if hamming is None else hamming[place],
            "passes_rule": {rule: flags[place] for rule, flags in passes.items()},
        }
        for place in range(len(rows))
    ]
