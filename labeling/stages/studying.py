"""The study job: sign and collect with the engine, draw the sample, keep what pages need as rows."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from dedup.engines.pool import read_pool
from dedup.engines.protocol import PoolFiles
from dedup.pairs import EXACT_SCALE, HAMMING_SCALE, Pool, histogram
from dedup.sampling import Draw, StratumDraw, bucket_edges, draw
from dedup.specs import BandingSpec, StudySpec, digest_of
from labeling.models import Corpus, Job, Segment, Stratum, Study, StudyPair, StudyRecipe
from labeling.services import pools
from labeling.services.known_pairs import ScoredPool, keep_known, pair_ids, study_pair_values
from labeling.services.link_rules import link_facts
from labeling.services.outcomes import Outlook, outlook_of
from labeling.services.scoring import node_keys
from labeling.services.studies import study_spec
from labeling.stages.reporting import Reporter
from labeling.stages.stored_texts import StoredTexts

IN_LIMIT = 500
PREDICTED_TEXTS = 20_000
PREDICTION_SAMPLE = 2_000


class PredictionRefusedError(ValueError):
    """The study is expected not to fit on this machine; the message says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One row of ``StudyRecipe`` in the making."""

    recipe: str
    score: str
    k: int
    scale: int
    banding: BandingSpec | None = None


def run(job: Job, reporter: Reporter) -> dict[str, Any]:
    """Collect the pool and draw; returns the study's report. A second run takes in new texts and keeps every label."""
    from dedup.engines.local import LocalEngine

    study = job.study
    if study is None:
        raise ValueError(f"{job} names no study")
    corpus = Corpus.objects.get(pk=job.corpus_id)
    spec = study_spec(study)
    _check_fit(corpus, spec, reporter)
    files = LocalEngine(settings.WORKERS).collect(
        StoredTexts(corpus),
        spec,
        arrays=pools.arrays_folder(corpus),
        pool_folder=pools.pool_folder(study),
        report=reporter.follow,
    )
    reporter.begin("draw", unit="pairs", total=files.pool_size)
    began = perf_counter()
    _publish(study, corpus, spec, files)
    study.refresh_from_db()
    seconds = {**files.seconds, "draw": perf_counter() - began}
    return study_report(study) | {
        "hub_buckets": files.hub_buckets,
        "left_out": files.left_out,
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
    }


def _check_fit(corpus: Corpus, spec: StudySpec, reporter: Reporter) -> None:
    """Refuse, before hours of work, a study that is expected to be too large. Raises ``PredictionRefusedError``."""
    if corpus.next_ordinal < PREDICTED_TEXTS:
        return
    reporter.begin("estimate", unit="texts", total=corpus.next_ordinal)
    prediction = predict_study(corpus, spec)
    if not prediction["fits"]:
        raise PredictionRefusedError(
            f"About {prediction['candidate_pairs']:,} candidate pairs are expected. {prediction['advice']}"
        )


def predict_study(corpus: Corpus, spec: StudySpec) -> dict[str, Any]:
    """What a study is expected to cost, from a sample of its texts."""
    from dedup.engines.prediction import predict

    return asdict(predict(StoredTexts(corpus), spec, sample=PREDICTION_SAMPLE, workers=settings.WORKERS))


def _publish(study: Study, corpus: Corpus, spec: StudySpec, files: PoolFiles) -> None:
    _write_segments(study, corpus, files)
    pool = pools.pool_of_live_texts(read_pool(pools.pool_folder(study), spec), corpus, files.texts)
    scored = ScoredPool(
        pool=pool,
        node_keys=node_keys(corpus, files.texts),
        salt=corpus.salt,
        facts=link_facts(corpus, files.texts),
    )
    rows = np.arange(len(pool), dtype=np.int64)
    outlook = outlook_of(corpus, files.texts, scored.facts, scored.passes(rows))
    drawn = draw(
        {key.digest: column for key, column in pool.levels.items() if key.score == "exact"},
        scored.numbers(rows),
        edges=bucket_edges(width=spec.bucket_width, floor=spec.collection_threshold),
        quota=spec.per_bucket,
    )
    with transaction.atomic():
        recipes = [_write_recipe(study, score, pool, outlook) for score in _scores(spec, files)]
        study.recipes.exclude(pk__in=[row.pk for row in recipes]).filter(decisions=None).delete()
        _write_strata(study, drawn.strata, list(recipes))
        _write_pairs(study, corpus, scored, drawn)
        Study.objects.filter(pk=study.pk).update(
            state=Study.State.READY,
            texts=files.texts,
            pool=len(pool),
            pool_digest=_manifest_digest(files),
            hub_buckets=[
                {
                    "recipe": hub.recipe,
                    "band": hub.band,
                    "size": hub.size,
                    "examples": list(hub.example_ordinals),
                }
                for hub in files.hubs
            ],
        )
        study.refresh_from_db()
        keep_known(study, scored)


