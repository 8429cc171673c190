"""Result files as the tables of ``docs/performance.md``: ``python -m benchmarks.tables results/engines.json``."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.programs import LENGTHS, OURS, PEERS, REFERENCE

TITLES = {program.name: program.title for program in (*OURS, *PEERS)}
PEER_NAMES = [program.name for program in PEERS]
SIGNING_ONLY = {"sha1-four-k": "sha1", "tokens-four-k": "tokens"}
DISTURBED = 1.1
COMPARED = ("sha1", "tokens")

Results = Mapping[str, Any]


class Figures:
    """All runs of one program on one length, on the largest corpus that it had."""

    def __init__(self, runs: Sequence[Mapping[str, Any]]) -> None:
        self.problems = [run["problem"] for run in runs if "problem" in run]
        good = [run for run in runs if "problem" not in run]
        self.texts = max((run["texts"] for run in good), default=0)
        self.runs = [run for run in good if run["texts"] == self.texts]

    @property
    def best(self) -> float:
        """Texts a second in the fastest run; 0 if none succeeded."""
        return max((run["texts"] / run["seconds"] for run in self.runs), default=0.0)

    @property
    def middle(self) -> float:
        """Texts a second in the median run."""
        return median(run["texts"] / run["seconds"] for run in self.runs)

    @property
    def added_mb(self) -> float:
        """Median of the added memory."""
        return median(run["added_mb"] for run in self.runs)

    def detail(self, name: str) -> float:
        """The least value of a detail: the fastest run of a stage."""
        return min(run["details"][name] for run in self.runs)


def figures(results: Results, program: str, words: int) -> Figures:
    """Pick the runs of one program on one length."""
    return Figures([run for run in results["runs"] if run["program"] == program and run["words"] == words])


def render(results: Results) -> str:
    """All tables as Markdown."""
    sections = [_machine(results)]
    for words in LENGTHS:
        if figures(results, REFERENCE, words).runs:
            sections += [_speed(results, words), _ours(results, words), _agreement(results, words)]
    sections += [_problems(results)]
    return "\n\n".join(section for section in sections if section) + "\n"


def _machine(results: Results) -> str:
    one = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in one["versions"].items())
    return (
        f"Measured on {one['processor']} (family and model {one['family_and_model']}), {one['cores']} cores, "
        f"{one['memory_gb']} GB, {', '.join(one['flags'])}; {one['system']}, Python {one['python']}, {versions}. "
        f"{results['rounds']} rounds in {results['minutes']} minutes, load before: {results['load_before']}. "
        f"{_disturbed(results)}"
    )


def _disturbed(results: Results) -> str:
    """Say how often a run waited for a processor (or a disk): then its figures are too low."""
    good = [run for run in results["runs"] if "problem" not in run]
    waited = sum(run["seconds"] > DISTURBED * run["processor_seconds"] for run in good)
    return (
        f"In {waited} of {len(good)} runs the clock was over {DISTURBED - 1:.0%} ahead of the processor time."
    )


def _speed(results: Results, words: int) -> str:
    """Peers against neardup: ratios of texts a second, fastest runs."""
    ours = [figures(results, name, words) for name in COMPARED]
    rows = [[*_row(results, name, words), *["–"] * len(COMPARED)] for name in COMPARED if ours]
    for name in PEER_NAMES:
        theirs = figures(results, name, words)
        if theirs.runs:
            ratios = [f"{one.best / theirs.best:.1f} ×" if one.runs else "–" for one in ours]
            rows.append([*_row(results, name, words), *ratios])
    heads = ["program", "version", "texts", "texts/s, best", "median", "added MB", "clusters", "removed"]
    heads += ["default bits are faster by", "fast hash is faster by"]
    return f"### Texts of {words} words to clusters, one core\n\n{_table(heads, rows)}"


def _row(results: Results, name: str, words: int) -> list[str]:
    one = figures(results, name, words)
    if not one.runs:
        return [TITLES[name], "not run", *["–"] * 6]
    first = one.runs[0]
    counts = [f"{one.texts:,}", f"{one.best:,.0f}", f"{one.middle:,.0f}", f"{one.added_mb:,.0f}"]
    return [TITLES[name], first["version"], *counts, f"{first['clusters']:,}", f"{first['removed']:,}"]


def _ours(results: Results, words: int) -> str:
    """neardup's own ways and where their time goes; ratios to the first."""
    base = figures(results, REFERENCE, words)
    rows = []
    for name in (program.name for program in OURS):
        one = figures(results, name, words)
        if not one.runs:
            continue
        signing = one.texts / one.detail("sign_seconds")
        against = figures(results, SIGNING_ONLY.get(name, name), words)
        costs = one.detail("sign_seconds") / against.detail("sign_seconds") if against.runs else 1.0
        text = (
            f"signing costs {costs:.2f} × one k" if name in SIGNING_ONLY else f"{one.best / base.best:.2f} ×"
        )
        rows.append(
            [TITLES[name], f"{one.best:,.0f}", f"{signing:,.0f}", *_stages(one), f"{one.added_mb:,.0f}", text]
        )
    heads = ["way", "texts/s, best", "signatures/s", "candidate pairs", "candidates, s", "µs/pair verified"]
    return f"### neardup's ways, {words} words\n\n{_table([*heads, 'added MB', 'against the first'], rows)}"


def _stages(one: Figures) -> list[str]:
    if "candidate_pairs" not in one.runs[0]["details"]:
        return ["–"] * 3
    pairs = one.detail("candidate_pairs")
    verifying = one.detail("verify_seconds") / max(pairs, 1) * 1e6
    return [f"{pairs:,.0f}", f"{one.detail('candidates_seconds'):.2f}", f"{verifying:.1f}"]


def _agreement(results: Results, words: int) -> str:
    rows = []
    for row in results["agreement"]:
        if row["words"] != words:
            continue
        shares = [_percent(row[name]) for name in ("shared_of_theirs", "shared_of_ours", "easy_found")]
        rows.append([TITLES[row["program"]], f"{row['texts']:,}", *shares, f"{row['unrelated']:,}"])
    heads = [
        "program",
        "texts",
        "of its pairs, neardup has",
        "of neardup's pairs, it has",
        "easy copies found",
    ]
    return (
        f"### The same clusters? {words} words\n\nPairs of texts in one cluster, against neardup with "
        f"datasketch-default bits on the same corpus.\n\n{_table([*heads, 'pairs not planted'], rows)}"
    )


def _percent(part: float | None) -> str:
    return "no data" if part is None else f"{100 * part:.1f} %"


def _problems(results: Results) -> str:
    lines = [
        f"- {name} could not be installed: {problem}" for name, problem in results["not_installed"].items()
    ]
    lines += [
        f"- {run['program']}, {run['words']} words: {run['problem']}"
        for run in results["runs"]
        if "problem" in run
    ]
    return "\n".join(dict.fromkeys(lines))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(_lines(heads, rows))


def _lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join(['---'] + ['---:'] * (len(heads) - 1))}|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    print(render(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), end="")
