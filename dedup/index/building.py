"""From the texts of a corpus to the tables of its index."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dedup.engines import corpus_arrays
from dedup.engines.corpus_arrays import SEGMENT_ROWS, CorpusRecipes, segment_bounds
from dedup.engines.crew import Crew, Stages
from dedup.engines.protocol import Report, StoredFile, TextSource
from dedup.engines.signing import Signer
from dedup.index.spec import IndexSpec
from dedup.index.table_files import (
    Bounds,
    check_bounds,
    open_table,
    plan_tables,
    read_bounds,
    tables_folder,
    write_record,
    write_table,
)
from dedup.index.tables import build_table
from dedup.segments import SegmentError

LARGEST_TABLE = 2_000_000


def build_index(
    source: TextSource, spec: IndexSpec, *, arrays: Path, report: Report, workers: int
) -> tuple[tuple[StoredFile, ...], tuple[StoredFile, ...]]:
    """Sign what isn't signed yet, and bring the tables up to the number of texts that there are now.

    Streams, signatures and fingerprints are the same files that studies use. Tables that are there are kept, or become
    part of a larger one; readers go on with the old ones until the record is replaced. Returns the files of the
    segments and those of the tables that were written now. Killed at any moment, it leaves the tables that were there.
    """
    texts = len(source)
    stages = Stages(report)
    recipes = CorpusRecipes(stream=spec.stream, minhash=(spec.minhash,), simhash=spec.simhash)
    with corpus_arrays.exclusive(arrays, stages.repeat):
        with Crew(workers, heartbeat=stages.repeat) as crew:
            segments = Signer(recipes, arrays, segment_rows=SEGMENT_ROWS).sign(source, crew, stages)
        folder = tables_folder(arrays, spec)
        there = _whole_tables(folder, spec)
        planned = plan_tables(there, texts, largest=LARGEST_TABLE)
        stages.begin("index", total=texts, unit="texts")
        written: list[StoredFile] = []
        for start, stop in planned:
            if (start, stop) not in there:
                columns = _columns(arrays, spec, start, stop)
                written += write_table(folder, build_table(*columns, spec, start), spec.recipe)
            stages.advance(stop - start)
        write_record(folder, spec, planned)
        stages.end()
    return segments, tuple(written)


def _whole_tables(folder: Path, spec: IndexSpec) -> list[Bounds]:
    """Read which tables there are; none if one of them is missing or damaged, so that all are made again."""
    bounds = read_bounds(folder, spec)
    try:
        check_bounds(bounds)
        for one in bounds:
            open_table(folder, one)
    except SegmentError:
        return []
    return bounds


def _columns(
    arrays: Path, spec: IndexSpec, start: int, stop: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.bool_]]:
    """Signatures, fingerprints and validity of the ordinals ``start`` to ``stop - 1``."""
    first = start // SEGMENT_ROWS * SEGMENT_ROWS
    bounds = [
        (low, corpus_arrays.longest_stop(arrays, spec.stream.recipe, low))
        for low, _ in segment_bounds(stop, SEGMENT_ROWS)
        if low >= first
    ]
    rows = slice(start - first, stop - first)
    signatures: NDArray[np.uint32] = _rows(arrays, spec.minhash.recipe, bounds)[rows]
    fingerprints: NDArray[np.uint64] = _rows(arrays, spec.simhash.recipe, bounds)[rows]
    words: NDArray[np.int32] = _rows(arrays, spec.stream.recipe, bounds, column=".words")[rows]
    return signatures, fingerprints, words > 0


def _rows(arrays: Path, recipe: str, bounds: Sequence[Bounds], *, column: str = "") -> NDArray[Any]:
    parts = [corpus_arrays.open_segment(arrays, recipe, start, stop)[column] for start, stop in bounds]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
