"""The labelling page by its requests: what is stored is what was meant."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.sessions.models import Session

from labeling.models import Label, Skip
from labeling.services import labels
from tests.web import rows
from tests.web.conftest import client_of


def shown(response):
    """What the page's form would send."""
    html = response.content.decode()
    fields = dict(re.findall(r'<input type="hidden" name="(key|study_pair|swapped)" value="([^"]*)">', html))
    assert "key" in fields, html[:2000]
    return fields


def get_page(client, study, **query):
    return client.get(f"/studies/{study.pk}/label/", query)


def answer(client, study, fields, verdict, **more):
    return client.post(f"/studies/{study.pk}/label/answer/", {**fields, "verdict": verdict, **more})


def undo(client, study):
    return client.post(f"/studies/{study.pk}/label/undo/")


def current(study):
    return labels.current_verdicts(study)


def test_an_answer_is_stored_and_the_next_pair_shown(as_ana, study):
    first = shown(get_page(as_ana, study))

    response = answer(as_ana, study, first, "duplicate", note="same story")

    following = shown(as_ana.get(response.url))
    label = Label.objects.get()
    assert (label.verdict, label.note, label.score_visible) == ("duplicate", "same story", False)
    assert following["study_pair"] != first["study_pair"]


def test_a_double_press_counts_once_and_leaves_the_next_pair_alone(as_ana, study):
    first = shown(get_page(as_ana, study))

    for _ in range(3):
        answer(as_ana, study, first, "duplicate")

    progress = labels.progress(study, 0)
    assert Label.objects.count() == 1
    assert (progress.pairs_done, progress.labels) == (1, 1)


def test_two_tabs_with_different_answers_leave_one_current_answer_and_the_history(as_ana, study):
    pair = shown(get_page(as_ana, study))["study_pair"]
    tabs = [shown(get_page(as_ana, study, pair=pair)) for _ in range(2)]

    answer(as_ana, study, tabs[0], "duplicate")
    answer(as_ana, study, tabs[1], "distinct")

    assert list(Label.objects.order_by("id").values_list("verdict", flat=True)) == ["duplicate", "distinct"]
    assert list(current(study).values()) == ["distinct"]


def test_two_people_may_answer_the_same_pairs_alike(as_ana, as_ben, study):
    for study_pair in study.study_pairs.all():
        for client in (as_ana, as_ben):
            response = answer(client, study, shown(get_page(client, study, pair=study_pair.pk)), "duplicate")
            assert response.status_code == 302

    pairs = study.study_pairs.count()
    assert Label.objects.count() == 2 * pairs
    assert set(current(study).values()) == {"duplicate"}


def test_undo_returns_to_the_pair_and_the_history_keeps_both_steps(as_ana, study):
    first = shown(get_page(as_ana, study))
    second = shown(as_ana.get(answer(as_ana, study, first, "duplicate").url))
    answer(as_ana, study, second, "distinct")

    again = shown(as_ana.get(undo(as_ana, study).url))
    answer(as_ana, study, again, "duplicate")

    pair = study.study_pairs.get(pk=second["study_pair"]).pair_id
    steps = list(Label.objects.filter(pair=pair).order_by("id").values_list("verdict", flat=True))
    assert again["study_pair"] == second["study_pair"]
    assert steps == ["distinct", "withdrawn", "duplicate"]
    assert labels.progress(study, 0).pairs_done == 2


def test_undo_without_an_answer_says_so(as_ana, study):
    response = as_ana.post(f"/studies/{study.pk}/label/undo/", follow=True)

    assert "no answer of yours" in response.content.decode()


def test_a_skipped_pair_comes_back_after_the_others(as_ana, study):
    first = shown(get_page(as_ana, study))

    as_ana.post(f"/studies/{study.pk}/label/skip/", first)

    seen = []
    for _ in range(study.study_pairs.count()):
        fields = shown(get_page(as_ana, study))
        seen.append(fields["study_pair"])
        answer(as_ana, study, fields, "distinct")
    assert Skip.objects.count() == 1
    assert seen[-1] == first["study_pair"]


def test_progress_counts_pairs_and_states_labels_apart(study):
    people = [rows.make_person(name) for name in ("Ana", "Ben", "Cleo")]
    for person in people:
        client = client_of(person)
        for study_pair in study.study_pairs.all()[:4]:
            answer(client, study, shown(get_page(client, study, pair=study_pair.pk)), "duplicate")

    progress = labels.progress(study, people[0].pk)
    page = client_of(people[0]).get(f"/studies/{study.pk}/").content.decode()

    assert (progress.pairs_done, progress.pairs_total, progress.labels) == (4, 8, 12)
    assert "by 12 labels" in page
    assert '<progress value="4" max="8"' in page


