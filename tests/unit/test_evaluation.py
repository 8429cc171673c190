import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.evaluation import (
    DISTINCT,
    DUPLICATE,
    NO_VERDICT,
    UNSURE,
    Choice,
    Sample,
    ScoreSummary,
    Wishes,
    compare,
    evaluate,
)
from dedup.pairs import histogram, threshold_level
from dedup.sampling import draw
from tests.reference import statistics as reference

EDGES = (0, 300, 500, 800, 1001)
BANDS = {"bands": 30, "rows_per_band": 4}
SEEDS = st.integers(0, 2**32)


def study(seed, *, pairs=240, quota=6, answered=0.8, unsure=0.1, known=5, rule=False, share=0.4):
    """Two recipes, a pool, a partly labelled draw, some unsure answers and a few pairs labelled besides."""
    rng = np.random.default_rng(seed)
    truth = rng.random(pairs) < share
    base = np.clip(rng.normal(np.where(truth, 650, 300), 180), 0, 1000)
    levels = {
        digest: np.clip(base + rng.normal(0, 60, pairs), 0, 1000).astype(np.int16) for digest in ("a", "b")
    }
    passes = rng.random(pairs) < np.where(truth, 0.9, 0.4)
    u = rng.random(pairs)
    drawn = draw(levels, u, edges=EDGES, quota=quota)
    besides = rng.choice(
        np.setdiff1d(np.arange(pairs), drawn.indices), min(known, pairs - drawn.indices.size), replace=False
    )
    rows = np.concatenate([drawn.indices, besides]).astype(np.int64)
    verdicts = np.where(truth[rows], DUPLICATE, DISTINCT).astype(np.int8)
    verdicts[rng.random(rows.size) < unsure] = UNSURE
    late = rng.random(rows.size) > answered
    late[drawn.indices.size :] = False
    verdicts[late] = NO_VERDICT
    summaries = [
        ScoreSummary(
            recipe=f"recipe {digest}",
            digest=digest,
            score="exact",
            k=place + 3,
            scale=1000,
            histogram=histogram(column, 1000),
            histogram_rule=histogram(column[passes], 1000) if rule else None,
            strata=tuple(stratum for stratum in drawn.strata if stratum.digest == digest),
            **BANDS,
        )
        for place, (digest, column) in enumerate(levels.items())
    ]
    sample = Sample(
        u=u[rows],
        drawn=np.arange(rows.size) < drawn.indices.size,
        verdicts=verdicts,
        levels={(digest, "exact"): column[rows] for digest, column in levels.items()},
        passes={"price": passes[rows]} if rule else {},
    )
    return summaries, sample, (levels, truth, passes)


def by_hand(summaries, sample, place, threshold, **options):
    strata = [stratum for summary in summaries for stratum in summary.strata]
    return reference.figures(
        summaries[place], EDGES, strata, summaries, sample, threshold_level(threshold, 1000), **options
    )


def close(found, expected):
    return found is None if expected is None else found == pytest.approx(expected, abs=1e-9)


def with_verdicts(sample, verdicts):
    return replace(sample, verdicts=np.asarray(verdicts, np.int8))


@given(
    SEEDS,
    st.sampled_from([0.0, 0.3, 0.42, 0.5, 0.65, 0.8, 0.97, 1.0]),
    st.booleans(),
    st.sampled_from([0.3, 0.8, 1.0]),
)
@settings(max_examples=30, deadline=None)
def test_figures_match_the_formulas_worked_through_by_hand(seed, threshold, rule, answered):
    summaries, sample, _ = study(seed, rule=rule, answered=answered)

    evaluation = evaluate(summaries, sample, thresholds=[threshold], rule="price" if rule else None, draws=50)

    for place, figure in enumerate(evaluation.figures):
        expected = by_hand(summaries, sample, place, threshold, rule="price" if rule else None)
        assert figure.links == expected.links
        assert close(figure.precision.estimate, expected.precision)
        if expected.precision is not None:
            assert (figure.precision.low, figure.precision.high) == pytest.approx(
                expected.precision_interval, abs=1e-6
            )
        if evaluation.labels.duplicate:
            assert close(figure.recall.estimate, expected.recall)
            assert close(figure.recall_all.estimate, expected.recall_all)


