"""How far the estimates are off, and how often the intervals hold the truth: `python -m tests.statistics.simulation 400`."""

import sys
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from dedup.evaluation import DISTINCT, DUPLICATE, evaluate
from tests.statistics.pools import Scenario, label, make_pool

THRESHOLDS = (0.3, 0.4, 0.45, 0.5, 0.6, 0.65, 0.7, 0.8, 0.93)
SCENARIOS = (
    Scenario(name="one in a hundred, 100 a bucket", pairs=20_000, duplicates=0.01, quota=100),
    Scenario(name="one in fifty", pairs=12_000, duplicates=0.02),
    Scenario(name="five in a hundred, 50 a bucket", pairs=20_000, duplicates=0.05, quota=50),
    Scenario(name="a tenth", duplicates=0.1),
    Scenario(name="a tenth, templates", duplicates=0.1, template_pairs=1_500),
    Scenario(name="a tenth, templates, 100 a bucket", duplicates=0.1, template_pairs=1_500, quota=100),
    Scenario(name="a tenth, rare low duplicates", duplicates=0.1, rare_low=20),
    Scenario(name="a fifth, rare low duplicates, 15 a bucket", duplicates=0.2, rare_low=30, quota=15),
    Scenario(name="two fifths", pairs=12_000, duplicates=0.4),
    Scenario(name="two fifths, templates, 15 a bucket", pairs=12_000, duplicates=0.4, template_pairs=2_000, quota=15),
    Scenario(name="a fifth, stopped early", duplicates=0.2, stop_early=True, quota=40),
    Scenario(name="a tenth, templates, stopped early", duplicates=0.1, template_pairs=800, stop_early=True),
    Scenario(name="a fifth, unsure", duplicates=0.2, unsure=0.1),
    Scenario(
        name="two fifths, unsure, stopped early, rare",
        pairs=12_000, duplicates=0.4, unsure=0.08, stop_early=True, rare_low=40, quota=50,
    ),
    Scenario(name="small pool", pairs=600, duplicates=0.15),
)  # fmt: skip


@dataclass
class Score:
    """Errors, hits and widths of one figure at one setting over the replicates."""

    errors: list
    held: list
    widths: list

    @property
    def bias(self):
        return float(np.mean(self.errors))

    @property
    def coverage(self):
        return float(np.mean(self.held))

    @property
    def width(self):
        return float(np.mean(self.widths))


def run(scenario, *, replicates, seed, scores=("exact",), thresholds=THRESHOLDS, draws=1000):
    """Evaluate one pool after that many independent draws: {(figure, score, k, threshold): Score}."""
    rng = np.random.default_rng([seed, *scenario.name.encode()])
    pool = make_pool(scenario, rng)
    found = defaultdict(lambda: Score([], [], []))
    for _ in range(replicates):
        summaries, sample = label(pool, scenario, rng)
        summaries = [summary for summary in summaries if summary.score in scores]
        evaluation = evaluate(summaries, sample, thresholds=thresholds, draws=draws)
        for figure in evaluation.figures:
            setting = (figure.score, figure.k, figure.threshold)
            for name in ("precision", "recall"):
                truth = getattr(pool, name)(figure.digest, figure.score, figure.threshold)
                _note(found["weighted", name, *setting], getattr(figure, name), truth)
        _note_pooled(found, pool, summaries, sample, thresholds)
    return found


def _note(score, interval, truth):
    if truth is None or interval.estimate is None:
        return
    score.errors.append(interval.estimate - truth)
    score.held.append(interval.low - 1e-9 <= truth <= interval.high + 1e-9)
    score.widths.append(interval.high - interval.low)


def _note_pooled(found, pool, summaries, sample, thresholds):
    """What counting all labels alike says."""
    clear = (sample.verdicts == DUPLICATE) | (sample.verdicts == DISTINCT)
    duplicate = sample.verdicts[clear] == DUPLICATE
    for summary in summaries:
        if summary.score != "exact":
            continue
        levels = sample.levels[summary.digest, "exact"][clear]
        for threshold in thresholds:
            links = levels >= round(1000 * threshold)
            for name, found_, whole in (
                ("precision", (duplicate & links).sum(), links.sum()),
                ("recall", (duplicate & links).sum(), duplicate.sum()),
            ):
                truth = getattr(pool, name)(summary.digest, "exact", threshold)
                if whole and truth is not None:
                    found["pooled", name, "exact", summary.k, threshold].errors.append(found_ / whole - truth)


def main(replicates):
    """Print a line for each scenario and figure."""
    for scenario in SCENARIOS:
        found = run(scenario, replicates=replicates, seed=1)
        for name in ("precision", "recall"):
            scores = {key: score for key, score in found.items() if key[0] == "weighted" and key[1] == name}
            pooled = [score.bias for key, score in found.items() if key[0] == "pooled" and key[1] == name]
            worst = min(scores, key=lambda key: scores[key].coverage)
            worst_bias = max(scores, key=lambda key: abs(scores[key].bias))
            print(
                f"{scenario.name:45} {name:9} coverage {np.mean([s.coverage for s in scores.values()]):.3f}"
                f" (least {scores[worst].coverage:.2f} at {worst[3:]})"
                f" bias {np.mean([s.bias for s in scores.values()]):+.4f}"
                f" (worst {scores[worst_bias].bias:+.3f} at {worst_bias[3:]})"
                f" width {np.mean([s.width for s in scores.values()]):.3f} pooled bias {max(pooled, key=abs):+.3f}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