def test_labels_survive_another_study_of_the_same_corpus(as_ana, study):
    for study_pair in study.study_pairs.all()[:4]:
        answer(as_ana, study, shown(get_page(as_ana, study, pair=study_pair.pk)), "duplicate")

    other = rows.make_study(study.corpus, name="Second study", ks=(5,), least=600)

    assert Label.objects.count() == 4
    assert len(current(other)) == 4


def test_an_answer_after_the_session_ended_is_not_saved_and_can_be_sent_again(as_ana, ana, study):
    fields = shown(get_page(as_ana, study))
    Session.objects.all().delete()

    refused = as_ana.post(
        f"/studies/{study.pk}/label/answer/",
        {**fields, "verdict": "duplicate"},
        headers={"HX-Request": "true"},
    )
    nothing = Label.objects.count()
    as_ana.force_login(ana)
    answer(as_ana, study, fields, "duplicate")

    assert refused.status_code == 401
    assert refused["HX-Retarget"] == "#status"
    assert "Not saved" in refused.content.decode()
    assert "<html" not in refused.content.decode()
    assert nothing == 0
    assert Label.objects.count() == 1


def test_without_script_the_answer_waits_behind_the_sign_in(as_ana, ana, study):
    fields = shown(get_page(as_ana, study))
    Session.objects.all().delete()

    refused = answer(as_ana, study, fields, "duplicate", note="same & same")
    address = re.search(r'href="(/sign-in/[^"]*)"', refused.content.decode()).group(1).replace("&amp;", "&")
    signed_in = as_ana.post(address, {"username": "Ana", "password": "Ana knows it well"}, follow=True)
    waiting = signed_in.content.decode()

    assert refused.status_code == 401
    assert "Save “duplicate”" in waiting
    assert 'value="same &amp; same"' in waiting
    assert Label.objects.count() == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"key": "forged"}, "nothing was saved"),
        ({"verdict": "withdrawn"}, "nothing was saved"),
        ({"verdict": "maybe"}, "nothing was saved"),
        ({"study_pair": "x"}, "nothing was saved"),
        ({"note": "x" * 2001}, "nothing was saved"),
    ],
)
def test_a_bad_answer_is_refused_with_a_sentence_and_the_pair_shown_again(as_ana, study, change, sentence):
    fields = shown(get_page(as_ana, study)) | {"verdict": "duplicate"}

    response = as_ana.post(f"/studies/{study.pk}/label/answer/", {**fields, **change})

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert Label.objects.count() == 0


def test_the_key_of_another_person_is_refused(as_ana, as_ben, study):
    fields = shown(get_page(as_ana, study))

    response = answer(as_ben, study, fields, "duplicate")

    assert response.status_code == 422
    assert Label.objects.count() == 0


def test_a_pair_of_another_study_is_not_found(as_ana, study):
    other = rows.make_study(rows.make_planted_corpus("Other"))

    response = get_page(as_ana, study, pair=other.study_pairs.first().pk)

    assert response.status_code == 404


def test_the_page_shows_neither_score_nor_bucket_nor_the_answers_of_others(as_ana, as_ben, study):
    pair = study.study_pairs.first()
    answer(as_ben, study, shown(get_page(as_ben, study, pair=pair.pk)), "distinct", note="Ben was here")

    page = get_page(as_ana, study, pair=pair.pk).content.decode()

    levels = {f"{level / 1000:.3f}" for level in pair.levels.values()}
    assert not any(level in page for level in levels)
    assert "Jaccard" not in page
    assert "Ben was here" not in page


def test_when_the_queue_is_done_the_page_says_what_it_bought(as_ana, study):
    for _ in range(study.study_pairs.count()):
        answer(as_ana, study, shown(get_page(as_ana, study)), "duplicate")

    page = get_page(as_ana, study).content.decode()

    assert "This queue is done" in page
    assert f"/studies/{study.pk}/evaluation/" in page


@pytest.mark.parametrize("mode", ["changes", "side", "inline"])
def test_each_mode_is_a_link_and_is_remembered(as_ana, study, mode):
    get_page(as_ana, study, mode=mode)

    page = get_page(as_ana, study).content.decode()

    assert f'class="difference mode-{mode}"' in page


def test_an_unknown_mode_is_ignored(as_ana, study):
    response = get_page(as_ana, study, mode="<script>")

    assert response.status_code == 200
    assert "neardup_mode" not in response.cookies


