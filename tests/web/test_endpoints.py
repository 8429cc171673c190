"""Every endpoint as a stranger, a labeller and an owner, by the wrong method, and for something that isn't there."""

import pytest
from django.urls import get_resolver, reverse

from tests.web import rows

PUBLIC = {"sign_in", "sign_in_link", "sign_out", "label_answer"}
FOR_OWNERS = {
    "corpus_new",
    "sample",
    "ingest",
    "ingest_preview",
    "study_new",
    "decide",
    "job_cancel",
    "job_resume",
}
ONLY_POST = {"sign_out", "sample", "job_cancel", "job_resume", "label_skip", "label_undo"}
TAKE_POST = ONLY_POST | {
    "sign_in", "sign_in_link", "corpus_new", "ingest", "ingest_preview", "study_new", "label_answer", "decide", "export_new",
    "cluster_pair",
}  # fmt: skip
NAMES = sorted(pattern.name for pattern in get_resolver("labeling.urls").url_patterns)


@pytest.fixture
def addresses(study, cleo):
    decision = rows.make_decision(study, author=cleo)
    job = rows.make_job(study.corpus)
    corpus, pair, cluster = study.corpus, study.study_pairs.first(), decision.clusters.first()
    arguments = {
        "sign_in_link": ["no-such-secret"],
        "corpus": [corpus.pk],
        "ingest": [corpus.pk],
        "ingest_preview": [corpus.pk, "nothing"],
        "documents": [corpus.pk],
        "study_new": [corpus.pk],
        "document": [corpus.documents.first().pk],
        "job": [job.pk],
        "job_cancel": [job.pk],
        "job_resume": [job.pk],
        "job_problems": [job.pk],
        "study": [study.pk],
        "label": [study.pk],
        "label_answer": [study.pk],
        "label_skip": [study.pk],
        "label_undo": [study.pk],
        "pairs": [study.pk],
        "pair": [study.pk, pair.pk],
        "evaluation": [study.pk],
        "evaluation_csv": [study.pk],
        "decide": [study.pk],
        "decision": [decision.pk],
        "clusters": [decision.pk],
        "export_new": [decision.pk],
        "cluster": [cluster.pk],
        "cluster_pair": [
            cluster.pk,
            *cluster.members.values_list("document__text", flat=True).order_by("id")[:2],
        ],
        "export_file": [decision.pk],
    }
    return {name: reverse(f"labeling:{name}", args=arguments.get(name, [])) for name in NAMES}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PUBLIC])
def test_a_stranger_is_led_to_the_sign_in(as_stranger, addresses, name):
    response = as_stranger.post(addresses[name]) if name in ONLY_POST else as_stranger.get(addresses[name])

    assert response.status_code == 302
    assert response.url.startswith(reverse("labeling:sign_in"))


@pytest.mark.parametrize("name", sorted(FOR_OWNERS))
def test_a_labeller_is_told_that_only_owners_may(as_ana, addresses, name):
    response = as_ana.post(addresses[name]) if name in ONLY_POST else as_ana.get(addresses[name])

    assert response.status_code == 403
    assert "Only owners may do this" in response.content.decode()


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in FOR_OWNERS | ONLY_POST | PUBLIC | {"export_file"}]
)
def test_a_labeller_sees_the_page(as_ana, addresses, name):
    response = as_ana.get(addresses[name])

    assert response.status_code == 200


@pytest.mark.parametrize("name", sorted(FOR_OWNERS - ONLY_POST - {"ingest_preview"}))
def test_an_owner_sees_the_page(as_cleo, addresses, name):
    response = as_cleo.get(addresses[name])

    assert response.status_code == 200


@pytest.mark.parametrize("name", NAMES)
def test_the_wrong_method_is_refused(as_cleo, addresses, name):
    response = as_cleo.get(addresses[name]) if name in ONLY_POST else as_cleo.delete(addresses[name])

    assert response.status_code == 405


@pytest.mark.parametrize("name", sorted(set(NAMES) - TAKE_POST))
def test_a_page_that_only_shows_takes_no_post(as_cleo, addresses, name):
    assert as_cleo.post(addresses[name]).status_code == 405


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in {"corpora", "corpus_new", "sample", "keys"} | PUBLIC]
)
def test_what_is_not_there_is_not_found(as_cleo, addresses, name):
    address = addresses[name]
    digits = [part for part in address.split("/") if part.isdecimal()]
    missing = address.replace(f"/{digits[0]}/", "/987654/", 1)

    response = as_cleo.post(missing) if name in ONLY_POST else as_cleo.get(missing)

    assert response.status_code == 404


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in ONLY_POST | PUBLIC | {"export_file", "job_problems", "evaluation_csv", "ingest_preview"}]
)  # fmt: skip
def test_a_page_has_one_heading_a_title_landmarks_and_a_way_to_its_content(as_cleo, addresses, name):
    html = as_cleo.get(addresses[name]).content.decode()

    assert html.count("<h1") == 1
    assert "<title>" in html
    assert 'href="#main"' in html
    assert '<main class="page" id="main"' in html
    assert "<nav" in html
    assert "{{" not in html
    assert "{%" not in html


def test_every_page_has_the_strict_policy(as_cleo, addresses):
    policy = as_cleo.get(addresses["label"])["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_a_form_without_its_token_is_refused(study, ana):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(ana)

    response = client.post(f"/studies/{study.pk}/label/answer/", {"verdict": "duplicate"})

    assert response.status_code == 403
    assert "Nothing was stored" in response.content.decode()
