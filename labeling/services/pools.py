"""A study's pool as it lies in its files, seen through the rows: which texts still have documents."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db.models import Exists, OuterRef
from numpy.typing import NDArray

from dedup.engines.pool import read_pool
from dedup.engines.protocol import StoredFile
from dedup.pairs import Pool, ScoreKey, threshold_level
from labeling.models import Corpus, Document, Segment, Study, StudyRecipe
from labeling.services.studies import check_ready, study_spec

Ordinals = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SHIFT = np.int64(32)


def arrays_folder(corpus: Corpus) -> Path:
    """Where the corpus's streams and signatures lie."""
    return Path(settings.ARRAYS_DIR) / f"corpus-{corpus.pk}"


def pool_folder(study: Study) -> Path:
    """Where the study's pool lies."""
    return Path(settings.ARRAYS_DIR) / f"study-{study.pk}"


def segment_row(corpus: Corpus, study: Study | None, folder: str, file: StoredFile) -> Segment:
    """The row of a file in a folder of arrays."""
    return Segment(
        corpus=corpus,
        study=study,
        path=f"{folder}/{file.path}",
        recipe=file.recipe,
        rows=file.rows,
        sha256=file.sha256,
    )


def live_texts(corpus: Corpus, size: int) -> Flags:
    """Which of the first ``size`` ordinals have a document: ``bool[size]``."""
    gone = corpus.texts.filter(~Exists(Document.objects.filter(text=OuterRef("pk"))), ordinal__lt=size)
    live = np.ones(size, np.bool_)
    live[np.fromiter(gone.values_list("ordinal", flat=True).iterator(), np.int64)] = False
    return live


def open_pool(study: Study) -> Pool:
    """The pairs of the study's pool whose texts both have documents.

    Raises ``StudyError`` for a study that has not run, ``SegmentError`` where files are missing or damaged, and
    ``RecipeMismatchError`` where they were made by other recipes.
    """
    check_ready(study)
    return pool_of_live_texts(read_pool(pool_folder(study), study_spec(study)), study.corpus, study.texts)


def pool_of_live_texts(pool: Pool, corpus: Corpus, texts: int) -> Pool:
    """Leave out the pairs of a text that no document has any more."""
    live = live_texts(corpus, texts)
    if live.all():
        return pool
    rows = np.flatnonzero(live[pool.left] & live[pool.right])
    return Pool(
        left=pool.left[rows],
        right=pool.right[rows],
        levels={key: column[rows] for key, column in pool.levels.items()},
        jaccard={digest: column[rows] for digest, column in pool.jaccard.items()},
        hamming=None if pool.hamming is None else pool.hamming[rows],
    )


def pair_codes(left: Ordinals, right: Ordinals) -> Ordinals:
    """One number for each pair of ordinals, left below right, in the order of (left, right)."""
    return (np.asarray(left, np.int64) << _SHIFT) | np.asarray(right, np.int64)


def find_pairs(pool: Pool, pairs: Iterable[tuple[int, int]]) -> Ordinals:
    """Rows of the pool that hold these pairs of ordinals (left below right); -1 for a pair that isn't in it."""
    columns = np.array(list(pairs), np.int64).reshape(-1, 2)
    wanted = pair_codes(columns[:, 0], columns[:, 1])
    codes = pair_codes(pool.left, pool.right)
    places = np.searchsorted(codes, wanted)
    places[places == codes.size] = 0
    if not codes.size:
        return np.full(wanted.size, -1, np.int64)
    return np.where(codes[places] == wanted, places, -1)


def levels_of(pool: Pool, recipe: StudyRecipe) -> NDArray[np.integer]:
    """The pool's levels under one recipe and score."""
    if recipe.score == "hamming":
        if pool.hamming is None:
            raise KeyError(f"the pool holds no distances for {recipe}")
        return pool.hamming
    return pool.levels[ScoreKey(recipe.digest, "exact" if recipe.score == "exact" else "estimate")]


def accepted(pool: Pool, recipe: StudyRecipe, threshold: float) -> Flags:
    """Which pairs of the pool reach a threshold: similarities at least, Hamming distances at most that high."""
    levels = levels_of(pool, recipe)
    if recipe.score == "hamming":
        return levels <= threshold
    return levels >= threshold_level(threshold, recipe.scale)


def similarities(pool: Pool, recipe: StudyRecipe, rows: Ordinals) -> NDArray[np.float64]:
    """What a decision looked at, row by row: similarities from 0 to 1, or differing bits."""
    if recipe.score == "exact":
        return pool.jaccard[recipe.digest][rows]
    levels = levels_of(pool, recipe)[rows].astype(np.float64)
    return levels if recipe.score == "hamming" else levels / recipe.scale
