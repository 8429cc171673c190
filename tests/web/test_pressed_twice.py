"""Buttons that are pressed twice ask once; what another person was quicker with is said in a sentence."""

import pytest

from labeling.models import Corpus, Decision, Job, Study
from labeling.services import corpora, studies
from tests.web import rows


def upload_page(client, corpus, file):
    return client.post(f"/corpora/{corpus.pk}/ingest/", {"server_path": str(file)}).url


def test_start_pressed_twice_reads_the_files_once(as_cleo, settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"
    corpus = rows.make_corpus()
    file = tmp_path / "docs.jsonl"
    file.write_text('{"id": "1", "text": "some words"}\n', encoding="utf-8")
    address = upload_page(as_cleo, corpus, file)

    pressed = [as_cleo.post(address, {"start": "1"}).url for _ in range(2)]
    Job.objects.update(state=Job.State.FAILED)
    again = as_cleo.post(address, {"start": "1"}).url

    assert pressed[0] == pressed[1] != again
    assert Job.objects.count() == 2


def test_decide_pressed_twice_takes_one_decision(as_cleo, study):
    recipe = study.recipes.filter(score="exact").first()
    fields = {
        "recipe": recipe.pk,
        "threshold": "0.6",
        "rule": "",
        "representative_order": "canonical,first_seen,trust",
        "reason": "precision first",
    }

    pressed = [as_cleo.post(f"/studies/{study.pk}/decide/", fields).url for _ in range(2)]
    other = as_cleo.post(f"/studies/{study.pk}/decide/", fields | {"threshold": "0.7"}).url

    assert pressed[0] == pressed[1] != other
    assert Decision.objects.count() == Job.objects.filter(kind="decide").count() == 2


@pytest.mark.parametrize("what", ["corpus", "study"])
def test_a_name_that_somebody_took_a_moment_ago_is_refused_with_a_sentence(
    as_cleo, corpus, monkeypatch, what
):
    if what == "corpus":
        whole, place, address = corpora.create_corpus, corpora, "/corpora/new/"
        fields = {"name": "Fresh", "kind": "articles"}
    else:
        whole, place, address = studies.create_study, studies, f"/corpora/{corpus.pk}/studies/new/"
        fields = {
            "name": "Fresh", "ks": "3", "collection_threshold": "0.3", "bucket_width": "0.1", "per_bucket": "5",
            "num_perm": "64", "hash": "sha1", "simhash": "",
        }  # fmt: skip

    def late(**values):
        whole(**values)
        return whole(**values)

    monkeypatch.setattr(place, whole.__name__, late)

    response = as_cleo.post(address, fields)

    assert response.status_code == 422
    assert "already" in response.content.decode()
    assert (Corpus if what == "corpus" else Study).objects.filter(name="Fresh").count() == 1
