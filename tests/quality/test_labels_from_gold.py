"""On real texts with known truth, the figures from a labelled sample hold the truth, and the recommended setting is as good as can be."""

import csv

import pytest

from tests.quality.gold import (
    answer_queue,
    manage,
    manage_json,
    manage_lines,
    pool_truth,
    true_figures,
    unpack,
)

THRESHOLDS = [round(0.3 + step * 0.05, 2) for step in range(14)]


@pytest.fixture(scope="module", params=["advisories_open", "tldr_open"])
def afternoon(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    data = folder / "data"
    documents, clusters = unpack(request.param, folder)
    ingest = manage_json(data, "ingest", documents, "--corpus", "gold")
    study = manage_json(data, "study", "gold", "--name", "first")
    answers = folder / "answers.csv"
    answered = answer_queue(data, "first", clusters, answers)
    imported = manage_json(data, "labels", "import", "first", answers)
    thresholds = [item for threshold in THRESHOLDS for item in ("--thresholds", str(threshold))]
    evaluation = manage_json(data, "evaluate", "first", "--score", "exact", *thresholds)
    truth = pool_truth(manage_lines(data, "pairs", "first"), clusters)
    return {
        "data": data, "folder": folder, "clusters": clusters, "ingest": ingest, "study": study, "answered": answered,
        "imported": imported, "evaluation": evaluation, "truth": truth,
    }  # fmt: skip


def holds(interval, value):
    return value is None or (interval["low"] - 1e-9 <= value <= interval["high"] + 1e-9)


def test_every_document_is_stored_and_every_answer_is_taken(afternoon):
    assert afternoon["ingest"]["accepted"] == len(afternoon["clusters"])
    assert afternoon["ingest"]["rejected"] == 0
    assert afternoon["imported"]["accepted"] == afternoon["answered"] > 100


def test_the_pool_holds_what_the_study_says(afternoon):
    assert len(afternoon["truth"]) == afternoon["study"]["pool"]


@pytest.mark.parametrize("measure", ["precision", "recall"])
def test_the_intervals_hold_the_true_figures_of_the_pool(afternoon, measure):
    held, missed = 0, []
    for figure in afternoon["evaluation"]["figures"]:
        value = true_figures(afternoon["truth"], figure["recipe"], figure["score"], figure["threshold"])[
            measure
        ]
        if figure[measure]["estimate"] is None:
            assert value is None or figure["links"] == 0
        elif holds(figure[measure], value):
            held += 1
        else:
            missed.append((figure["k"], figure["threshold"], value, figure[measure]))

    assert held >= 0.9 * (held + len(missed)), missed


def test_the_recommended_setting_reaches_the_best_f1_that_the_gold_allows(afternoon):
    chosen = afternoon["evaluation"]["recommended"]["best_f1"]
    figures = afternoon["evaluation"]["figures"]
    best = max(
        true_figures(afternoon["truth"], figure["recipe"], figure["score"], figure["threshold"])["f1"] or 0.0
        for figure in figures
    )

    interval = next(
        figure["f1"]
        for figure in figures
        if (figure["recipe"], figure["threshold"]) == (chosen["recipe"], chosen["threshold"])
    )

    assert interval["low"] <= best <= interval["high"], (chosen, best, interval)


def test_every_document_is_in_the_export_exactly_once(afternoon):
    chosen = afternoon["evaluation"]["recommended"]["best_f1"]
    decided = manage_json(
        afternoon["data"],
        "decide",
        "first",
        "--recipe",
        chosen["recipe"],
        "--threshold",
        chosen["threshold"],
        "--reason",
        "best F1",
    )
    out = afternoon["folder"] / "assignments.csv"

    written = manage_json(
        afternoon["data"],
        "export",
        decided["decision"],
        "--what",
        "assignments",
        "--format",
        "csv",
        "--out",
        out,
    )

    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    representatives = [row for row in rows if row["is_representative"] in {"1", "true", "True"}]
    assert sorted(row["document_id"].lstrip("'") for row in rows) == sorted(afternoon["clusters"])
    assert written["rows"] == len(rows) == decided["documents"]
    assert len(representatives) + decided["duplicates"] == len(rows)


def test_a_wrong_study_name_is_one_sentence_and_no_traceback(afternoon):
    assert manage(afternoon["data"], "queue", "no such study", check=False) == ""
