"""Giving files, looking at the first rows, starting; jobs and their reports."""

import csv
import io
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from labeling.models import Corpus, Job, Problem, Study
from tests.web import rows

TABLE = b"id;headline;body\n1;Trams;Trams run until midnight on Fridays.\n2;Ferries;Ferries run every hour.\n"


@pytest.fixture(autouse=True)
def _uploads(settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"


@pytest.fixture
def empty(db):
    return rows.make_corpus("Empty")


def give(client, corpus, content=TABLE, name="articles.csv", **more):
    values = {"upload": SimpleUploadedFile(name, content), **more}
    return client.post(reverse("labeling:ingest", args=[corpus.pk]), values)


def test_a_table_is_shown_as_it_would_be_read_and_nothing_is_stored(as_cleo, empty):
    address = give(as_cleo, empty).url

    page = as_cleo.get(address).content.decode()

    assert "Trams run until midnight on Fridays." in page
    assert "semicolon" in page
    assert "guessed" in page
    assert not Job.objects.exists()
    assert not empty.documents.exists()


def test_a_corrected_mapping_shows_the_rows_again_and_is_what_the_job_reads(as_cleo, empty):
    address = give(as_cleo, empty).url
    values = {
        "format": "csv",
        "encoding": "",
        "delimiter": ";",
        "columns": "id\nheadline\nbody",
        "map_id": "id",
        "map_text": "headline",
    }

    again = as_cleo.post(address, values)
    started = as_cleo.post(address, values | {"start": "1"})

    job = Job.objects.get()
    assert again.status_code == 200
    assert started.url == reverse("labeling:job", args=[job.pk])
    assert job.payload["options"]["mapping"] == {"id": "id", "text": "headline"}
    assert job.payload["options"]["delimiter"] == ";"


def test_a_column_that_the_file_does_not_have_is_refused(as_cleo, empty):
    address = give(as_cleo, empty).url

    response = as_cleo.post(
        address, {"format": "csv", "columns": "id\nheadline\nbody", "map_text": "nothing", "start": "1"}
    )

    assert response.status_code == 422
    assert not Job.objects.exists()


@pytest.mark.parametrize(("content", "name"), [(b"", "empty.csv"), (bytes(range(256)) * 20, "photo.jpg")])
def test_a_file_that_is_no_document_gets_a_sentence_and_no_job(as_cleo, empty, content, name):
    response = give(as_cleo, empty, content, name)
    if response.status_code == 302:
        response = as_cleo.get(response.url)

    assert response.status_code == 422
    assert 'class="note bad"' in response.content.decode() or 'class="errors"' in response.content.decode()
    assert not Job.objects.exists()


def test_several_files_keep_apart_though_their_names_are_alike(as_cleo, empty):
    files = [SimpleUploadedFile("articles.csv", TABLE), SimpleUploadedFile("../articles.csv", TABLE)]

    address = as_cleo.post(reverse("labeling:ingest", args=[empty.pk]), {"upload": files}).url
    as_cleo.post(
        address, {"format": "auto", "columns": "id\nheadline\nbody", "map_text": "body", "start": "1"}
    )

    paths = Job.objects.get().payload["paths"]
    assert len(set(paths)) == 2
    assert all("/uploads/" in path and ".." not in path for path in paths)


def test_files_above_the_limit_are_refused_and_the_limit_is_stated(as_cleo, empty, settings):
    settings.UPLOAD_LIMIT_MB = 0

    page = as_cleo.get(reverse("labeling:ingest", args=[empty.pk])).content.decode()
    response = give(as_cleo, empty)

    assert "up to 0 MB" in page
    assert response.status_code == 422
    assert "larger than 0 MB" in response.content.decode()


def test_a_path_on_the_server_is_read_where_it_is(as_cleo, empty, tmp_path):
    file = tmp_path / "articles.csv"
    file.write_bytes(TABLE)

    address = as_cleo.post(reverse("labeling:ingest", args=[empty.pk]), {"server_path": str(file)}).url
    page = as_cleo.get(address).content.decode()

    assert "Ferries run every hour." in page


@pytest.mark.parametrize("values", [{}, {"server_path": "/no/such/place"}, {"server_path": "\0"}])
def test_nothing_to_read_is_refused(as_cleo, empty, values):
    response = as_cleo.post(reverse("labeling:ingest", args=[empty.pk]), values)

    assert response.status_code == 422


def test_an_upload_of_another_corpus_is_refused(as_cleo, empty):
    address = give(as_cleo, empty).url
    other = rows.make_corpus("Other")

    response = as_cleo.get(address.replace(f"/corpora/{empty.pk}/", f"/corpora/{other.pk}/"))

    assert response.status_code == 403


@pytest.mark.parametrize("token", ["..", "%2e%2e", "nothing", "a.b"])
def test_an_upload_that_is_not_there_is_not_found(as_cleo, empty, token):
    assert as_cleo.get(f"/corpora/{empty.pk}/ingest/{token}/").status_code == 404


def test_a_corpus_is_made_and_its_name_is_unique(as_cleo):
    made = as_cleo.post(reverse("labeling:corpus_new"), {"name": "News", "kind": "articles"})
    again = as_cleo.post(reverse("labeling:corpus_new"), {"name": "News", "kind": "articles"})

    corpus = Corpus.objects.get()
    assert made.url == reverse("labeling:ingest", args=[corpus.pk])
    assert again.status_code == 422
    assert "already" in again.content.decode()


def test_the_empty_start_page_offers_three_kinds_and_the_sample(as_cleo):
    page = as_cleo.get("/").content.decode()

    assert page.count("?kind=") == 3
    assert "Try the sample" in page


def test_the_sample_is_read_and_studied_once(as_cleo):
    first = as_cleo.post(reverse("labeling:sample"))
    second = as_cleo.post(reverse("labeling:sample"))

    assert first.url == second.url
    assert Corpus.objects.count() == 1
    assert {job.kind for job in Job.objects.all()} == {"ingest", "study"}


def test_a_study_is_made_as_suggested(as_cleo, corpus):
    values = {
        "name": "First", "ks": ["3", "5", "7"], "collection_threshold": "0.3", "bucket_width": "0.1", "per_bucket": "25",
        "num_perm": "128", "hash": "sha1", "simhash": "",
    }  # fmt: skip

    response = as_cleo.post(reverse("labeling:study_new", args=[corpus.pk]), values)
    again = as_cleo.post(reverse("labeling:study_new", args=[corpus.pk]), values)

    study = Study.objects.get()
    assert response.url == reverse("labeling:job", args=[Job.objects.get().pk])
    assert study.spec["ks"] == [3, 5, 7]
    assert again.status_code == 422


@pytest.mark.parametrize(
    "change",
    [
        {"ks": []},
        {"ks": ["2"]},
        {"collection_threshold": "1.2"},
        {"bucket_width": "0"},
        {"per_bucket": "0"},
        {"num_perm": "7"},
        {"name": ""},
    ],
)
def test_a_study_with_a_bad_value_is_refused(as_cleo, corpus, change):
    values = {
        "name": "First", "ks": ["3"], "collection_threshold": "0.3", "bucket_width": "0.1", "per_bucket": "25",
        "num_perm": "128", "hash": "sha1", "simhash": "",
    }  # fmt: skip

    response = as_cleo.post(reverse("labeling:study_new", args=[corpus.pk]), values | change)

    assert response.status_code == 422
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("threshold", "sentence"),
    [("0.5", "30 bands of 4 rows"), ("7", "between 0.05 and 0.95"), ("x", "between 0.05")],
)
def test_the_curve_is_drawn_for_the_threshold_that_is_being_typed(as_cleo, corpus, threshold, sentence):
    response = as_cleo.get(
        reverse("labeling:study_new", args=[corpus.pk]),
        {"collection_threshold": threshold, "num_perm": "128"},
        headers={"HX-Request": "true"},
    )

    assert sentence in response.content.decode()
    assert "<html" not in response.content.decode()


