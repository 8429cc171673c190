"""Pools of pairs whose truth is known, made up from a seed: what the estimates are tried on."""

from dataclasses import dataclass

import numpy as np

from dedup.evaluation import DISTINCT, DUPLICATE, NO_VERDICT, UNSURE, Sample, ScoreSummary
from dedup.pairs import histogram, threshold_level
from dedup.sampling import bucket_edges, draw

KS = (3, 5, 7)
NUM_PERM = 128
EDGES = bucket_edges(width=0.1, floor=0.3)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One kind of pool and one way of labelling it."""

    name: str
    pairs: int = 16_000
    duplicates: float = 0.1
    quota: int = 25
    template_pairs: int = 0
    rare_low: int = 0
    stop_early: bool = False
    unsure: float = 0.0
    width: float = 0.1


@dataclass(frozen=True, kw_only=True)
class MadePool:
    """Scores of every pair for each k, and which pairs are duplicates."""

    exact: dict
    estimate: dict
    truth: np.ndarray

    def above(self, digest, score, threshold):
        column, scale = (self.exact, 1000) if score == "exact" else (self.estimate, NUM_PERM)
        return column[digest] >= threshold_level(threshold, scale)

    def precision(self, digest, score, threshold):
        links = self.above(digest, score, threshold)
        return self.truth[links].mean() if links.any() else None

    def recall(self, digest, score, threshold):
        links = self.above(digest, score, threshold)
        return self.truth[links].sum() / self.truth.sum() if self.truth.any() else None


def make_pool(scenario, rng):
    """Duplicates lie high, distinct pairs low; templates are distinct and high; rare duplicates are low."""
    plain = round(scenario.pairs * scenario.duplicates)
    rest = scenario.pairs - plain - scenario.template_pairs - scenario.rare_low
    similarity = np.concatenate(
        [
            rng.beta(5, 2, plain),
            rng.beta(1.2, 6, rest),
            rng.beta(18, 7, scenario.template_pairs),
            rng.uniform(0.03, 0.38, scenario.rare_low),
        ]
    )
    truth = np.repeat([True, False, False, True], [plain, rest, scenario.template_pairs, scenario.rare_low])
    wobble = rng.normal(0, 0.05, scenario.pairs)
    exact, estimate = {}, {}
    for k in KS:
        jaccard = np.clip(similarity ** (1 + 0.12 * (k - 3)) + (k - 2) * 0.3 * wobble, 0, 1)
        exact[str(k)] = np.floor(1000 * jaccard).astype(np.int16)
        estimate[str(k)] = rng.binomial(NUM_PERM, jaccard).astype(np.int16)
    return MadePool(exact=exact, estimate=estimate, truth=truth)


def label(pool, scenario, rng):
    """Draw, label and possibly stop early: the summaries and the sample that an evaluation gets."""
    edges = bucket_edges(width=scenario.width, floor=0.3)
    u = rng.random(pool.truth.size)
    drawn = draw(pool.exact, u, edges=edges, quota=scenario.quota)
    rows = drawn.indices
    verdicts = np.where(pool.truth[rows], DUPLICATE, DISTINCT).astype(np.int8)
    if scenario.unsure:
        doubt = np.abs(pool.exact["3"][rows] / 1000 - 0.5) < 0.25
        verdicts[rng.random(rows.size) < scenario.unsure * (1 + doubt)] = UNSURE
    if scenario.stop_early:
        verdicts[~_reached(pool, drawn, u)] = NO_VERDICT
    return summaries_of(pool, drawn), Sample(
        u=u[rows],
        drawn=np.ones(rows.size, bool),
        verdicts=verdicts,
        levels={(digest, "exact"): column[rows] for digest, column in pool.exact.items()}
        | {(digest, "estimate"): column[rows] for digest, column in pool.estimate.items()},
    )


def _reached(pool, drawn, u):
    """The pairs that somebody labels who stops after 40 % of every second bucket."""
    reached = np.zeros(u.size, bool)
    for place, stratum in enumerate(drawn.strata):
        column = pool.exact[stratum.digest]
        inside = np.flatnonzero((column >= stratum.low) & (column < stratum.high))
        ordered = inside[np.argsort(u[inside])][: stratum.sampled]
        reached[ordered[: len(ordered) if place % 2 else -(-2 * len(ordered) // 5)]] = True
    return reached[drawn.indices]


def summaries_of(pool, drawn):
    """An exact and an estimate summary for each k."""
    summaries = []
    for digest in pool.exact:
        strata = tuple(stratum for stratum in drawn.strata if stratum.digest == digest)
        shared = {
            "recipe": f"minhash|k:{digest}",
            "digest": digest,
            "k": int(digest),
            "bands": 42,
            "rows_per_band": 3,
        }
        summaries += [
            ScoreSummary(
                score="exact",
                scale=1000,
                histogram=histogram(pool.exact[digest], 1000),
                strata=strata,
                **shared,
            ),
            ScoreSummary(
                score="estimate",
                scale=NUM_PERM,
                histogram=histogram(pool.estimate[digest], NUM_PERM),
                **shared,
            ),
        ]
    return summaries
