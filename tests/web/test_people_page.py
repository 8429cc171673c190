"""Inviting people, joining by a link, changing roles: done by owners, written down, and never twice."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from labeling.models import AuditEntry, Invitation, Membership
from tests.web import rows
from tests.web.conftest import client_of

PASSWORD = "correct horse battery"


@pytest.fixture
def olga(corpus):
    person = rows.make_person("Olga", role=None)
    rows.join(corpus, person, "owner")
    return person


@pytest.fixture
def as_olga(olga):
    return client_of(olga)


def invite(client, corpus, **fields):
    """The path of the link that the page shows."""
    values = {"for_whom": "Ines", "role": "labeller", "days": "7", **fields}
    page = client.post(f"/corpora/{corpus.pk}/people/invite/", values).content.decode()
    return page.split('value="http://testserver')[1].split('"')[0]


def join(client, link, name="Ines", password=PASSWORD):
    return client.post(link, {"username": name, "password": password})


def role_of(name, corpus):
    return (
        Membership.objects.filter(person__username=name, corpus=corpus).values_list("role", flat=True).first()
    )


def test_somebody_new_joins_by_the_link_and_can_label_at_once(as_olga, study):
    link = invite(as_olga, study.corpus)
    client = Client()

    shown = client.get(link).content.decode()
    joined = join(client, link)

    assert "You are invited to News" in shown
    assert joined.url == f"/corpora/{study.corpus_id}/"
    assert role_of("Ines", study.corpus) == "labeller"
    assert client.get(f"/studies/{study.pk}/label/").status_code == 200
    assert client.get(f"/studies/{study.pk}/decide/").status_code == 403


def test_a_link_is_used_up_by_the_first_who_joins(as_olga, corpus):
    link = invite(as_olga, corpus)

    join(Client(), link)
    second = join(Client(), link, name="Igor")

    assert second.status_code == 410
    assert not User.objects.filter(username="Igor").exists()


def test_looking_at_a_link_does_not_use_it_up(as_olga, corpus):
    link = invite(as_olga, corpus)

    codes = [Client().get(link).status_code for _ in range(3)]

    assert codes == [200, 200, 200]
    assert join(Client(), link).status_code == 302


def test_somebody_with_an_account_joins_with_it_and_a_stronger_role_stays(as_olga, corpus):
    nora = rows.make_person("Nora", role=None)
    client = client_of(nora)

    client.post(invite(as_olga, corpus, role="adjudicator"))
    first = role_of("Nora", corpus)
    client.post(invite(as_olga, corpus, role="reader"))

    assert (first, role_of("Nora", corpus)) == ("adjudicator", "adjudicator")


def test_a_link_that_is_too_old_or_withdrawn_says_so(as_olga, corpus):
    old, withdrawn = invite(as_olga, corpus, days="1"), invite(as_olga, corpus)
    newest = Invitation.objects.order_by("id").last()
    as_olga.post(f"/invitations/{newest.pk}/withdraw/")

    with time_machine.travel(timezone.now() + timedelta(days=2)):
        late = Client().get(old)
    gone = join(Client(), withdrawn)

    assert (late.status_code, gone.status_code) == (410, 410)
    assert "doesn’t work any more" in late.content.decode()


def test_the_secret_of_a_link_is_nowhere_in_the_database(as_olga, corpus):
    secret = invite(as_olga, corpus).strip("/").split("/")[-1]

    assert Invitation.objects.get().secret_hash != secret
    assert secret not in str(list(AuditEntry.objects.values()))


@pytest.mark.parametrize(
    ("name", "password", "sentence"),
    [
        ("olga", PASSWORD, "is taken"),
        ("Ines", "short", "too short"),
        ("Ines", "Ines", "too short"),
        ("I n e s", PASSWORD, "valid username"),
    ],
)
def test_a_name_or_password_that_will_not_do_is_said_beside_its_field(
    as_olga, corpus, name, password, sentence
):
    link = invite(as_olga, corpus)

    response = join(Client(), link, name=name, password=password)

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert Client().get(link).status_code == 200


@pytest.mark.parametrize("days", ["0", "91", "-1", "x", ""])
def test_an_invitation_lasts_between_a_day_and_ninety(as_olga, corpus, days):
    response = as_olga.post(f"/corpora/{corpus.pk}/people/invite/", {"role": "reader", "days": days})

    assert response.status_code == 422
    assert not Invitation.objects.exists()


def test_an_owner_changes_a_role_and_takes_it_away_and_answers_stay(as_olga, study, ana):
    rows.answer(study, ana, "duplicate")
    member = Membership.objects.get(person=ana, corpus=study.corpus)

    as_olga.post(f"/people/{member.pk}/role/", {"role": "adjudicator"})
    changed = role_of("Ana", study.corpus)
    page = as_olga.post(f"/people/{member.pk}/remove/", follow=True).content.decode()

    assert changed == "adjudicator"
    assert role_of("Ana", study.corpus) is None
    assert "the answers stay" in page
    assert ana.labels.count() == 1
    assert client_of(ana).get(f"/studies/{study.pk}/").status_code == 404


def test_nobody_changes_or_removes_their_own_role(as_olga, corpus, olga):
    own = Membership.objects.get(person=olga)

    changed = as_olga.post(f"/people/{own.pk}/role/", {"role": "reader"}, follow=True).content.decode()
    removed = as_olga.post(f"/people/{own.pk}/remove/", follow=True).content.decode()

    assert "Nobody changes their own role" in changed
    assert "Nobody removes themselves" in removed
    assert role_of("Olga", corpus) == "owner"


def test_links_of_an_owner_who_is_one_no_more_stop_working(as_olga, as_cleo, corpus, olga):
    link = invite(as_olga, corpus)
    member = Membership.objects.get(person=olga)

    as_cleo.post(f"/people/{member.pk}/role/", {"role": "reader"})

    assert Client().get(link).status_code == 410


def test_an_unknown_role_changes_nothing(as_olga, study, ana):
    member = Membership.objects.get(person=ana, corpus=study.corpus)

    as_olga.post(f"/people/{member.pk}/role/", {"role": "emperor"})

    assert role_of("Ana", study.corpus) == "labeller"


def test_every_change_of_a_role_is_written_down(as_olga, corpus, ana):
    member = Membership.objects.get(person=ana, corpus=corpus)
    join(Client(), invite(as_olga, corpus))
    as_olga.post(f"/people/{member.pk}/role/", {"role": "reader"})
    as_olga.post(f"/people/{member.pk}/remove/")

    written = list(AuditEntry.objects.order_by("id").values_list("person_name", "action", "what"))

    assert written == [
        ("Olga", "invited", "Ines"),
        ("Ines", "invitation accepted", "Ines"),
        ("Olga", "role changed", "Ana"),
        ("Olga", "role taken away", "Ana"),
    ]


def test_who_does_not_own_the_corpus_sees_who_is_there_and_no_way_to_change_it(as_ana, corpus, olga):
    page = as_ana.get(f"/corpora/{corpus.pk}/people/").content.decode()

    assert "Olga" in page
    assert "<select" not in page
    assert "Invite somebody" not in page