@given(SEEDS)
@settings(max_examples=12, deadline=None)
def test_the_unsure_range_is_what_the_figures_would_be_with_every_unsure_answered_alike(seed):
    summaries, sample, _ = study(seed, unsure=0.3, answered=1.0)

    figure = evaluate(summaries, sample, thresholds=[0.45], draws=50).figures[0]

    extremes = [by_hand(summaries, sample, 0, 0.45, unsure_as=verdict) for verdict in (0, 1)]
    for name in ("precision", "recall"):
        values = [getattr(extreme, name) for extreme in extremes]
        if None not in values and figure.unsure_range is not None:
            assert getattr(figure.unsure_range, name) == pytest.approx((min(values), max(values)), abs=1e-9)


@given(SEEDS, st.booleans())
@settings(max_examples=12, deadline=None)
def test_figures_stay_in_range_and_intervals_hold_their_estimates(seed, rule):
    summaries, sample, _ = study(seed, rule=rule)

    evaluation = evaluate(summaries, sample, draws=100, rule="price" if rule else None)

    for figure in evaluation.figures:
        for interval in (figure.precision, figure.recall, figure.recall_all, figure.f1_interval):
            if interval.estimate is not None:
                assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
        if figure.recall.estimate is not None:
            assert figure.recall_all.estimate <= figure.recall.estimate + 1e-9
    json.dumps(asdict(replace(evaluation)), allow_nan=False)


def test_a_pool_labelled_whole_gives_the_truth_without_uncertainty():
    summaries, sample, (levels, truth, _) = study(3, quota=10_000, answered=1.0, unsure=0.0, known=0)

    figures = evaluate(summaries, sample, thresholds=[0.45, 0.6]).figures

    for figure in figures:
        links = levels[figure.digest] >= round(1000 * figure.threshold)
        precision, recall = truth[links].mean(), truth[links].sum() / truth.sum()
        for interval, value in ((figure.precision, precision), (figure.recall, recall)):
            assert (interval.estimate, interval.low, interval.high) == pytest.approx((value,) * 3)
        assert figure.missed == pytest.approx((truth & ~links).sum())
        assert figure.false_positives == pytest.approx((~truth & links).sum())
        assert figure.expected_cost == pytest.approx(figure.missed + figure.false_positives)


def test_equal_input_gives_equal_figures_to_the_last_digit():
    summaries, sample, _ = study(4)

    assert evaluate(summaries, sample) == evaluate(summaries, sample)


def test_the_order_of_the_pairs_does_not_matter():
    summaries, sample, _ = study(5)
    turned = Sample(
        u=sample.u[::-1],
        drawn=sample.drawn[::-1],
        verdicts=sample.verdicts[::-1],
        levels={key: column[::-1] for key, column in sample.levels.items()},
    )

    first, second = (evaluate(summaries, each, thresholds=[0.5], draws=100) for each in (sample, turned))

    for left, right in zip(first.figures, second.figures, strict=True):
        assert left.recall.estimate == pytest.approx(right.recall.estimate)
        assert left.precision.estimate == pytest.approx(right.precision.estimate)


def test_a_pair_labelled_outside_the_queue_bounds_the_figures_but_is_no_sample():
    summaries, sample, _ = study(6, known=0, unsure=0.0, answered=1.0)
    more_summaries, more_sample, _ = study(6, known=40, unsure=0.0, answered=1.0)

    without = evaluate(summaries, sample, thresholds=[0.5])
    beside = evaluate(more_summaries, more_sample, thresholds=[0.5])

    assert (without.labels.known, beside.labels.known) == (0, 40)
    assert [figure.labelled for figure in without.figures] == [figure.labelled for figure in beside.figures]
    for figure in beside.figures:
        links = more_sample.levels[figure.digest, "exact"] >= 500
        known_duplicates = ((more_sample.verdicts == DUPLICATE) & links).sum()
        assert figure.precision.low * figure.links >= known_duplicates - 1e-6


def test_without_any_label_every_figure_is_no_data():
    summaries, sample, _ = study(7)
    empty = with_verdicts(sample, np.full(sample.u.size, NO_VERDICT))

    evaluation = evaluate(summaries, empty, thresholds=[0.5])

    figure = evaluation.figures[0]
    assert figure.precision.estimate is figure.recall.estimate is figure.f1 is figure.expected_cost is None
    assert evaluation.warnings == ("No drawn pair has a verdict that counts yet, so there is no figure.",)
    assert set(evaluation.recommended.values()) == {None}
    assert "have no label yet." in str(evaluation.unlabelled[0])


