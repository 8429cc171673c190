"""What SQLite and PostgreSQL must do alike; ``--database postgresql`` runs the same tests there."""

import json
import os
import sqlite3
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection, models
from django.test import Client

from dedup.text import exact_key
from labeling.models import Document, Problem
from labeling.services import figures, label_files, studies
from labeling.services.decisions import figure_values
from tests.db import rows

pytestmark = pytest.mark.django_db

CASES = Path(__file__).resolve().parents[1] / "data" / "cases"
SMALL_LIMIT = 999


@pytest.fixture(autouse=True)
def folders(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    settings.ARRAYS_DIR = settings.DATA_DIR / "arrays"
    settings.EXPORTS_DIR = settings.DATA_DIR / "exports"


@pytest.fixture
def few_parameters(db):
    """SQLite as small builds have it; PostgreSQL as it is."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    limit = sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER
    before = connection.connection.setlimit(limit, SMALL_LIMIT)
    yield
    connection.connection.setlimit(limit, before)


@pytest.fixture
def as_owner(db, django_user_model):
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("owner"))
    return client


def write_labels(path, answers):
    lines = (f"{left},{right},{verdict}\n" for left, right, verdict in answers)
    path.write_text("left_id,right_id,verdict\n" + "".join(lines))
    return path


def drawn_names(study):
    """Document ids of the drawn pairs, in the order of the queue."""
    names = dict(Document.objects.filter(corpus=study.corpus).values_list("text_id", "external_id"))
    found = study.study_pairs.filter(drawn=True).order_by("position")
    return [
        (names[left], names[right]) for left, right in found.values_list("pair__left_id", "pair__right_id")
    ]


def test_a_nul_character_is_taken_out_and_remarked_and_never_ends_an_ingest(corpus):
    job = rows.ingest(corpus, CASES / "db05-nul-in-text" / "docs.jsonl")

    stored = {row.external_id: row for row in corpus.documents.select_related("text")}
    assert (job.state, job.report["accepted"], len(stored)) == ("done", 3, 3)
    assert [stored[name].body for name in ("n1", "n2", "n3")] == ["beforeafter", "clean", ""]
    assert stored["n1"].text.exact_key == exact_key("beforeafter").hex()
    assert stored["n3"].status == "no content"
    assert {problem.reason for problem in job.problems.filter(field="text")} == {
        "holds NUL characters; they were removed"
    }
    assert not any("\0" in problem.example for problem in Problem.objects.all())


@pytest.mark.parametrize("bad", ["a\0", "half \ud800"])
def test_a_label_with_a_character_that_cannot_be_stored_is_refused_with_its_line(corpus, at, tmp_path, bad):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted()))
    study = rows.study_of(corpus)
    file = tmp_path / "labels.jsonl"
    good = {"left_id": "pa", "right_id": "pb", "verdict": "duplicate"}
    file.write_text(
        "".join(json.dumps(row) + "\n" for row in (good, good | {"note": bad}, {**good, "left_id": bad}))
    )

    imported = label_files.import_labels(study=study, path=file, at=at)

    assert (imported.accepted, imported.rejected) == (1, 2)
    assert [problem["line"] for problem in imported.problems] == [2, 3]


def json_values():
    """Every JSON value of every stored row."""
    for model in apps.get_app_config("labeling").get_models():
        names = [field.name for field in model._meta.fields if isinstance(field, models.JSONField)]
        if names:
            yield from (value for row in model.objects.values_list(*names) for value in row)


@pytest.mark.parametrize("verdicts", [(), ("distinct",), ("unsure",), ("duplicate", "distinct", "unsure")])
def test_undefined_figures_are_null_in_rows_pages_and_answers_and_never_nan(
    corpus, as_owner, at, tmp_path, verdicts
):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted(topics=3)))
    study = rows.study_of(corpus)
    answers = [(*pair, verdict) for pair, verdict in zip(drawn_names(study), verdicts, strict=False)]
    label_files.import_labels(study=study, path=write_labels(tmp_path / "labels.csv", answers), at=at)

    evaluation = figures.evaluate_study(study=study)
    decision = rows.decision_of(study)
    pages = [f"/studies/{study.pk}/evaluation/", f"/studies/{study.pk}/", f"/decisions/{decision.pk}/"]

    strict = [figure_values(figure) for figure in evaluation.figures] + list(json_values())
    assert json.dumps(strict, allow_nan=False)
    for address in pages:
        page = as_owner.get(address)
        assert page.status_code == 200
        assert "NaN" not in page.text
        assert "Infinity" not in page.text


def numbered(pairs):
    """Pairs of texts that share most of their words with each other and none with others."""
    documents = {}
    for number in range(pairs):
        words = [f"w{number}x{place}" for place in range(9)]
        documents[f"n{number}a"] = {"text": " ".join(words)}
        documents[f"n{number}b"] = {"text": " ".join([*words, f"end{number}"])}
    return documents


def test_everything_works_with_as_few_parameters_as_some_builds_of_sqlite_allow(
    corpus, as_owner, at, few_parameters, tmp_path
):
    documents = numbered(SMALL_LIMIT + 101)
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))
    retitled = {name: fields | {"title": "again"} for name, fields in documents.items()}
    again = rows.ingest(corpus, rows.write_jsonl(tmp_path / "again.jsonl", retitled))
    study = rows.study_of(corpus, ks=(3,), per_bucket=5000)
    answers = [(*pair, "duplicate") for pair in drawn_names(study)]
    imported = label_files.import_labels(
        study=study, path=write_labels(tmp_path / "labels.csv", answers), at=at
    )
    decision = rows.decision_of(study)
    pages = [
        as_owner.get(address).status_code
        for address in (
            f"/studies/{study.pk}/pairs/?verdict=duplicate",
            f"/studies/{study.pk}/pairs/?verdict=none",
            f"/studies/{study.pk}/evaluation/?pile={study.recipes.first().pk}&threshold=0.99",
            f"/decisions/{decision.pk}/clusters/",
        )
    ]

    assert again.report["updated"] == len(documents)
    assert imported.accepted == SMALL_LIMIT + 101
    assert decision.summary["clusters"] == SMALL_LIMIT + 101
    assert pages == [200] * 4


def test_a_refreshed_study_drops_more_pairs_than_there_are_parameters(corpus, few_parameters, tmp_path):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", numbered(SMALL_LIMIT + 101)))
    study = rows.study_of(corpus, ks=(3,), per_bucket=5000)
    study.spec = study.spec | {"per_bucket": 10}
    study.save()
    rows.run(studies.enqueue_study(study=study, by_id=None, at=rows.AT))

    assert study.study_pairs.filter(drawn=True).count() == 10


ODD = "\0 \ud800 \udfff \ufffe \x1b \u202e"


def test_odd_characters_in_any_field_of_any_record_are_stored_or_remarked(corpus, tmp_path):
    fields = ("text", "html", "title", "url", "canonical", "source", "first_seen", "price", "gtin", "sku")
    page = "<title>t{0}</title><link rel=canonical href='http://a.example/{0}'><p>{0} words &#0; &#xd800; of it</p>"
    documents = {name: {"text": "some words", name: f"{name} {ODD}"} for name in fields}
    documents["page"] = {"html": page.format(ODD), "url": f"http://a.example/{ODD}"}
    documents[f"id {ODD}"] = {"text": "other words"}

    job = rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))

    assert (job.state, job.error, job.report["accepted"]) == ("done", "", len(documents))


def test_a_file_whose_name_is_not_unicode_is_read_or_refused_in_a_sentence(corpus, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    odd = folder / os.fsdecode(b"caf\xe9.txt")
    odd.write_text("some words of a note")
    (folder / "plain.txt").write_text("other words")

    job = rows.ingest(corpus, folder)

    assert (job.state, job.error, job.report["accepted"]) == ("done", "", 2)


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("AB", ["Ab", "xaB"]),
        ("é", ["né"]),
        ("É", ["É"]),
        ("%", ["5%"]),
        ("_", ["a_"]),
        ("\\", ["b\\"]),
        ("ı", []),
    ],
)
def test_a_search_folds_only_a_to_z_and_takes_signs_as_they_stand(corpus, word, found):
    for name in ("Ab", "xaB", "né", "É", "5%", "a_", "b\\", "i", "I"):
        Document.objects.create(corpus=corpus, external_id=name, status="no content", own_body="")

    names = Document.objects.filter(external_id__mentions=word).order_by("external_id")

    assert [row.external_id for row in names] == found
