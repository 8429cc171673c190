"""Whatever stands in an address or a form, the server answers with a page."""

import json

import pytest

from tests.web import rows

NUMBERS = [
    "nan",
    "inf",
    "-inf",
    "-1",
    "1e400",
    "1e308",
    "1.0000001",
    "9" * 30,
    "9" * 5000,
    "1_0",
    "\u00b2",
    "",
]
KEYS = ["0", "-1", "9" * 19, "9" * 5000, "\u00b2", "x", ""]


@pytest.mark.parametrize("value", NUMBERS)
def test_any_threshold_in_the_address_of_the_decision_gets_a_page(as_cleo, study, value):
    response = as_cleo.get(f"/studies/{study.pk}/decide/", {"threshold": value})

    assert response.status_code == 200


@pytest.mark.parametrize("value", KEYS)
def test_any_key_in_an_address_gets_a_page(as_cleo, study, value):
    decide = as_cleo.get(f"/studies/{study.pk}/decide/", {"recipe": value})
    label = as_cleo.get(f"/studies/{study.pk}/label/", {"pair": value})

    assert decide.status_code == 200
    assert label.status_code == 404


@pytest.mark.parametrize("step", ["answer", "skip"])
@pytest.mark.parametrize("value", KEYS)
def test_any_key_in_an_answer_is_refused_with_a_sentence(as_ana, study, step, value):
    fields = {"key": "x", "study_pair": value, "verdict": "duplicate"}

    response = as_ana.post(f"/studies/{study.pk}/label/{step}/", fields)

    assert response.status_code == 422


def test_an_upload_of_an_endless_name_is_not_found(as_cleo, corpus):
    response = as_cleo.get(f"/corpora/{corpus.pk}/ingest/{'a' * 4000}/")

    assert response.status_code == 404


def test_a_path_that_no_disk_can_hold_is_refused_with_a_sentence(as_cleo, corpus):
    response = as_cleo.post(f"/corpora/{corpus.pk}/ingest/", {"server_path": "/tmp/" + "a" * 300})

    assert response.status_code == 422
    assert "read by the server" in response.content.decode()


def test_half_characters_in_a_file_are_shown_as_replaced(as_cleo, settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"
    corpus = rows.make_corpus()
    file = tmp_path / "half.jsonl"
    record = {"id": "1", "text": "half \ud800 a character", "odd \udc80 name": "x"}
    file.write_text(json.dumps(record), encoding="utf-8")

    chosen = as_cleo.post(f"/corpora/{corpus.pk}/ingest/", {"server_path": str(file)})
    page = as_cleo.get(chosen.url)

    assert page.status_code == 200
    assert "half \ufffd a character" in page.content.decode()
