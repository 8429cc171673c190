import pytest
from django.urls import reverse

from labeling.models import Label
from tests.web import rows


@pytest.fixture
def held(study, cleo):
    decision = rows.make_decision(study, author=cleo)
    texts = list(study.corpus.texts.order_by("ordinal")[:4])
    rows.hold(decision, texts[2], texts[3], similarity=0.71, reason="very short texts")
    return rows.hold(decision, texts[0], texts[1])


def address(held):
    return reverse("labeling:held_pair", args=[held.decision_id, held.pk])


def key_of(page):
    return page.context["key"]


def test_a_decision_says_how_many_pairs_wait_and_leads_to_them(held, as_ana):
    page = as_ana.get(f"/decisions/{held.decision_id}/").text

    assert "2 pairs are held for review" in page
    assert f'href="/decisions/{held.decision_id}/held/"' in page


def test_the_list_opens_each_pair_with_the_reason_why_it_waits(held, as_ana):
    page = as_ana.get(f"/decisions/{held.decision_id}/held/").text

    assert "numbers or signs differ" in page
    assert "very short texts" in page
    assert address(held) in page


def test_a_verdict_on_a_held_pair_is_a_label_that_counts_once_and_stands_in_the_list(held, as_ana, ana):
    values = {"key": key_of(as_ana.get(address(held))), "verdict": "duplicate", "note": "same road"}

    first, second = as_ana.post(address(held), values), as_ana.post(address(held), values)

    label = Label.objects.get()
    assert (first.status_code, second.status_code) == (302, 302)
    assert (label.labeller, label.verdict, label.origin, label.note) == (
        ana,
        "duplicate",
        "held",
        "same road",
    )
    assert {label.pair.left_id, label.pair.right_id} == {held.left_id, held.right_id}
    assert (
        '<span class="badge duplicate">duplicate</span>'
        in as_ana.get(f"/decisions/{held.decision_id}/held/").text
    )
    assert "same road" in as_ana.get(address(held)).text


@pytest.mark.parametrize("values", [{}, {"verdict": "duplicate"}, {"key": "forged", "verdict": "distinct"}])
def test_an_answer_without_its_key_saves_nothing_and_says_so(held, as_ana, values):
    response = as_ana.post(address(held), values)

    assert response.status_code == 422
    assert "nothing was saved" in response.text
    assert not Label.objects.exists()


def test_a_key_of_somebody_else_or_of_another_pair_saves_nothing(held, as_ana, as_ben):
    other = held.decision.held_pairs.exclude(pk=held.pk).get()
    key = key_of(as_ben.get(address(held)))

    assert as_ana.post(address(held), {"key": key, "verdict": "distinct"}).status_code == 422
    assert as_ben.post(address(other), {"key": key, "verdict": "distinct"}).status_code == 422
    assert not Label.objects.exists()


def test_a_pair_of_another_decision_is_not_found(held, as_ana):
    other = rows.make_decision(held.decision.study)

    assert as_ana.get(reverse("labeling:held_pair", args=[other.pk, held.pk])).status_code == 404


@pytest.mark.parametrize("known", [True, False])
def test_the_decide_page_preselects_the_rule_that_numbers_must_match_where_it_holds_something(
    study, as_cleo, known
):
    study.recipes.update(histogram_rule={"numbers": [0] * 1001} if known else {})

    page = as_cleo.get(f"/studies/{study.pk}/decide/")

    assert page.context["form"].initial["rule"] == ("numbers" if known else "")
    assert ("Numbers must match</dt>" in page.text) == known
