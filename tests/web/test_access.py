"""Each address as everybody there is: what one may not know of isn't there, what one may not do is refused in a sentence."""

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from labeling.models import Role
from tests.web import rows
from tests.web.addresses import NAMES, NEEDS, every_address
from tests.web.conftest import client_of

HELD = {
    "administrator": {"account", "see", "label", "adjudicate", "own", "administer"},
    "owner": {"account", "see", "label", "adjudicate", "own"},
    "adjudicator": {"account", "see", "label", "adjudicate"},
    "labeller": {"account", "see", "label"},
    "reader": {"account", "see"},
    "stranger": {"account"},
}
SENTENCES = ("Only administrators", "Only adjudicators", "Only owners", "change nothing")
REFUSED = {401, 403, 404, 405}


@pytest.fixture
def addresses(study, settings, tmp_path):
    settings.UPLOADS_DIR, settings.EXPORTS_DIR = tmp_path / "uploads", tmp_path / "exports"
    return every_address(study, None)


def person_of(who):
    if who == "administrator":
        return rows.make_person("Adele", is_owner=True)
    return rows.make_person("Somebody", role=who if who in Role.values else None)


def ask(client, address, method):
    """The answer, with everything that it changed put back."""
    with transaction.atomic():
        response = client.get(address) if method == "GET" else client.post(address)
        if response.streaming:
            b"".join(response.streaming_content)
        transaction.set_rollback(True)
    return response


def expected(held, need):
    """The status that somebody is refused with; 0 where they are let in."""
    if need in held or need == "nothing":
        return 0
    return 403 if "see" in held or need == "administer" else 404


def test_every_address_says_here_what_it_takes_to_ask_for_it():
    assert set(NAMES) == set(NEEDS), "add new addresses to NEEDS in tests/web/addresses.py"


@pytest.mark.parametrize("who", HELD)
def test_each_address_lets_in_whom_it_should_and_nobody_else(addresses, who):
    client = client_of(person_of(who))

    wrong = []
    for name, needs in NEEDS.items():
        for method, need in zip(("GET", "POST"), needs, strict=True):
            if need is None or name == "sign_out":
                continue
            response = ask(client, addresses[name], method)
            wanted = expected(HELD[who], need)
            is_right = (
                response.status_code == wanted
                if wanted
                else response.status_code not in REFUSED and response.status_code < 500
            )
            if not is_right:
                wrong.append((name, method, response.status_code, wanted or "let in"))
            if wanted == 403 and not any(words in response.content.decode() for words in SENTENCES):
                wrong.append((name, method, "no sentence"))

    assert wrong == []


def test_somebody_signed_out_is_led_to_the_sign_in_from_every_address(addresses):
    client = Client()

    wrong = []
    for name, needs in NEEDS.items():
        for method, need in zip(("GET", "POST"), needs, strict=True):
            if need in {None, "nothing"}:
                continue
            response = ask(client, addresses[name], method)
            is_led = response.status_code == 302 and response.url.startswith(reverse("labeling:sign_in"))
            is_told = response.status_code == 401 and reverse("labeling:sign_in") in response.content.decode()
            if not is_led and not is_told:
                wrong.append((name, method, response.status_code))

    assert wrong == []


def test_a_reader_is_told_why_answering_is_refused(study):
    client = client_of(rows.make_person("Rita", role="reader"))

    response = client.get(f"/studies/{study.pk}/label/")

    assert response.status_code == 403
    assert "Readers of “News” look at everything and change nothing" in response.content.decode()


def test_the_list_of_corpora_holds_only_those_in_which_one_has_a_role(corpus):
    other = rows.make_corpus("Offers")
    client = client_of(rows.make_person("Nora", role=None))
    empty = client.get("/").content.decode()
    rows.join(other, rows.User.objects.get(username="Nora"), "reader")

    page = client.get("/").content.decode()

    assert "You have no role in a corpus yet" in empty
    assert "Offers" in page
    assert f"/corpora/{corpus.pk}/" not in page


def test_a_role_in_one_corpus_opens_nothing_of_another(study):
    other = rows.make_study(rows.make_planted_corpus("Offers"))
    person = rows.make_person("Olga", role=None)
    rows.join(study.corpus, person, "owner")
    client = client_of(person)

    here = client.get(f"/studies/{study.pk}/").status_code
    there = client.get(f"/studies/{other.pk}/").status_code
    mixed = client.get(f"/studies/{study.pk}/label/", {"pair": other.study_pairs.first().pk}).status_code

    assert (here, there, mixed) == (200, 404, 404)


def test_an_owner_who_runs_no_server_reads_no_file_of_it(corpus, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("nothing for owners")
    client = client_of(rows.make_person("Olga", role="owner"))

    page = client.get(f"/corpora/{corpus.pk}/ingest/").content.decode()
    response = client.post(f"/corpora/{corpus.pk}/ingest/", {"server_path": str(secret)})

    assert "on the server" not in page
    assert response.status_code == 422
    assert not corpus.jobs.exists()


@pytest.mark.parametrize("who", ["labeller", "reader"])
def test_pages_offer_only_what_one_may_do(study, who):
    client = client_of(rows.make_person("Somebody", role=who))

    corpus_page = client.get(f"/corpora/{study.corpus_id}/").content.decode()
    study_page = client.get(f"/studies/{study.pk}/").content.decode()

    assert "Add documents</a>" not in corpus_page
    assert f"/studies/{study.pk}/decide/" not in study_page
    assert (f"/studies/{study.pk}/label/" in study_page) == (who == "labeller")