def test_a_partial_holds_only_the_pair_and_a_restored_page_is_whole(as_ana, study):
    address = f"/studies/{study.pk}/label/"

    partial = as_ana.get(address, headers={"HX-Request": "true"})
    restored = as_ana.get(address, headers={"HX-Request": "true", "HX-History-Restore-Request": "true"})

    assert "<html" not in partial.content.decode()
    assert 'id="pair"' in partial.content.decode()
    assert "no-store" in partial["Cache-Control"]
    assert "<html" in restored.content.decode()
    assert "HX-Request" in partial["Vary"]
    assert "HX-Request" in restored["Vary"]


def test_answering_by_htmx_leads_to_the_next_pair_as_a_partial(as_ana, study):
    first = shown(get_page(as_ana, study))

    response = as_ana.post(
        f"/studies/{study.pk}/label/answer/",
        {**first, "verdict": "unsure"},
        headers={"HX-Request": "true"},
        follow=True,
    )

    html = response.content.decode()
    assert "<html" not in html
    assert "Saved: unsure." in html
    assert 'hx-swap-oob="innerHTML"' in html


def test_one_page_takes_back_one_answer_however_often_its_undo_is_pressed(as_ana, study):
    for _ in range(2):
        answer(as_ana, study, shown(get_page(as_ana, study)), "duplicate")
    page = shown(get_page(as_ana, study))

    addresses = [as_ana.post(f"/studies/{study.pk}/label/undo/", page).url for _ in range(2)]

    assert addresses[0] == addresses[1]
    assert len(current(study)) == 1


def test_undo_leaves_an_answer_alone_that_a_file_has_replaced_since(as_ana, ana, study):
    answer(as_ana, study, shown(get_page(as_ana, study)), "duplicate")
    pair = Label.objects.get().pair
    Label.objects.create(
        pair=pair, labeller=ana, study=study, verdict="distinct", at=rows.AT, serving="file", origin="import"
    )

    response = as_ana.post(f"/studies/{study.pk}/label/undo/", follow=True)

    assert "no answer of yours" in response.content.decode()
    assert current(study) == {pair.pk: "distinct"}


@pytest.mark.parametrize("verdict", ["duplicate", "distinct"])
def test_an_old_page_never_says_saved_for_an_answer_that_it_does_not_save(as_ana, study, verdict):
    old = shown(get_page(as_ana, study))
    answer(as_ana, study, old, "duplicate")
    undo(as_ana, study)

    refused = answer(as_ana, study, old, verdict)
    answer(as_ana, study, shown(refused), verdict)

    assert refused.status_code == 422
    assert "nothing was saved now" in refused.content.decode()
    assert list(current(study).values()) == [verdict]


@pytest.mark.parametrize("step", ["answer", "skip"])
def test_an_answer_to_a_pair_that_has_left_the_study_is_refused_and_the_next_pair_shown(as_ana, study, step):
    fields = shown(get_page(as_ana, study))
    study.study_pairs.filter(pk=fields["study_pair"]).delete()

    response = as_ana.post(f"/studies/{study.pk}/label/{step}/", {**fields, "verdict": "duplicate"})

    assert response.status_code == 422
    assert "has left the study" in response.content.decode()
    assert shown(response)["study_pair"] != fields["study_pair"]
    assert Label.objects.count() == 0


@pytest.mark.parametrize("step", ["skip", "undo"])
def test_after_the_session_ended_the_page_itself_is_loaded_again(as_stranger, study, step):
    address = f"/studies/{study.pk}/label/{step}/"

    by_script = as_stranger.post(address, headers={"HX-Request": "true"})
    by_form = as_stranger.post(address, headers={"Referer": f"http://testserver/studies/{study.pk}/label/"})

    assert (by_script.status_code, by_script["HX-Refresh"]) == (401, "true")
    assert by_form.url == f"/sign-in/?next=/studies/{study.pk}/label/"


@pytest.mark.parametrize("referer", ["", "http://elsewhere.example/x", "//elsewhere.example"])
def test_a_form_from_elsewhere_leads_to_the_first_page_after_signing_in(as_stranger, study, referer):
    response = as_stranger.post(f"/studies/{study.pk}/label/undo/", headers={"Referer": referer})

    assert response.url == "/sign-in/?next=/"


def test_a_date_without_a_time_is_shown_without_one(as_ana, study):
    study_pair = study.study_pairs.first()
    study_pair.pair.left.documents.update(first_seen=datetime(2026, 3, 1, tzinfo=UTC))
    study_pair.pair.right.documents.update(first_seen=datetime(2026, 3, 1, 9, 30, tzinfo=UTC))

    page = as_ana.get(f"/studies/{study.pk}/label/", {"pair": study_pair.pk}).content.decode()

    assert "<bdi>2026-03-01</bdi>" in page
    assert "<bdi>2026-03-01 09:30</bdi>" in page
