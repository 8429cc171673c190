import csv
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from dedup.evaluation import evaluate_labels

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
VERDICTS = {"1": 1, "0": 0, "s": -1}


def rows_of(case, name="labels.csv"):
    with (CASES / case / name).open(newline="") as file:
        return list(csv.DictReader(file))


def evaluate_case(case, thresholds, *, turned=False, populations=None):
    rows = rows_of(case)
    rows = rows[::-1] if turned else rows
    return evaluate_labels(
        [float(row["similarity"]) for row in rows],
        [VERDICTS[row["label"]] for row in rows],
        thresholds=thresholds,
        populations=populations,
    )


def bucket_of(evaluation, low):
    return next(bucket for bucket in evaluation.buckets if bucket.low == low)


def test_without_a_duplicate_precision_is_0_with_its_interval_and_recall_is_no_data():
    evaluation = evaluate_case("ev01-no-positive-labels", [0.6])

    figure = evaluation.figures[0]
    assert (figure.labelled, figure.precision.estimate, figure.precision.low) == (5, 0.0, 0.0)
    assert figure.precision.high == pytest.approx(0.522, abs=0.01)
    assert (figure.recall.estimate, figure.recall.low, figure.recall.high, figure.f1) == (
        None,
        None,
        None,
        None,
    )
    assert evaluation.warnings == ("No duplicate among 7 labels yet, so recall can't be computed.",)


@pytest.mark.parametrize("turned", [False, True])
def test_pairs_exactly_at_the_threshold_are_links_whatever_the_order_of_the_rows(turned):
    figure = evaluate_case("ev05-ties-and-grid", [0.8], turned=turned).figures[0]

    assert figure.labelled == 6
    assert figure.precision.estimate == pytest.approx(4 / 6)


def test_all_right_or_all_wrong_still_has_an_interval():
    evaluation = evaluate_case("ev10-all-right", [0.9])

    right, wrong = bucket_of(evaluation, 900).share, bucket_of(evaluation, 400).share
    assert (right.estimate, right.high) == (1.0, 1.0)
    assert right.low == pytest.approx(0.8316, abs=0.001)
    assert (wrong.estimate, wrong.low) == (0.0, 0.0)
    assert wrong.high == pytest.approx(0.1684, abs=0.001)


def test_labels_of_a_large_bucket_weigh_more_than_those_of_a_small_one():
    populations = {
        (round(1000 * float(row["low"])), round(1000 * float(row["high"]))): int(row["candidate_pairs"])
        for row in rows_of("ev15-weighted-buckets", "population.csv")
    }

    figure = evaluate_case("ev15-weighted-buckets", [0.6], populations=populations).figures[0]

    assert figure.links == 10_200
    assert figure.precision.estimate == pytest.approx(0.5078, abs=0.001)
    assert figure.precision.low < 0.35
    assert figure.precision.high > 0.65


def test_an_evaluation_of_a_single_label_is_strict_json():
    evaluation = evaluate_case("db20-nan-in-json", None)

    written = json.dumps(asdict(evaluation), allow_nan=False)

    assert "NaN" not in written
    assert json.loads(written)["figures"][0]["recall"] == {"estimate": None, "low": None, "high": None}


@pytest.mark.parametrize(
    ("similarities", "populations", "sentence"),
    [
        ([1.2], None, "similarities lie between 0 and 1"),
        ([0.5, 0.5], {(500, 600): 1}, "2 labels among the 1 pairs from 500 to 600"),
        ([0.2], {(500, 600): 9}, "1 labels lie in no bucket"),
    ],
)
def test_labels_that_fit_no_population_are_refused(similarities, populations, sentence):
    with pytest.raises(ValueError, match=sentence):
        evaluate_labels(similarities, [1] * len(similarities), populations=populations)
