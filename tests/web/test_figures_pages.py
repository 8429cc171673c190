"""Pages of figures, decisions, clusters and exports: what they state adds up, and paging shows each row once."""

import csv
import io
import json
import re

import pytest
from django.urls import reverse

from labeling.models import Decision, Export, Job, Label, StudyPair
from labeling.services import labels
from tests.web import rows


def answer_all(study, person, verdict_of=lambda level: "duplicate" if level >= 600 else "distinct"):
    for place, row in enumerate(study.study_pairs.all()):
        Label.objects.create(
            pair=row.pair,
            labeller=person,
            study=study,
            verdict=verdict_of(next(iter(row.levels.values()))),
            at=rows.AT,
            serving=f"key {place}",
        )


def test_the_evaluation_before_the_first_label_leads_to_it_instead_of_empty_tables(as_ana, study):
    page = as_ana.get(f"/studies/{study.pk}/evaluation/").content.decode()

    assert "Nothing is labelled yet" in page
    assert f"/studies/{study.pk}/label/" in page
    assert "<table" not in page
    assert "nan" not in page.lower().replace("keine", "")


def test_the_evaluation_says_where_no_label_is_and_no_data_there(as_ana, ana, study):
    for row in study.study_pairs.all()[:1]:
        Label.objects.create(
            pair=row.pair, labeller=ana, study=study, verdict="duplicate", at=rows.AT, serving="key"
        )

    page = as_ana.get(f"/studies/{study.pk}/evaluation/").content.decode()

    assert "no label yet" in page
    assert "no data" in page
    assert "nan" not in page.lower().replace("keine", "")


def test_the_evaluation_states_figures_with_intervals_and_their_table_as_csv(as_ana, ana, study):
    answer_all(study, ana)

    page = as_ana.get(f"/studies/{study.pk}/evaluation/").content.decode()
    table = list(
        csv.DictReader(io.StringIO(as_ana.get(f"/studies/{study.pk}/evaluation.csv").content.decode()))
    )

    row = next(row for row in table if row["k"] == "3" and row["threshold"] == "0.6")
    stated = f"{float(row['precision']):.2f} ({float(row['precision_low']):.2f}–{float(row['precision_high']):.2f})"
    assert stated in page
    assert {row["k"] for row in table} == {"3", "5", "7"}


def test_a_poll_without_a_new_label_gets_nothing_and_with_one_the_figures(as_ana, ana, study):
    address = f"/studies/{study.pk}/evaluation/"
    version = re.search(r"seen=([^\"&]+)", as_ana.get(address).content.decode()).group(1)

    still = as_ana.get(address, {"seen": version}, headers={"HX-Request": "true"})
    answer_all(study, ana)
    moved = as_ana.get(address, {"seen": version}, headers={"HX-Request": "true"})

    assert still.status_code == 204
    assert moved.status_code == 200
    assert "<html" not in moved.content.decode()


@pytest.mark.parametrize(
    "query",
    [{"low": "0.9", "high": "0.2"}, {"low": "x"}, {"score": "votes"}, {"cost_fp": "-1"}, {"high": "7"}],
)
def test_filters_that_make_no_sense_are_refused_and_the_defaults_shown(as_ana, study, query):
    page = as_ana.get(f"/studies/{study.pk}/evaluation/", query)
    table = as_ana.get(f"/studies/{study.pk}/evaluation.csv", query)

    assert page.status_code == 422
    assert 'class="errors"' in page.content.decode()
    assert table.status_code == 422


def test_the_slider_holds_for_each_place_what_the_page_says_of_it(as_ana, ana, study):
    answer_all(study, ana)
    recipe = study.recipes.get(score="exact", k=5)

    pages = {
        at: as_ana.get(f"/studies/{study.pk}/evaluation/", {"recipe": recipe.pk, "at": at}).content.decode()
        for at in ("0.3", "0.87", "1")
    }

    slider = json.loads(re.search(r'<script id="setting-data"[^>]*>(.*?)</script>', pages["1"]).group(1))
    places = [position["value"] for position in slider["positions"]]
    for at, page in pages.items():
        held = slider["figures"][str(recipe.pk)][places.index(at)]
        stated = dict(re.findall(r'<dd data-figure="(\w+)">([^<]*)</dd>', page))
        assert stated == {name: held[name] for name in stated}
        assert len(stated) == 12


@pytest.mark.parametrize("at", ["-3", "7", "nan", "inf", "x", ""])
def test_a_place_beyond_the_slider_shows_one_on_it(as_ana, ana, study, at):
    answer_all(study, ana)
    recipe = study.recipes.get(score="exact", k=5)

    page = as_ana.get(f"/studies/{study.pk}/evaluation/", {"recipe": recipe.pk, "at": at})

    assert page.status_code == 200
    assert 'id="at-words"' in page.content.decode()


