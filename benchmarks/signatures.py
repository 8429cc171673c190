"""What each function of the kernel costs a text, beside datasketch's own bulk use, on the seeded corpus.

    python -m benchmarks.signatures [--texts 20000] [--words 300] [--repeat 3]

One thread. Prints one JSON object: microseconds a text, the best of the runs (a pair, for overlaps), and datasketch's.
"""

import argparse
import json
from collections.abc import Callable
from time import perf_counter

import numpy as np
from datasketch import MinHash

from benchmarks import machine
from benchmarks.corpus import CorpusSpec, write
from benchmarks.measuring import read_texts
from dedup import kernel
from dedup.kernel import TextColumn
from dedup.shingling import shingles
from dedup.specs import MinHashSpec, SimHashSpec

CHUNK_TEXTS = 2_000
KS = ((3,), (7,), (1, 3), (3, 5, 7), (1, 3, 5, 7))
DATASKETCH_TEXTS = 300


def best_of(repeat: int, run: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(repeat):
        began = perf_counter()
        run()
        seconds.append(perf_counter() - began)
    return min(seconds)


def datasketch_bulk(streams: TextColumn) -> list[MinHash]:
    """Sign with datasketch alone, shingles ready as bytes included in the time."""
    words = (streams.text(place).split(" ") for place in range(min(len(streams), DATASKETCH_TEXTS)))
    return MinHash.bulk([[shingle.encode() for shingle in shingles(text, 3)] for text in words], num_perm=128)


def functions(texts: list[str]) -> dict[str, Callable[[], object]]:
    """Every measured call by name, over chunks as the engine makes them."""
    starts = range(0, len(texts), CHUNK_TEXTS)
    columns = [TextColumn.from_strings(texts[start : start + CHUNK_TEXTS]) for start in starts]
    streams = [kernel.clean(column).streams for column in columns]
    places = np.arange(CHUNK_TEXTS - 1)

    def sign(specs: list[MinHashSpec]) -> Callable[[], object]:
        return lambda: [kernel.signatures(part, specs) for part in streams]

    calls: dict[str, Callable[[], object]] = {
        "encode": lambda: [TextColumn.from_strings(texts[start : start + CHUNK_TEXTS]) for start in starts],
        "clean": lambda: [kernel.clean(column) for column in columns],
        "simhash plain": lambda: [kernel.fingerprints(part, SimHashSpec()) for part in streams],
        "simhash tf": lambda: [kernel.fingerprints(part, SimHashSpec(weighting="tf")) for part in streams],
        "exact overlap": lambda: [
            kernel.exact_overlaps(part, places[: len(part) - 1], places[: len(part) - 1] + 1, 3)
            for part in streams
        ],
        "exact overlap k=(1, 3, 5, 7)": lambda: [
            kernel.exact_overlaps_of_all(
                part, places[: len(part) - 1], places[: len(part) - 1] + 1, [1, 3, 5, 7]
            )
            for part in streams
        ],
    }
    for hash_name in ("sha1", "tokens"):
        for ks in KS:
            calls[f"{hash_name} k={ks}"] = sign([MinHashSpec(k=k, hash=hash_name) for k in ks])
        calls[f"{hash_name} 256 permutations"] = sign([MinHashSpec(num_perm=256, hash=hash_name)])
    return calls


def main() -> None:
    """Read the command line, run, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    texts = read_texts(write(CorpusSpec(texts=options.texts, words=options.words)))
    for run in functions(texts[:100]).values():
        run()
    measured = {
        name: round(best_of(options.repeat, run) / len(texts) * 1e6, 2)
        for name, run in functions(texts).items()
    }
    few = kernel.clean(TextColumn.from_strings(texts[:DATASKETCH_TEXTS])).streams
    peer = best_of(options.repeat, lambda: datasketch_bulk(few)) / len(few) * 1e6
    print(
        json.dumps(
            {
                "texts": options.texts,
                "words": options.words,
                "microseconds_a_text": measured,
                "datasketch_bulk": round(peer, 1),
                "times_datasketch": round(peer / measured["sha1 k=(3,)"], 1),
                "kernel": kernel.KERNEL_NAME,
                "load": machine.load(),
                "machine": machine.describe(),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
