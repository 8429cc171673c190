"""The first stage: texts become clean streams, signatures and fingerprints, one segment after the other."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dedup import kernel
from dedup.engines import corpus_arrays
from dedup.engines.corpus_arrays import CorpusRecipes
from dedup.engines.crew import Crew, Stages
from dedup.engines.protocol import StoredFile, TextSource
from dedup.kernel import TextColumn
from dedup.numbers_rule import marks_of

if TYPE_CHECKING:
    from concurrent.futures import Future

FIRST_CHUNK_TEXTS = 200
CHUNK_TEXTS = 2_000
CHUNK_BYTES = 4_000_000
WAITING_WRITES = 2

Rows = Mapping[str, NDArray[Any]]


@dataclass(slots=True, kw_only=True)
class SegmentWork:
    """What one segment lacks. ``have`` maps each recipe to the ordinal up to which its rows are there already."""

    start: int
    stop: int
    have: Mapping[str, int]
    files: dict[str, list[StoredFile]]
    made: dict[str, list[Rows]] = field(default_factory=lambda: defaultdict(list))

    @property
    def is_done(self) -> bool:
        """Say whether all rows of all recipes are there."""
        return all(stop == self.stop for stop in self.have.values())

    def spans(self) -> list[tuple[int, int]]:
        """Cut the rows that some recipe lacks into spans inside which the same recipes lack them."""
        return list(pairwise(sorted({*self.have.values(), self.stop})))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A few neighbouring texts and the recipes that lack their rows; ``texts`` are clean if the streams are there."""

    work: SegmentWork
    start: int
    stop: int
    texts: TextColumn
    lacking: frozenset[str]


