"""A study's figures, from rows only: histograms, buckets, scored pairs and verdicts; the pool is never opened."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.core.cache import cache
from django.db.models import Max

from dedup.evaluation import (
    Evaluation,
    NextLabels,
    Sample,
    ScoreSummary,
    Wishes,
    evaluate,
    propose,
    with_unsurfaced,
)
from dedup.evaluation.recommending import recommendations
from dedup.sampling import StratumDraw
from labeling.models import Label, Study, StudyRecipe
from labeling.services.verdicts import current_verdicts, unsurfaced_duplicates

THRESHOLDS = tuple(round(0.3 + 0.05 * step, 2) for step in range(14))
CACHED_SECONDS = 3600
VERDICT_NUMBERS = {"duplicate": 1, "distinct": 0, "unsure": -1}
NO_VERDICT = -2


def label_version(study: Study) -> str:
    """Changes with every answer to one of the study's pairs, and with every run of the study."""
    newest = Label.objects.filter(pair__study_pairs__study=study).aggregate(newest=Max("pk"))["newest"] or 0
    pairs = study.study_pairs.aggregate(newest=Max("pk"))["newest"] or 0
    return f"{newest}-{pairs}-{study.pool_digest[:12]}"


def evaluate_study(
    *,
    study: Study,
    score: str | None = None,
    thresholds: Sequence[float] | None = None,
    rule: str = "",
    cost_fp: float = 1,
    cost_fn: float = 1,
    wishes: Wishes | None = None,
    competing: Sequence[float] | None = None,
) -> Evaluation:
    """Figures for every recipe and threshold, of one score or of all; thresholds of ``hamming`` are numbers of bits.

    ``competing`` are the thresholds among which the rules choose, by default all. A second call with nothing new in
    between is answered from memory.
    """
    chosen = None if thresholds is None else tuple(thresholds)
    wishes = wishes or Wishes()
    entering = None if competing is None or score == "hamming" else tuple(competing)
    arguments = (study.pk, label_version(study), score, chosen, rule, cost_fp, cost_fn, wishes, entering)
    key = f"evaluation:{hashlib.sha256(repr(arguments).encode()).hexdigest()[:32]}"
    found: Evaluation | None = cache.get(key)
    if found is None:
        is_hamming = score == "hamming"
        found = evaluate(
            summaries(study, score=score, rule=rule),
            sample(study, rule=rule),
            thresholds=() if is_hamming else chosen or THRESHOLDS,
            distances=[int(bits) for bits in chosen] if is_hamming and chosen is not None else None,
            rule=rule or None,
            cost_fp=cost_fp,
            cost_fn=cost_fn,
            wishes=wishes,
        )
        found = found if score is None else _of_score(found, score, wishes, entering)
        cache.set(key, found, CACHED_SECONDS)
    return with_unsurfaced(found, unsurfaced_duplicates(study))


def _of_score(
    evaluation: Evaluation, score: str, wishes: Wishes, entering: Sequence[float] | None
) -> Evaluation:
    """Only the figures of one score, and what is best among them."""
    kept = [figure for figure in evaluation.figures if figure.score == score]
    recommended = recommendations(
        [figure for figure in kept if entering is None or figure.threshold in entering],
        evaluation.buckets,
        least_recall=wishes.least_recall,
        least_precision=wishes.least_precision,
        safe=wishes.safe,
    )
    return replace(evaluation, figures=tuple(kept), recommended=recommended)


def next_labels(
    *, study: Study, evaluation: Evaluation, wishes: Wishes, cost_fp: float = 1, cost_fn: float = 1
) -> tuple[NextLabels, ...]:
    """Where further labels narrow the wanted figure most; ``evaluation`` is one of the study's exact similarities."""
    return propose(
        summaries(study, score="exact", rule=evaluation.rule),
        sample(study, rule=evaluation.rule),
        evaluation,
        wishes,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
    )


def summaries(study: Study, *, score: str | None = None, rule: str = "") -> list[ScoreSummary]:
    """What is known about the whole pool under each recipe; buckets come with exact scores, always given."""
    rows = study.recipes.prefetch_related("strata").order_by("k", "score", "id")
    return [_summary(row, rule) for row in rows if score is None or row.score in {score, "exact"}]


def _summary(row: StudyRecipe, rule: str) -> ScoreSummary:
    counts = row.histogram_rule.get(rule) if rule else None
    return ScoreSummary(
        recipe=row.recipe,
        digest=row.digest,
        score=row.score,  # type: ignore[arg-type]
        k=row.k,
        scale=row.scale,
        bands=row.bands or 0,
        rows_per_band=row.rows_per_band or 0,
        histogram=np.array(row.histogram, np.int64),
        histogram_rule=None if not rule else np.array(counts or [0] * (row.scale + 1), np.int64),
        strata=tuple(
            StratumDraw(
                digest=row.digest,
                low=stratum.low_level,
                high=stratum.high_level,
                population=stratum.population,
                sampled=stratum.sampled,
                next_u=stratum.next_u,
            )
            for stratum in row.strata.all()
        ),
    )


def sample(study: Study, *, rule: str = "") -> Sample:
    """The pairs that are kept one by one, with their scores and final verdicts; where nothing is known, no rule passes."""
    verdicts = current_verdicts(study)
    rows = list(
        study.study_pairs.order_by("position", "id").values_list(
            "pair_id", "u", "drawn", "levels", "passes_rule"
        )
    )
    names = [f"{digest}:{score}" for digest, score in study.recipes.values_list("digest", "score")]
    rules = sorted({name for row in rows for name in row[4]} | ({rule} if rule else set()))
    return Sample(
        u=np.array([row[1] for row in rows], np.float64),
        drawn=np.array([row[2] for row in rows], np.bool_),
        verdicts=np.array(
            [VERDICT_NUMBERS.get(verdicts.get(row[0], ""), NO_VERDICT) for row in rows], np.int8
        ),
        levels={_score_key(name): np.array([row[3][name] for row in rows], np.int16) for name in names},
        passes={name: np.array([bool(row[4].get(name)) for row in rows], np.bool_) for name in rules},
    )


def _score_key(name: str) -> tuple[str, str]:
    digest, _, score = name.partition(":")
    return digest, score