def test_each_rule_says_why_and_what_to_be_wary_of(as_ana, ana, study):
    answer_all(study, ana)

    page = as_ana.get(f"/studies/{study.pk}/evaluation/", {"low": "0.9", "high": "0.95"}).content.decode()

    assert "At the edge of the thresholds tried (0.90 to 0.95)" in page
    assert "labels only" in page
    assert "the best of the others: k = 5 at" in page


def test_a_rule_that_nothing_satisfies_says_how_far_it_is(as_ana, ana, study):
    answer_all(study, ana, lambda level: "distinct" if level % 2 else "duplicate")

    page = as_ana.get(
        f"/studies/{study.pk}/evaluation/", {"least_precision": "1", "ends": "low"}
    ).content.decode()

    assert "where the lower end of precision is at least 1" in page
    assert "The highest precision reached is" in page


def test_the_buckets_of_the_histograms_are_a_table_of_their_own(as_ana, ana, study):
    answer_all(study, ana)

    table = list(csv.DictReader(io.StringIO(as_ana.get(f"/studies/{study.pk}/buckets.csv").content.decode())))

    assert sum(int(row["population"]) for row in table if row["k"] == "3") == study.pool
    assert all(row["share"] == "" or 0 <= float(row["share"]) <= 1 for row in table)


@pytest.mark.parametrize("score", ["exact", "estimate", "hamming"])
def test_each_score_can_be_evaluated(as_ana, study, score):
    assert as_ana.get(f"/studies/{study.pk}/evaluation/", {"score": score}).status_code == 200


def test_the_two_piles_name_the_labelled_pairs_on_the_wrong_side(as_ana, ana, study):
    answer_all(study, ana, lambda level: "distinct")
    recipe = study.recipes.get(score="exact", k=3)

    page = as_ana.get(f"/studies/{study.pk}/evaluation/", {"recipe": recipe.pk, "at": "0.3"}).content.decode()

    assert f"Distinct pairs that would be merged: {study.study_pairs.count()}" in page
    assert "Duplicates that would be missed: 0" in page


def test_a_pair_shows_every_score_and_every_answer(as_ana, ana, study):
    answer_all(study, ana)
    row = study.study_pairs.first()

    page = as_ana.get(f"/studies/{study.pk}/pairs/{row.pk}/").content.decode()

    level = next(iter(row.levels.values()))
    assert f"{level / 1000:.3f}" in page
    assert "Ana" in page


def test_walking_the_pages_shows_every_pair_once_even_while_labels_arrive(as_ana, ana, db):
    corpus = rows.make_corpus("Equal scores")
    for number in range(120):
        text = " ".join(f"p{number:03d}w{word}" for word in range(60))
        rows.add_document(corpus, f"a{number:03d}", text)
        rows.add_document(corpus, f"b{number:03d}", text.replace(f"p{number:03d}w0 ", "other "))
    study = rows.make_study(corpus, ks=(3,), per_bucket=200)

    seen, page = [], 1
    while page:
        html = as_ana.get(f"/studies/{study.pk}/pairs/", {"page": page}).content.decode()
        seen += re.findall(rf'href="/studies/{study.pk}/pairs/(\d+)/"', html)
        Label.objects.create(
            pair=StudyPair.objects.get(pk=seen[-1]).pair, labeller=ana, study=study, verdict="duplicate", at=rows.AT,
            serving=f"page {page}",
        )  # fmt: skip
        page = page + 1 if 'rel="next"' in html else 0

    assert len(seen) == 120
    assert len(set(seen)) == 120


@pytest.mark.parametrize("number", ["0", "-3", "x", "9999", ""])
def test_a_page_number_beyond_the_list_shows_a_page_of_it(as_ana, study, number):
    response = as_ana.get(f"/corpora/{study.corpus_id}/documents/", {"page": number})

    assert response.status_code == 200
    assert "ferrya" in response.content.decode()


@pytest.mark.parametrize(
    ("search", "found"),
    [("ferry", True), ("FERRYA", True), ("no such thing", False), ("%", False), ("\0", True)],
)
def test_documents_are_found_by_id_address_or_title(as_ana, study, search, found):
    page = as_ana.get(f"/corpora/{study.corpus_id}/documents/", {"q": search}).content.decode()

    assert (">ferrya</a>" in page) is found


def test_the_counts_of_a_corpus_add_up(as_ana, corpus):
    rows.add_document(corpus, "again", corpus.texts.first().body + " !")
    rows.add_document(corpus, "nothing", " … ")

    page = as_ana.get(f"/corpora/{corpus.pk}/").content.decode()

    assert "18 documents = 17 with content + 1 without a word of text" in page
    assert "16 distinct texts; the other 1 repeat" in page