class Signer:
    """Makes the segments of a corpus that are missing, damaged or too short; leaves the others alone."""

    def __init__(self, recipes: CorpusRecipes, arrays: Path, *, segment_rows: int) -> None:
        self._recipes = recipes
        self._arrays = arrays
        self._segment_rows = segment_rows
        self._chunk_texts = FIRST_CHUNK_TEXTS

    def sign(self, source: TextSource, crew: Crew, stages: Stages) -> tuple[StoredFile, ...]:
        """Make what is missing; return the files of all segments, sorted by path."""
        stages.begin("sign", total=len(source), unit="texts")
        files: list[StoredFile] = []
        writes: deque[Future[list[StoredFile]]] = deque()
        for chunk, columns in self._signed_chunks(source, crew, stages, files):
            for recipe, values in columns.items():
                chunk.work.made[recipe].append(values)
            if chunk.stop == chunk.work.stop:
                writes.append(crew.submit(self._write, chunk.work))
            while len(writes) >= WAITING_WRITES:
                written = crew.wait(writes.popleft())
                files += written
            stages.advance(chunk.stop - chunk.start)
        for write in writes:
            written = crew.wait(write)
            files += written
        return tuple(sorted(files))

    def _signed_chunks(
        self, source: TextSource, crew: Crew, stages: Stages, files: list[StoredFile]
    ) -> Iterator[tuple[Chunk, dict[str, Rows]]]:
        bounds = corpus_arrays.segment_bounds(len(source), self._segment_rows)

        def chunks() -> Iterator[Chunk]:
            for work in crew.map(self._inspect, bounds):
                there = (min(work.have.values()) if work.have else work.stop) - work.start
                if there:
                    stages.advance(there)
                if work.is_done:
                    files.extend(file for found in work.files.values() for file in found)
                    continue
                yield from self._chunks(source, work)

        return crew.map(self._sign_chunk, chunks())

    def _inspect(self, bounds: tuple[int, int]) -> SegmentWork:
        start, stop = bounds
        have, files = {}, {}
        for recipe in self._recipes.readable:
            found = corpus_arrays.find_segment(self._arrays, recipe, start, stop)
            if found is None:
                have[recipe] = corpus_arrays.find_shorter_segment(self._arrays, recipe, start, stop)
            else:
                have[recipe], files[recipe] = stop, found
        return SegmentWork(start=start, stop=stop, have=have, files=files)

    def _chunks(self, source: TextSource, work: SegmentWork) -> Iterator[Chunk]:
        stored = self._stored_streams(work)
        stream_stop = work.have[self._recipes.stream.recipe]
        for low, high in work.spans():
            lacking = frozenset(recipe for recipe, there in work.have.items() if there <= low)
            start = low
            while start < high:
                stop = min(start + self._chunk_texts, high)
                places = np.arange(start - work.start, stop - work.start)
                texts = stored.take(places) if start < stream_stop else _read(source, start, stop)
                yield Chunk(work=work, start=start, stop=stop, texts=texts, lacking=lacking)
                self._chunk_texts = _next_chunk_texts(texts)
                start = stop

    def _stored_streams(self, work: SegmentWork) -> TextColumn:
        recipe = self._recipes.stream.recipe
        if work.have[recipe] == work.start:
            return TextColumn.from_strings([])
        columns = corpus_arrays.open_segment(self._arrays, recipe, work.start, work.have[recipe])
        return TextColumn(data=columns[""], offsets=columns[".offsets"])

    def _sign_chunk(self, chunk: Chunk) -> tuple[Chunk, dict[str, Rows]]:
        columns: dict[str, Rows] = {}
        streams = chunk.texts
        if self._recipes.stream.recipe in chunk.lacking:
            clean = kernel.clean(chunk.texts, self._recipes.stream.normaliser)
            streams = clean.streams
            columns[self._recipes.stream.recipe] = {
                "": streams.data,
                ".offsets": streams.offsets,
                ".words": clean.words,
                ".keys": clean.exact_keys,
            }
        marks = self._recipes.marks
        if marks is not None and marks.recipe in chunk.lacking:
            columns[marks.recipe] = {"": marks_of(map(streams.encoded, range(len(streams))))}
        specs = [spec for spec in self._recipes.minhash if spec.recipe in chunk.lacking]
        if specs:
            signatures = kernel.signatures(streams, specs)
            columns.update({spec.recipe: {"": rows} for spec, rows in zip(specs, signatures, strict=True)})
        simhash = self._recipes.simhash
        if simhash is not None and simhash.recipe in chunk.lacking:
            columns[simhash.recipe] = {"": kernel.fingerprints(streams, simhash)}
        return chunk, columns

    def _write(self, work: SegmentWork) -> list[StoredFile]:
        files = [file for found in work.files.values() for file in found]
        for recipe, parts in work.made.items():
            if work.have[recipe] > work.start:
                before = corpus_arrays.open_segment(self._arrays, recipe, work.start, work.have[recipe])
                parts.insert(0, before)
            columns = {name: _parts_of(name, parts) for name in corpus_arrays.columns_of(recipe)}
            files += corpus_arrays.write_segment(self._arrays, recipe, work.start, work.stop, columns)
        work.made.clear()
        return files


def _read(source: TextSource, start: int, stop: int) -> TextColumn:
    texts = source.batch(start, stop)
    if len(texts) != stop - start:
        raise ValueError(f"asked for the texts {start} to {stop - 1}, the source gave {len(texts)}")
    return TextColumn.from_strings(list(texts))


def _next_chunk_texts(texts: TextColumn) -> int:
    """Take as many texts next time as make 4 MB if they are as long as these, 2,000 at most."""
    mean_bytes = max(1, texts.data.size // max(len(texts), 1))
    return min(CHUNK_TEXTS, max(1, CHUNK_BYTES // mean_bytes))


def _parts_of(column: str, parts: list[Rows]) -> list[NDArray[Any]]:
    if column == ".offsets":
        lengths = np.concatenate([np.diff(part[column]) for part in parts])
        return [np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]
    return [part[column] for part in parts]
