"""The engine for one machine: threads over compiled loops, files as memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.engines import corpus_arrays
from dedup.engines.collecting import Collected, Collector
from dedup.engines.corpus_arrays import SEGMENT_ROWS, CorpusRecipes
from dedup.engines.crew import Crew, Stages
from dedup.engines.families import families_of_exact_keys
from dedup.engines.pool import PoolFacts, read_manifest, read_pool, study_bandings, study_recipes, write_pool
from dedup.engines.prediction import Prediction, predict
from dedup.engines.protocol import Engine, PoolFiles, Progress, Report, StoredFile, TextSource
from dedup.engines.signing import Signer
from dedup.engines.verifying import StoredStreams, Verifier
from dedup.segments import remove_unfinished
from dedup.specs import MinHashSpec, StudySpec, digest_of

__all__ = [
    "Engine",
    "LocalEngine",
    "PoolFiles",
    "Prediction",
    "Progress",
    "StoredFile",
    "TextSource",
    "predict",
    "read_manifest",
    "read_pool",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusColumns:
    """What the search and the scores need in memory; ``valid`` marks the texts that have a word."""

    signatures: dict[MinHashSpec, NDArray[np.uint32]]
    fingerprints: NDArray[np.uint64] | None
    exact_keys: NDArray[np.uint8]
    valid: NDArray[np.bool_]


class LocalEngine:
    """Collects pools with ``workers`` threads. Results don't depend on their number."""

    def __init__(self, workers: int, *, segment_rows: int = SEGMENT_ROWS) -> None:
        if workers < 1:
            raise ValueError(f"work needs one worker or more, not {workers}")
        self._workers = workers
        self._segment_rows = segment_rows

    def collect(
        self, source: TextSource, spec: StudySpec, *, arrays: Path, pool_folder: Path, report: Report
    ) -> PoolFiles:
        """Sign, collect and verify; see ``dedup.engines.protocol.Engine``."""
        stages = Stages(report)
        texts = len(source)
        recipes = CorpusRecipes.of(spec)
        stages.begin("wait", total=texts, unit="texts")
        with (
            corpus_arrays.exclusive(arrays, stages.repeat),
            Crew(self._workers, heartbeat=stages.repeat) as crew,
        ):
            remove_unfinished(pool_folder)
            segments = Signer(recipes, arrays, segment_rows=self._segment_rows).sign(source, crew, stages)
            bounds = corpus_arrays.segment_bounds(texts, self._segment_rows)
            columns = crew.wait(crew.submit(_read_columns, arrays, recipes, bounds))
            collected = self._collect_pairs(spec, recipes, columns, crew, stages)
            streams = StoredStreams(arrays, recipes.stream.recipe, bounds)
        with Crew(self._workers, heartbeat=stages.repeat) as crew:
            pool = Verifier(streams, columns.signatures, columns.fingerprints).verify(
                collected.codes, crew, stages
            )
            stages.begin("write", total=len(pool), unit="pairs")
            facts = PoolFacts(
                texts=texts,
                hubs=collected.hubs,
                floor_level=collected.floor_level,
                left_out=collected.left_out,
            )
            files = crew.wait(crew.submit(write_pool, pool_folder, pool, spec, facts))
        stages.advance(len(pool))
        stages.end()
        return PoolFiles(
            folder=pool_folder,
            texts=texts,
            pool_size=len(pool),
            recipes=study_recipes(spec),
            bandings=study_bandings(spec),
            hubs=facts.largest_hubs,
            hub_buckets=len(facts.hubs),
            floor_level=facts.floor_level,
            left_out=facts.left_out,
            seconds=dict(stages.seconds),
            files=files,
            segments=segments,
        )

    def _collect_pairs(
        self, spec: StudySpec, recipes: CorpusRecipes, columns: CorpusColumns, crew: Crew, stages: Stages
    ) -> Collected:
        bandings = study_bandings(spec)
        collector = Collector(
            columns.signatures,
            {minhash_spec: bandings[digest_of(minhash_spec.recipe)] for minhash_spec in recipes.minhash},
            families_of_exact_keys(columns.exact_keys, columns.valid),
            stream_recipe=recipes.stream.recipe,
            hub_limit=spec.hub_limit,
            collection_threshold=spec.collection_threshold,
        )
        return collector.collect(crew, stages, columns.fingerprints, recipes.simhash)


def _read_columns(arrays: Path, recipes: CorpusRecipes, bounds: list[tuple[int, int]]) -> CorpusColumns:
    stream = recipes.stream.recipe
    simhash = recipes.simhash
    if not bounds:
        return _no_columns(recipes)
    words: NDArray[Any] = corpus_arrays.read_rows(arrays, stream, bounds, column=".words")
    return CorpusColumns(
        signatures={spec: corpus_arrays.read_rows(arrays, spec.recipe, bounds) for spec in recipes.minhash},
        fingerprints=None if simhash is None else corpus_arrays.read_rows(arrays, simhash.recipe, bounds),
        exact_keys=corpus_arrays.read_rows(arrays, stream, bounds, column=".keys"),
        valid=words > 0,
    )


def _no_columns(recipes: CorpusRecipes) -> CorpusColumns:
    return CorpusColumns(
        signatures={spec: np.empty((0, spec.num_perm), np.uint32) for spec in recipes.minhash},
        fingerprints=None if recipes.simhash is None else np.empty(0, np.uint64),
        exact_keys=np.empty((0, 32), np.uint8),
        valid=np.empty(0, np.bool_),
    )
