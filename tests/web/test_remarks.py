"""Reasons, notes and flags that people add to their answers: facts beside the label, taken back by further facts."""

import pytest

from labeling.models import Label, Remark
from labeling.services import exports, label_files, remarks
from tests.web import rows
from tests.web.test_labelling_page import answer, get_page, shown


def remark(client, study, label, **fields):
    return client.post(f"/studies/{study.pk}/label/remark/", {"label": label.pk, **fields})


@pytest.fixture
def no_pool(monkeypatch):
    """Studies of these tests are rows alone, without the arrays that an import looks into for pairs of the pool."""
    monkeypatch.setattr(label_files, "open_scored_pool", lambda study: None)
    monkeypatch.setattr(label_files, "keep_known", lambda study, pool: None)


@pytest.fixture
def label(as_ana, study):
    answer(as_ana, study, shown(get_page(as_ana, study)), "duplicate", note="same story")
    return Label.objects.get()


def test_a_reason_is_given_once_however_often_it_is_pressed_and_taken_back_by_another_row(
    as_ana, study, label
):
    for _ in range(3):
        remark(as_ana, study, label, give="footer")
    given = remarks.remarks_on(label).reasons
    remark(as_ana, study, label, take="footer")

    assert given == ("footer",)
    assert remarks.remarks_on(label).reasons == ()
    assert list(Remark.objects.values_list("reason", "is_on")) == [("footer", True), ("footer", False)]


def test_the_page_shows_the_reasons_of_the_last_answer_as_pressed_buttons(as_ana, study, label):
    response = remark(as_ana, study, label, give="excerpt")
    page = as_ana.get(response.url).content.decode()

    assert 'name="take" value="excerpt" data-chip="3" aria-pressed="true"' in page
    assert 'name="give" value="footer" data-chip="1" aria-pressed="false"' in page


def test_a_remark_by_script_gives_only_the_part_about_the_last_answer(as_ana, study, label):
    response = as_ana.post(
        f"/studies/{study.pk}/label/remark/",
        {"label": label.pk, "give": "flag"},
        headers={"HX-Request": "true"},
    )

    html = response.content.decode()
    assert 'id="last-answer"' in html
    assert "Flagged" in html
    assert 'id="pair"' not in html


def test_a_note_can_be_changed_after_the_answer_and_the_first_one_stays_stored(as_ana, study, label):
    remark(as_ana, study, label, save_note="on", note="same story, another headline")

    label.refresh_from_db()
    assert remarks.remarks_on(label).note == "same story, another headline"
    assert label.note == "same story"


def test_a_flag_comes_with_the_answer(as_ana, study):
    answer(as_ana, study, shown(get_page(as_ana, study)), "unsure", flag="on")

    assert remarks.remarks_on(Label.objects.get()).is_flagged


def test_nobody_adds_to_the_answer_of_somebody_else(as_ben, study, label):
    response = remark(as_ben, study, label, give="footer")

    assert response.status_code == 404
    assert not Remark.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"give": "nonsense"},
        {"give": "footer", "take": "excerpt"},
        {"save_note": "on", "note": "x" * 2001},
    ],
)
def test_a_remark_that_makes_no_sense_changes_nothing_and_shows_the_pair_again(as_ana, study, label, fields):
    response = remark(as_ana, study, label, **fields)

    assert response.status_code == 422
    assert not Remark.objects.exists()
    assert "Nothing was added" in response.content.decode()


def test_any_of_the_latest_answers_can_be_changed_from_the_list_without_script(as_ana, study):
    for _ in range(3):
        answer(as_ana, study, shown(get_page(as_ana, study)), "duplicate")
    first = study.study_pairs.get(pair=Label.objects.order_by("id").first().pair)
    listed = get_page(as_ana, study).content.decode()

    page = get_page(as_ana, study, pair=first.pk)
    answer(as_ana, study, shown(page), "distinct")

    assert f"?pair={first.pk}" in listed.split('id="recent"')[1]
    assert "Your answer to this pair: <strong>duplicate</strong>" in page.content.decode()
    assert Label.objects.filter(pair=first.pair).order_by("-id").first().verdict == "distinct"


def test_the_pair_list_and_the_pair_show_what_was_added(as_ana, study, label):
    remark(as_ana, study, label, give="variant")
    pair = study.study_pairs.get(pair=label.pair)

    listed = as_ana.get(f"/studies/{study.pk}/pairs/").content.decode()
    page = as_ana.get(f"/studies/{study.pk}/pairs/{pair.pk}/").content.decode()

    assert "Other product variant" in listed
    assert "Other product variant" in page
    assert "same story" in page


def test_the_two_piles_count_the_reasons(as_ana, study, label):
    remark(as_ana, study, label, give="excerpt")
    recipe = study.recipes.filter(score="exact").first()

    page = as_ana.get(f"/studies/{study.pk}/evaluation/", {"at": "1.0", "recipe": recipe.pk})

    assert "Reasons given: excerpt 1 of 1." in page.content.decode()


def test_exported_reasons_and_flags_come_back_with_an_import(as_ana, study, label, tmp_path, no_pool):
    remark(as_ana, study, label, give="footer")
    remark(as_ana, study, label, give="extraction")
    remark(as_ana, study, label, give="flag")
    row = next(exports.labels(study.corpus))
    file = tmp_path / "labels.csv"
    file.write_text(
        "left_id,right_id,verdict,labeller,reasons,flagged\n"
        f"{row['left_id']},{row['right_id']},duplicate,Ben,{row['reasons']},{row['flagged']}\n",
        encoding="utf-8",
    )

    first = label_files.import_labels(study=study, path=file, at=rows.AT)
    again = label_files.import_labels(study=study, path=file, at=rows.AT)

    brought = remarks.remarks_on(Label.objects.get(labeller__username="Ben"))
    assert (row["reasons"], row["flagged"]) == ("footer;extraction", True)
    assert (first.accepted, again.accepted, again.unchanged) == (1, 0, 1)
    assert (brought.reasons, brought.is_flagged) == (("footer", "extraction"), True)


@pytest.mark.parametrize(("column", "value"), [("reasons", "footer;because"), ("flagged", "perhaps")])
def test_an_unknown_reason_or_flag_in_a_file_is_refused_with_its_line(study, label, tmp_path, column, value):
    row = next(exports.labels(study.corpus))
    file = tmp_path / "labels.csv"
    file.write_text(
        f"left_id,right_id,verdict,{column}\n{row['left_id']},{row['right_id']},distinct,{value}\n",
        encoding="utf-8",
    )

    imported = label_files.import_labels(study=study, path=file, at=rows.AT)

    assert imported.rejected == 1
    assert imported.problems[0]["line"] == 2
    assert value.split(";")[-1] in imported.problems[0]["reason"]
