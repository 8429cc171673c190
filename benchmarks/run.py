"""Measure neardup and its peers, all in one run: ``python -m benchmarks.run``.

Builds what is missing of the peers' environments, writes the corpora, then runs every program once a round, in
another order each round, so that a slow minute of the machine hits all alike. Writes ``benchmarks/results/NAME.json``
(every run) and ``NAME.md`` (tables). Nothing else should run on the machine.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benchmarks import agreement, environments, machine, tables
from benchmarks.corpus import DATA, CorpusSpec, write
from benchmarks.programs import LENGTHS, OURS, PEERS, REFERENCE, Program

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
QUICK_DIVISOR = 20
QUICK_LEAST = 200
TIMEOUT_SECONDS = 300
THREADS = ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "RAYON_NUM", "POLARS_MAX", "ARROW_NUM")
ONE_THREAD = {f"{library}_THREADS": "1" for library in THREADS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One program on one corpus; ``is_comparison`` if only its labels are wanted, so that one round is enough."""

    program: Program
    corpus: CorpusSpec
    python: str
    is_comparison: bool = False

    def labels_path(self, folder: Path) -> Path:
        """Where the labels of the task go."""
        return folder / f"{self.program.name}-{self.corpus.path.stem}.labels"

    def run(self, folder: Path) -> dict[str, object]:
        """Run the program in a process of its own and answer its figures, or the problem it had."""
        cores = ",".join(str(core) for core in range(self.program.threads))
        command = [
            *("taskset", "-c", cores, self.python, "-m", self.program.module, *self.program.arguments),
            *(str(self.corpus.path), "--labels", str(self.labels_path(folder))),
        ]
        variables = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(ROOT)}
        try:
            finished = subprocess.run(
                command,
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
                check=True,
            )
        except subprocess.SubprocessError as error:
            return {"problem": _last_words(error)}
        return json.loads(finished.stdout.strip().splitlines()[-1])


def _last_words(error: subprocess.SubprocessError) -> str:
    spoken = getattr(error, "stderr", None) or str(error)
    text = spoken.decode(errors="replace") if isinstance(spoken, bytes) else spoken
    return text.strip().splitlines()[-1][:300]


def planned_tasks(options: argparse.Namespace, ready: dict[str, environments.Environment]) -> list[Task]:
    """All programs that can run, on all lengths; neardup also on each size that some peer needs, to compare labels."""
    tasks = []
    for words in options.lengths:
        sizes: set[int] = set()
        for program in chosen(options):
            if not program.is_ours and not ready[program.environment].is_ready:
                continue
            python = sys.executable if program.is_ours else str(ready[program.environment].python)
            corpus = CorpusSpec(texts=scaled(program.texts[words], options), words=words)
            sizes.add(corpus.texts)
            tasks.append(Task(program=program, corpus=corpus, python=python))
        tasks += list(_reference_tasks(words, sizes, tasks))
    return tasks


def _reference_tasks(words: int, sizes: set[int], tasks: list[Task]) -> Iterator[Task]:
    reference = next(program for program in OURS if program.name == REFERENCE)
    there = {task.corpus.texts for task in tasks if task.program is reference and task.corpus.words == words}
    for texts in sorted(sizes - there):
        yield Task(
            program=reference,
            corpus=CorpusSpec(texts=texts, words=words),
            python=sys.executable,
            is_comparison=True,
        )


def chosen(options: argparse.Namespace) -> list[Program]:
    """The programs that the command line names, or all."""
    every = [*OURS, *PEERS]
    return [program for program in every if not options.only or program.name in options.only]


def scaled(texts: int, options: argparse.Namespace) -> int:
    """The number of texts, much smaller in quick mode."""
    return max(QUICK_LEAST, texts // QUICK_DIVISOR) if options.quick else texts


def run_rounds(tasks: list[Task], rounds: int, folder: Path) -> list[dict[str, object]]:
    """Run all tasks ``rounds`` times, each round from another place in the list."""
    runs = []
    for number in range(rounds):
        shift = number * len(tasks) // rounds
        for task in tasks[shift:] + tasks[:shift]:
            if task.is_comparison and number:
                continue
            began = perf_counter()
            figures = task.run(folder)
            told = figures.get("problem") or f"{figures['seconds']:.2f} s"
            print(
                f"{number + 1}/{rounds} {task.program.name:24} {task.corpus.path.stem:22} {told}", flush=True
            )
            record = {
                "program": task.program.name,
                "words": task.corpus.words,
                "round": number + 1,
                **figures,
            }
            runs.append({**record, "wall_seconds": round(perf_counter() - began, 2)})
    return runs


def compare_labels(tasks: list[Task], folder: Path) -> list[dict[str, object]]:
    """Hold each program's clusters against neardup's on the same corpus, and against what was planted."""
    rows = []
    reference = next(program for program in OURS if program.name == REFERENCE)
    for corpus in dict.fromkeys(task.corpus for task in tasks):
        base = Task(program=reference, corpus=corpus, python="").labels_path(folder)
        truth = agreement.read_truth(corpus.path)
        for task in (task for task in tasks if task.corpus == corpus and task.labels_path(folder).is_file()):
            if not base.is_file() or "none" in " ".join(task.program.arguments):
                continue
            labels = agreement.read_labels(task.labels_path(folder))
            found = agreement.compare(labels, agreement.read_labels(base), truth)
            row = {"program": task.program.name, "words": corpus.words, "texts": corpus.texts}
            rows.append({**row, **found})
    return rows


def prepare_environments(options: argparse.Namespace) -> dict[str, environments.Environment]:
    """Build the environments of the chosen peers; say which can't be had."""
    ready = {}
    for name in dict.fromkeys(program.environment for program in chosen(options) if not program.is_ours):
        ready[name] = environments.prepare(name)
        print(f"environment {name}: {ready[name].problem or 'ready'}", flush=True)
    return ready


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a twentieth of the texts, one round, results in .data"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lengths", type=int, nargs="+", default=list(LENGTHS), choices=LENGTHS)
    parser.add_argument("--only", nargs="+", default=[], help="names of programs")
    parser.add_argument("--name", default="", help="name of the result files (engines, or quick)")
    options = parser.parse_args()
    options.rounds = 1 if options.quick else options.rounds
    options.name = options.name or ("quick" if options.quick else "engines")
    return options


def main() -> None:
    """Measure everything and write the results."""
    options = read_options()
    began = perf_counter()
    ready = prepare_environments(options)
    tasks = planned_tasks(options, ready)
    for corpus in dict.fromkeys(task.corpus for task in tasks):
        write(corpus)
    load_before = machine.load()
    folder = Path(tempfile.mkdtemp(prefix="neardup-benchmark-"))
    try:
        runs = run_rounds(tasks, options.rounds, folder)
        compared = compare_labels(tasks, folder)
    finally:
        shutil.rmtree(folder)
    results = {
        "machine": machine.describe(),
        "load_before": load_before,
        "rounds": options.rounds,
        "minutes": round((perf_counter() - began) / 60, 1),
        "environments": {
            name: environments.installed_versions(one) for name, one in ready.items() if one.is_ready
        },
        "not_installed": {name: one.problem for name, one in ready.items() if not one.is_ready},
        "runs": runs,
        "agreement": compared,
    }
    folder = DATA if options.quick else RESULTS
    folder.mkdir(exist_ok=True)
    path = folder / f"{options.name}.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(tables.render(results), encoding="utf-8")
    print(f"{results['minutes']} minutes; written: {path} and {path.with_suffix('.md').name}")


if __name__ == "__main__":
    main()
