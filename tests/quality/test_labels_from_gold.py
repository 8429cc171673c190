"""On real texts with known truth, the figures from a labelled sample hold the truth, and the recommended setting is as good as can be."""

import json

import pytest

from tests.quality.gold import (
    answer_queue,
    best_document_f1,
    document_f1,
    manage,
    manage_json,
    manage_lines,
    pool_truth,
    true_figures,
    unpack,
)

THRESHOLDS = [round(0.3 + step * 0.05, 2) for step in range(15)]


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
    pairs = manage_lines(data, "pairs", "first")
    truth = pool_truth(pairs, clusters)
    return {
        "data": data, "folder": folder, "clusters": clusters, "ingest": ingest, "study": study, "answered": answered,
        "imported": imported, "evaluation": evaluation, "pairs": pairs,
        "truth": truth,
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
    if chosen is None:
        assert afternoon["evaluation"]["labels"]["duplicate"] == 0
        pytest.skip(
            "no near-duplicate was drawn from this pool, so nothing can be recommended by F1, and nothing is"
        )
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


@pytest.fixture(scope="module")
def decided(afternoon):
    """Clusters of the recommended setting: best F1, or least cost where no label is a duplicate."""
    recommended = afternoon["evaluation"]["recommended"]
    chosen = recommended["best_f1"] or recommended["cost"]
    setting = ["--recipe", chosen["recipe"], "--threshold", chosen["threshold"], "--reason", "recommended"]
    decision = manage_json(afternoon["data"], "decide", "first", *setting)
    out = afternoon["folder"] / "assignments.jsonl"
    written = manage_json(
        afternoon["data"],
        "export",
        decision["decision"],
        "--what",
        "assignments",
        "--format",
        "jsonl",
        "--out",
        out,
    )
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return {"decision": decision, "written": written, "rows": rows, "chosen": chosen}


def test_the_clusters_come_close_to_the_best_that_the_gold_allows(afternoon, decided):
    documents = manage_lines(afternoon["data"], "documents", "gold")
    pairs, figures = afternoon["pairs"], afternoon["evaluation"]["figures"]
    best = best_document_f1(documents, pairs, figures, afternoon["clusters"])
    figure = next(
        row
        for row in figures
        if (row["recipe"], row["threshold"]) == (decided["chosen"]["recipe"], decided["chosen"]["threshold"])
    )
    leeway = 0.01 if figure["f1"]["low"] is None else figure["f1"]["high"] - figure["f1"]["low"]

    reached = document_f1(
        {row["document_id"]: row["cluster_id"] or row["document_id"] for row in decided["rows"]},
        afternoon["clusters"],
    )

    assert reached >= best - leeway, (decided["chosen"], reached, best)


def test_every_document_is_in_the_export_exactly_once(afternoon, decided):
    rows, decision = decided["rows"], decided["decision"]

    representatives = [row for row in rows if row["is_representative"]]

    assert sorted(row["document_id"] for row in rows) == sorted(afternoon["clusters"])
    assert decided["written"]["rows"] == len(rows) == decision["documents"]
    assert len(representatives) + decision["duplicates"] == len(rows)


def test_a_wrong_study_name_is_one_sentence_and_no_traceback(afternoon):
    assert manage(afternoon["data"], "queue", "no such study", check=False) == ""