def test_above_the_highest_score_there_is_no_link_and_no_precision():
    summaries, sample, _ = study(8, share=0.0, unsure=0.0)

    figure = evaluate(summaries, sample, thresholds=[1.0]).figures[0]

    assert (figure.links, figure.precision.estimate, figure.false_positives) == (0, None, 0.0)
    assert figure.warnings == ("No pair reaches this threshold.",)


def test_estimates_and_distances_are_evaluated_from_the_same_labels():
    summaries, sample, (levels, truth, _) = study(9, quota=10_000, answered=1.0, unsure=0.0, known=0)
    rows = np.arange(truth.size)
    agreements = (128 * levels["a"].astype(int) // 1000).astype(np.int16)
    distances = (64 - 64 * levels["a"].astype(int) // 1000).astype(np.int16)
    extra = [
        ScoreSummary(
            recipe="recipe a",
            digest="a",
            score="estimate",
            k=3,
            scale=128,
            histogram=histogram(agreements, 128),
        ),
        ScoreSummary(
            recipe="bits", digest="s", score="hamming", k=3, scale=64, histogram=histogram(distances, 64)
        ),
    ]
    columns = {**sample.levels, ("a", "estimate"): agreements[rows], ("s", "hamming"): distances[rows]}

    evaluation = evaluate(
        [*summaries, *extra], replace(sample, levels=columns), thresholds=[0.5], distances=[30]
    )

    estimate, hamming = evaluation.figures[2:]
    for figure, links in ((estimate, agreements >= 64), (hamming, distances <= 30)):
        assert figure.links == links.sum()
        assert figure.precision.estimate == pytest.approx(truth[links].mean())
        assert figure.recall.estimate == pytest.approx(truth[links].sum() / truth.sum())
    assert all(choice.score == "exact" for choice in evaluation.recommended.values() if choice)


def test_with_a_rule_blocked_duplicates_count_as_missed():
    summaries, sample, (levels, truth, passes) = study(
        10, quota=10_000, answered=1.0, unsure=0.0, known=0, rule=True
    )

    figure = evaluate(summaries, sample, thresholds=[0.5], rule="price").figures[0]

    links = (levels["a"] >= 500) & passes
    assert figure.links == links.sum()
    assert figure.missed == pytest.approx((truth & ~links).sum())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"thresholds": [1.5]}, "lies between 0 and 1, not at 1.5"),
        ({"cost_fp": -1}, "cost_fp must be 0 or more, not -1"),
        ({"cost_fn": float("nan")}, "cost_fn must be 0 or more"),
        ({"confidence": 1.0}, "the confidence must lie between 0 and 1"),
        ({"rule": "colour"}, "doesn't say which pairs pass the rule 'colour'"),
    ],
)
def test_questions_without_sense_are_refused_with_the_value(options, sentence):
    summaries, sample, _ = study(11)

    with pytest.raises(ValueError, match=sentence):
        evaluate(summaries, sample, **options)


def test_a_rule_needs_its_histogram():
    summaries, sample, _ = study(11, rule=True)
    bare = [replace(summary, histogram_rule=None) for summary in summaries]

    with pytest.raises(ValueError, match="has no histogram of the pairs that pass the rule 'price'"):
        evaluate(bare, sample, rule="price")


def test_each_rule_recommends_a_setting_that_keeps_its_promise():
    summaries, sample, _ = study(12, pairs=2_000, quota=60, answered=1.0)
    wishes = Wishes(least_recall=0.7, least_precision=0.8)

    evaluation = evaluate(summaries, sample, cost_fp=3.0, wishes=wishes)

    by_choice = {figure.choice: figure for figure in evaluation.figures}
    chosen = {rule: by_choice[choice] for rule, choice in evaluation.recommended.items() if choice}
    figures = list(by_choice.values())
    assert chosen["recall"].recall.estimate >= 0.7
    assert chosen["recall"].precision.estimate == max(
        figure.precision.estimate
        for figure in figures
        if (figure.recall.estimate or 0) >= 0.7 and figure.precision.estimate is not None
    )
    assert chosen["precision"].precision.estimate >= 0.8
    assert chosen["cost"].expected_cost == pytest.approx(
        min(figure.expected_cost for figure in figures if figure.expected_cost is not None)
    )
    assert chosen["f1"].f1 == pytest.approx(max(figure.f1 for figure in figures if figure.f1 is not None))
    assert all(
        bucket.share.estimate > 0.5
        for bucket in evaluation.buckets
        if bucket.recipe == chosen["majority"].recipe
        and bucket.low >= round(1000 * chosen["majority"].threshold)
        and bucket.population
    )