def test_a_waiting_job_says_that_no_worker_is_running(as_ana, corpus):
    job = rows.make_job(corpus, state="queued")

    page = as_ana.get(reverse("labeling:job", args=[job.pk])).content.decode()

    assert "No worker is running" in page


def test_a_running_job_polls_and_an_ended_one_does_not(as_ana, corpus):
    running = rows.make_job(
        corpus, state="running", stage="sign", unit="texts", done=3, total=9, heartbeat_at=timezone.now()
    )
    ended = rows.make_job(corpus)

    pages = [as_ana.get(reverse("labeling:job", args=[job.pk])).content.decode() for job in (running, ended)]

    assert 'hx-trigger="every 1s"' in pages[0]
    assert "Sign: 3 of 9 texts" in pages[0]
    assert "hx-trigger" not in pages[1]


def test_a_job_whose_worker_died_is_interrupted_and_can_be_resumed(as_cleo, corpus):
    job = rows.make_job(
        corpus,
        state="running",
        stage="sign",
        unit="texts",
        done=61,
        total=100,
        heartbeat_at=timezone.now() - timedelta(minutes=5),
    )

    page = as_cleo.get(reverse("labeling:job", args=[job.pk])).content.decode()
    as_cleo.post(reverse("labeling:job_resume", args=[job.pk]))

    job.refresh_from_db()
    assert "Interrupted at 61 %" in page
    assert "Resume" in page
    assert job.state == "queued"


