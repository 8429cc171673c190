import numpy as np
import pytest

from tests.statistics.simulation import SCENARIOS, run

REPLICATES = 40
NAMES = ("precision", "recall")


@pytest.fixture(scope="module")
def outcomes():
    """Every scenario, labelled afresh again and again: {scenario name: {(method, figure, score, k, threshold): Score}}."""
    return {
        scenario.name: run(
            scenario, replicates=REPLICATES, seed=7, draws=400, thresholds=(0.3, 0.45, 0.6, 0.7, 0.8)
        )
        for scenario in SCENARIOS
    }


def scores_of(outcome, method, figure):
    return [score for key, score in outcome.items() if key[:2] == (method, figure) and score.errors]


@pytest.mark.parametrize("figure", NAMES)
def test_intervals_of_95_percent_hold_the_truth_at_least_that_often(outcomes, figure):
    coverage = {
        name: np.mean([score.coverage for score in scores_of(outcome, "weighted", figure)])
        for name, outcome in outcomes.items()
    }

    assert np.mean(list(coverage.values())) >= 0.94
    assert min(coverage.values()) >= 0.90, coverage


@pytest.mark.parametrize("figure", NAMES)
def test_weighted_estimates_are_off_by_no_more_than_chance_and_a_hundredth(outcomes, figure):
    biases = {
        name: (np.mean(errors), np.std(np.mean(errors, axis=0)) / np.sqrt(REPLICATES))
        for name, outcome in outcomes.items()
        if (errors := _aligned(scores_of(outcome, "weighted", figure)))
    }

    assert all(abs(bias) <= 0.01 + 2.5 * noise for bias, noise in biases.values()), biases
    assert abs(np.mean([bias for bias, _ in biases.values()])) <= 0.01


def _aligned(scores):
    return [score.errors for score in scores if len(score.errors) == REPLICATES]


@pytest.mark.parametrize("figure", NAMES)
def test_counting_all_labels_alike_fails_the_same_test(outcomes, figure):
    biases = {
        name: np.mean([score.bias for score in scores_of(outcome, "pooled", figure)])
        for name, outcome in outcomes.items()
    }

    off = [name for name, bias in biases.items() if abs(bias) > 0.01]
    assert len(off) > len(biases) / 2
    assert max(map(abs, biases.values())) > 0.1