def test_the_safe_end_of_the_interval_asks_for_more_than_the_estimate():
    summaries, sample, _ = study(12, pairs=2_000, quota=60, answered=1.0)

    plain, safe = (
        evaluate(summaries, sample, wishes=Wishes(least_precision=0.8, safe=cautious)).recommended[
            "precision"
        ]
        for cautious in (False, True)
    )

    assert safe.threshold > plain.threshold


def test_labels_go_first_to_an_equal_sweep_and_then_where_they_narrow_most():
    summaries, sample, _ = study(13, pairs=3_000, quota=25, answered=1.0, unsure=0.0)
    focus = Choice("recipe a", "exact", 0.5)

    sweep = evaluate(summaries, sample, wishes=Wishes(focus=focus, sweep=40)).next_labels
    recall = evaluate(summaries, sample, wishes=Wishes(focus=focus, labels=30)).next_labels
    precision = evaluate(summaries, sample, wishes=Wishes(focus=focus, target="precision")).next_labels

    assert {proposal.labels for proposal in sweep} == {15}
    assert sum(proposal.labels for proposal in recall) == 30
    assert all(proposal.expected < proposal.half_width for proposal in recall)
    assert {proposal.low for proposal in precision} <= {500, 800}
    assert str(recall[0]).startswith(f"{recall[0].labels} more label")


def test_a_setting_compared_with_itself_shows_no_difference_and_no_disagreement():
    summaries, sample, _ = study(14)
    choice = Choice("recipe a", "exact", 0.5)

    comparison = compare(summaries, sample, (choice, choice))

    assert (comparison.precision.estimate, comparison.recall.estimate, comparison.discordant) == (0.0, 0.0, 0)
    assert not comparison.told_apart


def test_a_higher_threshold_misses_more_and_the_labels_can_tell():
    summaries, sample, (levels, truth, _) = study(15, pairs=3_000, quota=60, answered=1.0, unsure=0.0)
    low, high = Choice("recipe a", "exact", 0.4), Choice("recipe a", "exact", 0.75)

    comparison = compare(summaries, sample, (low, high))

    real = truth[(levels["a"] >= 400) & (levels["a"] < 750)].sum() / truth.sum()
    figures = {
        figure.threshold: figure for figure in evaluate(summaries, sample, thresholds=[0.4, 0.75]).figures[:2]
    }
    assert comparison.told_apart
    assert comparison.recall.low <= real <= comparison.recall.high
    assert comparison.recall.estimate == pytest.approx(
        figures[0.4].recall.estimate - figures[0.75].recall.estimate
    )


def test_settings_that_hardly_differ_cannot_be_told_apart_yet():
    summaries, sample, _ = study(16, pairs=2_000, quota=20, answered=1.0)

    comparison = compare(
        summaries, sample, (Choice("recipe a", "exact", 0.5), Choice("recipe b", "exact", 0.505))
    )

    assert not comparison.told_apart
    assert comparison.more_labels is None or comparison.more_labels > 0


def test_an_unknown_setting_cannot_be_compared():
    summaries, sample, _ = study(16)
    known, unknown = Choice("recipe a", "exact", 0.5), Choice("recipe z", "exact", 0.5)

    with pytest.raises(ValueError, match="no summary has the recipe 'recipe z'"):
        compare(summaries, sample, (known, unknown))


def test_a_bucket_labelled_only_through_another_recipe_is_named():
    summaries, sample, _ = study(17, unsure=0.0, answered=1.0, known=0)
    inside = (sample.levels["a", "exact"] >= 300) & (sample.levels["a", "exact"] < 500)
    first = np.flatnonzero(inside)[np.argmin(sample.u[inside])]
    verdicts = sample.verdicts.copy()
    verdicts[first] = NO_VERDICT

    evaluation = evaluate(summaries, with_verdicts(sample, verdicts), thresholds=[0.5])

    bucket = next(bucket for bucket in evaluation.buckets if (bucket.digest, bucket.low) == ("a", 300))
    assert bucket.prefix == 0
    assert bucket.labelled > 0
    assert any(
        "between 0.30 and 0.50 at k = 3 were drawn for other k's" in warning
        for warning in evaluation.warnings
    )