def test_a_job_that_is_done_cannot_be_resumed(as_cleo, corpus):
    job = rows.make_job(corpus)

    page = as_cleo.post(reverse("labeling:job_resume", args=[job.pk]), follow=True).content.decode()

    job.refresh_from_db()
    assert job.state == "done"
    assert 'class="note bad' in page


def test_a_waiting_job_is_cancelled(as_cleo, corpus):
    job = rows.make_job(corpus, state="queued")

    as_cleo.post(reverse("labeling:job_cancel", args=[job.pk]))

    job.refresh_from_db()
    assert job.state == "cancelled"


def test_problems_are_grouped_with_examples_and_all_of_them_can_be_downloaded(as_ana, corpus):
    job = rows.make_job(
        corpus, report={"read": 9, "accepted": 4, "updated": 0, "unchanged": 0, "rejected": 5}
    )
    for line in range(5):
        Problem.objects.create(
            job=job,
            file="=cmd|'x'.jsonl",
            line=line,
            field="text",
            reason="no text",
            example="<b>x",
            is_rejection=True,
        )

    page = as_ana.get(reverse("labeling:job", args=[job.pk])).content.decode()
    sent = b"".join(as_ana.get(reverse("labeling:job_problems", args=[job.pk])).streaming_content).decode()

    table = list(csv.DictReader(io.StringIO(sent)))
    assert "9 read = 4 accepted + 0 updated + 0 unchanged + 5 left out." in page
    assert "&lt;b&gt;x" in page
    assert page.count("line ") == 3
    assert [row["line"] for row in table] == ["0", "1", "2", "3", "4"]
    assert table[0]["file"].startswith("'=")


PAGE = (
    b"<html><head><title>Trams</title></head><body><nav><a href=/>Start</a> <a href=/s>Sports</a></nav><article><h1>Trams</h1>"
    b"<p>The old harbour tram returns on Friday after eleven years of repairs, and the council expects many passengers.</p>"
    b"</article><footer>Imprint</footer></body></html>"
)


def test_html_pages_are_shown_as_they_are_as_kept_and_as_removed_without_columns_to_choose(as_cleo, empty):
    files = [SimpleUploadedFile(f"p{number}.html", PAGE) for number in range(3)]
    address = as_cleo.post(reverse("labeling:ingest", args=[empty.pk]), {"upload": files}).url

    page = as_cleo.get(address).content.decode()

    assert '<h3>Kept</h3><div class="kept">Trams\nThe old harbour tram' in page
    assert '<p class="removed">Start Sports</p>' in page
    assert '<span class="place">footer</span> Imprint' in page
    assert "map_text" not in page


def test_the_chosen_extractor_is_shown_and_is_what_the_job_uses(as_cleo, empty):
    address = give(as_cleo, empty, PAGE, "p.html").url
    values = {"format": "auto", "columns": "id\nhtml", "extractor": "resiliparse"}

    page = as_cleo.post(address, values).content.decode()
    as_cleo.post(address, values | {"start": "1"})

    assert '<option value="resiliparse" selected>' in page
    assert Job.objects.get().payload["options"]["extractor"] == "resiliparse"
