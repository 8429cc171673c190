"""Texts to a finished pool, at several sizes: does the time grow with the texts, and what does each stage cost?

    python -m benchmarks.study [--sizes 10000 100000] [--words 300] [--k 3] [--workers 2] [--folder DIR]

The texts come from the seeded generator and are read from a table of a SQLite file, as the application reads them.
Prints one JSON object per size, each measured in a process of its own.
"""

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks import machine
from benchmarks.corpus import CorpusSpec, write
from benchmarks.measuring import memory_mb
from dedup.engines.local import LocalEngine, predict
from dedup.specs import StudySpec


class StoredTexts:
    """Texts in a table, read by ordinal."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file)
        (self._count,) = self._connection.execute("SELECT count(*) FROM text").fetchone()

    def __len__(self) -> int:
        return self._count

    def batch(self, start: int, stop: int) -> list[str]:
        """Read a run of texts."""
        rows = self._connection.execute(
            "SELECT content FROM text WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal", (start, stop)
        )
        return [content for (content,) in rows]


def store(corpus: Path, file: Path) -> None:
    """Fill the table from a corpus of JSON lines."""
    with sqlite3.connect(file) as connection, corpus.open(encoding="utf-8") as lines:
        connection.execute("CREATE TABLE text (ordinal INTEGER PRIMARY KEY, content TEXT NOT NULL)")
        rows = ((ordinal, json.loads(line)["text"]) for ordinal, line in enumerate(lines))
        connection.executemany("INSERT INTO text VALUES (?, ?)", rows)


def measure(file: Path, folder: Path, spec: StudySpec, workers: int) -> dict[str, object]:
    """Predict, collect, and collect again with every segment there."""
    source = StoredTexts(file)
    engine = LocalEngine(workers)
    places = {"arrays": folder / "arrays", "pool_folder": folder / "pool", "report": lambda _progress: None}
    predicted = predict(source, spec, sample=2_000, workers=workers)
    began = perf_counter()
    files = engine.collect(source, spec, **places)
    seconds = perf_counter() - began
    began = perf_counter()
    engine.collect(source, spec, **places)
    return {
        "texts": len(source),
        "recipes": list(files.recipes),
        "workers": workers,
        "seconds": round(seconds, 2),
        "seconds_again": round(perf_counter() - began, 2),
        "stages": {stage: round(spent, 2) for stage, spent in files.seconds.items()},
        "texts_per_second": round(len(source) / seconds),
        "peak_mb": round(memory_mb("VmHWM")),
        "pool": files.pool_size,
        "floor_level": files.floor_level,
        "hub_buckets": files.hub_buckets,
        "predicted": {
            "seconds": round(predicted.seconds, 2),
            "memory_mb": round(predicted.memory_mb),
            "pairs": [predicted.pairs_low, predicted.candidate_pairs, predicted.pairs_high],
        },
        "load": machine.load(),
    }


def main() -> None:
    """Measure each size in a fresh process, or (with ``--file``) one size in this one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--k", type=int, action="append")
    parser.add_argument("--hash", choices=("sha1", "tokens"), default="sha1")
    parser.add_argument("--collection-threshold", type=float, default=0.3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--file", type=Path)
    options = parser.parse_args()
    spec = StudySpec(
        ks=tuple(options.k or [3]), hash=options.hash, collection_threshold=options.collection_threshold
    )
    if options.file is not None:
        print(json.dumps(measure(options.file, options.folder, spec, options.workers), indent=1), flush=True)
        return
    for size in options.sizes:
        _measure_apart(size, options)


def _measure_apart(size: int, options: argparse.Namespace) -> None:
    folder = Path(tempfile.mkdtemp(prefix="neardup-study-", dir=options.folder))
    try:
        file = folder / "texts.sqlite3"
        store(write(CorpusSpec(texts=size, words=options.words)), file)
        ks = [part for k in options.k or [3] for part in ("--k", str(k))]
        command = [
            *(sys.executable, "-m", "benchmarks.study", "--file", file, "--folder", folder, *ks),
            *("--hash", options.hash, "--workers", str(options.workers)),
            *("--collection-threshold", str(options.collection_threshold)),
        ]
        subprocess.run(command, check=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