def test_a_decision_is_recorded_with_its_figures_and_a_job(as_cleo, cleo, study, monkeypatch):
    from labeling.services import decisions

    monkeypatch.setattr(
        decisions, "dry_run", lambda **_: {"documents": 16, "clusters": 8, "changes": {"split": 2}}
    )
    answer_all(study, cleo)
    recipe = study.recipes.get(score="exact", k=3)
    address = reverse("labeling:decide", args=[study.pk])
    values = {
        "recipe": recipe.pk,
        "threshold": "0.6",
        "rule": "",
        "representative_order": "canonical,first_seen,trust",
        "reason": "Precision first.",
    }

    shown = as_cleo.get(address, {"recipe": recipe.pk, "threshold": "0.6"}).content.decode()
    preview = as_cleo.post(address, values | {"preview": "1"}, headers={"HX-Request": "true"})
    recorded = as_cleo.post(address, values)

    decision = Decision.objects.get()
    assert "Dry run" in shown
    assert "<html" not in preview.content.decode()
    assert recorded.url == reverse("labeling:decision", args=[decision.pk])
    assert decision.figures["precision"]["estimate"] is not None
    assert decision.author == cleo
    assert Job.objects.get(kind="decide").decision == decision


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": "1.5"},
        {"threshold": "x"},
        {"recipe": "0"},
        {"rule": "colour"},
        {"reason": ""},
        {"representative_order": "x"},
    ],
)
def test_a_decision_with_a_bad_value_is_refused_with_a_sentence(as_cleo, study, change):
    recipe = study.recipes.get(score="exact", k=3)
    values = {
        "recipe": recipe.pk, "threshold": "0.6", "rule": "", "representative_order": "canonical,first_seen,trust", "reason": "So.",
    }  # fmt: skip

    response = as_cleo.post(reverse("labeling:decide", args=[study.pk]), values | change)

    assert response.status_code == 422
    assert 'class="errors"' in response.content.decode()
    assert not Decision.objects.exists()


def test_a_decision_states_its_figures_its_counts_and_the_command_that_replays_it(as_ana, cleo, study):
    decision = rows.make_decision(study, author=cleo)

    page = as_ana.get(reverse("labeling:decision", args=[decision.pk])).content.decode()

    assert "0.91 (0.85–0.95)" in page
    assert (
        "16 documents = 8 representatives (single documents among them) + 8 duplicates + 0 without content."
        in page
    )
    assert f"manage.py decide {study.pk} --k 3 --threshold 0.6 --score exact" in page


@pytest.mark.parametrize("show", ["", "chains", "random", "nonsense"])
@pytest.mark.parametrize("order", ["size", "loosest", "number", "nonsense"])
def test_clusters_are_listed_in_every_order(as_ana, study, show, order):
    decision = rows.make_decision(study)

    response = as_ana.get(reverse("labeling:clusters", args=[decision.pk]), {"show": show, "order": order})

    assert response.status_code == 200


def test_an_export_is_written_listed_and_sent_whole(as_ana, study, settings, tmp_path):
    settings.EXPORTS_DIR = tmp_path
    decision = rows.make_decision(study)
    address = reverse("labeling:export_new", args=[decision.pk])

    as_ana.post(address, {"what": "assignments", "format": "csv"})

    export = Export.objects.get()
    page = as_ana.get(address).content.decode()
    sent = b"".join(as_ana.get(reverse("labeling:export_file", args=[export.pk])).streaming_content).decode()
    assert export.rows == 16
    assert export.sha256 in page
    assert len(list(csv.DictReader(io.StringIO(sent)))) == 16


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"what": "assignments", "format": "html"},
        {"what": "x", "format": "csv"},
    ],
)
def test_an_export_that_does_not_exist_is_refused(as_ana, study, values):
    decision = rows.make_decision(study)

    response = as_ana.post(reverse("labeling:export_new", args=[decision.pk]), values)

    assert response.status_code == 422
    assert not Export.objects.exists()


def test_an_outlook_on_a_threshold_that_makes_no_sense_says_so_and_shows_no_other(as_cleo, study):
    recipe = study.recipes.get(k=3, score="exact")
    values = {"recipe": recipe.pk, "threshold": "7", "rule": "", "preview": "1"}

    shown = as_cleo.post(
        f"/studies/{study.pk}/decide/", values, headers={"HX-Request": "true"}
    ).content.decode()

    assert "a threshold lies between 0 and 1" in shown
    assert "Dry run" not in shown


def test_a_report_is_a_page_whatever_format_stands_beside_it(as_ana, study, settings, tmp_path):
    settings.EXPORTS_DIR = tmp_path
    decision = rows.make_decision(study)

    as_ana.post(reverse("labeling:export_new", args=[decision.pk]), {"what": "report", "format": "csv"})

    assert Export.objects.get().format == "html"


def test_a_removed_export_file_is_not_found(as_ana, study, settings, tmp_path):
    settings.EXPORTS_DIR = tmp_path
    export = Export.objects.create(
        decision=rows.make_decision(study),
        what="links",
        format="csv",
        file="gone.csv",
        rows=1,
        size=1,
        sha256="0",
        at=rows.AT,
    )

    assert as_ana.get(reverse("labeling:export_file", args=[export.pk])).status_code == 404


def test_progress_of_the_study_page_counts_pairs(as_ana, ana, study):
    answer_all(study, ana)

    assert labels.progress(study, ana.pk).pairs_done == 8
    assert "8 labels" in as_ana.get(f"/studies/{study.pk}/").content.decode()