def _scores(spec: StudySpec, files: PoolFiles) -> list[Score]:
    scores = []
    for minhash in spec.minhash_specs:
        banding = files.bandings[digest_of(minhash.recipe)]
        scores.append(
            Score(recipe=minhash.recipe, score="exact", k=minhash.k, scale=EXACT_SCALE, banding=banding)
        )
        scores.append(
            Score(
                recipe=minhash.recipe, score="estimate", k=minhash.k, scale=minhash.num_perm, banding=banding
            )
        )
    if spec.simhash_spec is not None:
        simhash = spec.simhash_spec
        scores.append(Score(recipe=simhash.recipe, score="hamming", k=simhash.k, scale=HAMMING_SCALE))
    return scores


def _write_recipe(study: Study, score: Score, pool: Pool, outlook: Outlook) -> StudyRecipe:
    row = StudyRecipe(
        study=study, digest=digest_of(score.recipe), score=score.score, k=score.k, scale=score.scale
    )
    levels = pools.levels_of(pool, row)
    row, _ = StudyRecipe.objects.update_or_create(
        study=study,
        digest=row.digest,
        score=score.score,
        defaults={
            "recipe": score.recipe,
            "k": score.k,
            "scale": score.scale,
            "bands": score.banding.bands if score.banding else None,
            "rows_per_band": score.banding.rows_per_band if score.banding else None,
            "histogram": histogram(levels, score.scale).tolist(),
            "histogram_rule": {
                rule: histogram(levels[flags], score.scale).tolist() for rule, flags in outlook.passes.items()
            },
            "outcomes": outlook.outcomes(pool, row),
        },
    )
    return row


def _write_strata(study: Study, strata: Sequence[StratumDraw], recipes: Sequence[StudyRecipe]) -> None:
    Stratum.objects.filter(recipe__study=study).delete()
    by_digest = {row.digest: row for row in recipes if row.score == "exact"}
    Stratum.objects.bulk_create(
        Stratum(
            recipe=by_digest[stratum.digest],
            low_level=stratum.low,
            high_level=stratum.high,
            population=stratum.population,
            sampled=stratum.sampled,
            next_u=stratum.next_u,
        )
        for stratum in strata
    )


def _write_pairs(study: Study, corpus: Corpus, scored: ScoredPool, drawn: Draw) -> None:
    """Bring the study's pairs in line with the draw; those that stay keep their rows, and so their open pages."""
    pool = scored.pool
    ordinals = list(zip(pool.left[drawn.indices].tolist(), pool.right[drawn.indices].tolist(), strict=True))
    keys = pair_ids(corpus, ordinals)
    values = study_pair_values(study, scored, drawn.indices)
    present = {row.pair_id: row for row in study.study_pairs.all()}
    added: list[StudyPair] = []
    kept: list[StudyPair] = []
    for pair_id, position, fields in zip(keys, drawn.positions.tolist(), values, strict=True):
        row = present.pop(pair_id, None) or StudyPair(study=study, pair_id=pair_id)
        for name, value in {**fields, "drawn": True, "position": position}.items():
            setattr(row, name, value)
        (kept if row.pk else added).append(row)
    gone = [row.pk for row in present.values()]
    for start in range(0, len(gone), IN_LIMIT):
        study.study_pairs.filter(pk__in=gone[start : start + IN_LIMIT]).delete()
    StudyPair.objects.bulk_update(
        kept, ["drawn", "position", "u", "levels", "hamming", "passes_rule"], batch_size=50
    )
    StudyPair.objects.bulk_create(added, batch_size=100)


@transaction.atomic
def _write_segments(study: Study, corpus: Corpus, files: PoolFiles) -> None:
    """Rows for the files that this run wrote or found; rows of segments that longer ones took over go."""
    recipes = {file.recipe for file in files.segments}
    Segment.objects.filter(corpus=corpus, study=None, recipe__in=recipes).delete()
    Segment.objects.filter(study=study).delete()
    folder, own = pools.arrays_folder(corpus).name, pools.pool_folder(study).name
    rows = [pools.segment_row(corpus, None, folder, file) for file in files.segments]
    rows += [pools.segment_row(corpus, study, own, file) for file in files.files]
    Segment.objects.bulk_create(rows, batch_size=100)


def _manifest_digest(files: PoolFiles) -> str:
    return next(file.sha256 for file in files.files if file.path == "manifest.json")


def study_report(study: Study) -> dict[str, Any]:
    """What a study holds, for reports and commands."""
    rows = list(study.recipes.prefetch_related("strata").order_by("k", "score", "id"))
    return {
        "texts": study.texts,
        "pool": study.pool,
        "pairs": study.study_pairs.filter(drawn=True).count(),
        "recipes": [
            {
                "recipe": row.recipe,
                "digest": row.digest,
                "score": row.score,
                "k": row.k,
                "bands": row.bands,
                "rows": row.rows_per_band,
                "scale": row.scale,
            }
            for row in rows
        ],
        "buckets": [
            {
                "recipe": row.recipe,
                "k": row.k,
                "low": stratum.low_level / EXACT_SCALE,
                "high": min(stratum.high_level, EXACT_SCALE) / EXACT_SCALE,
                "population": stratum.population,
                "sampled": stratum.sampled,
            }
            for row in rows
            for stratum in row.strata.all()
        ],
    }
