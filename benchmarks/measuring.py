"""What every measured program shares: read the texts, time one call, see how much memory it added, print one line.

Runs inside each peer's own environment, so only the standard library is imported.
"""

import argparse
import importlib.metadata
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

BANDS, ROWS_PER_BAND, NUM_PERM, K = 30, 4, 128, 3
THRESHOLD = 0.6
WARM_UP_TEXTS = 200

Cluster = Callable[[list[str]], Sequence[int]]
Prepare = Callable[[list[str]], None]


def read_texts(path: Path) -> list[str]:
    """Read the texts of a corpus, in order."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def measure(
    cluster: Cluster,
    *,
    distribution: str,
    how: str,
    warm_up: Cluster | None = None,
    prepare: Prepare | None = None,
    details: dict[str, float] | None = None,
    command: list[str] | None = None,
) -> None:
    """Time ``cluster`` on the corpus that the command line names, and print one JSON object on standard output.

    ``cluster`` goes from texts to one cluster label per text. Before the clock starts, ``prepare`` gets all texts, for
    a program that reads its own files, and ``warm_up`` the first ones, for a program that compiles on first use.
    ``how`` says in a sentence how the program was called; ``details`` is what ``cluster`` itself
    measured, by name.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--labels", type=Path, help="write the label of each text to this file, one a line")
    options = parser.parse_args(command)
    texts = read_texts(options.corpus)
    if prepare is not None:
        prepare(texts)
    if warm_up is not None:
        warm_up(texts[:WARM_UP_TEXTS])
    observed, labels = observe(cluster, texts)
    if options.labels is not None:
        options.labels.write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    figures = {"texts": len(texts), **observed, **summary(labels)}
    facts = {"version": f"{distribution} {version_of(distribution)}", "how": how}
    measured = {name: round(value, 4) for name, value in (details or {}).items()}
    print(json.dumps({**figures, **facts, "details": measured}), file=sys.__stdout__, flush=True)


def version_of(distribution: str) -> str:
    """The installed version; neardup itself may run from its checkout."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "checkout"


def observe(cluster: Cluster, texts: list[str]) -> tuple[dict[str, float], Sequence[int]]:
    """Answer seconds, processor seconds, megabytes that the peak rose above the level before; and the labels."""
    forget_peak()
    memory_before, processor_before = memory_mb("VmRSS"), processor_seconds()
    started = time.perf_counter()
    labels = cluster(texts)
    seconds = time.perf_counter() - started
    children_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1_000
    added_mb = max(memory_mb("VmHWM"), children_mb) - memory_before
    spent = processor_seconds() - processor_before
    observed = {"seconds": seconds, "processor_seconds": spent, "added_mb": max(0.0, added_mb)}
    return {name: round(value, 4) for name, value in observed.items()}, labels


def processor_seconds() -> float:
    """Processor time of this process, all its threads and its children that have ended.

    On a machine that others use as well it says more than the clock does.
    """
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def forget_peak() -> None:
    """Let the kernel forget the peak of this process so far (the texts were read, modules were imported)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def memory_mb(field: str) -> float:
    """``VmRSS`` is what this process holds now, ``VmHWM`` the most that it held, in megabytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    row = next(line for line in lines if line.startswith(f"{field}:"))
    return int(row.split()[1]) * 1.024 / 1_000


def summary(labels: Sequence[int]) -> dict[str, int]:
    """Clusters of two or more, and how many texts would go if each cluster kept one."""
    sizes = Counter(labels)
    return {
        "clusters": sum(size > 1 for size in sizes.values()),
        "removed": len(labels) - len(sizes),
    }


def labels_from_links(count: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """Join linked texts (union-find with path halving): the label of a cluster is its smallest number."""
    parents = list(range(count))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    for left, right in links:
        low, high = sorted((root(left), root(right)))
        parents[high] = low
    return [root(number) for number in range(count)]
