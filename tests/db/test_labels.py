from datetime import timedelta

import pytest
from django.core import signing

from labeling.models import Label, Skip
from labeling.services import label_files, labels
from tests.db import rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(corpus, tmp_path, settings):
    settings.ARRAYS_DIR = tmp_path / "arrays"
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted()))
    return rows.study_of(corpus)


def answer(serving, person, verdict, at):
    return labels.record(
        serving_key=serving.key, study_pair=serving.study_pair, labeller_id=person.pk, verdict=verdict,
        swapped=serving.swapped, at=at,
    )  # fmt: skip


def serve_next(study, person, at):
    return labels.next_pair(study=study, labeller_id=person.pk, at=at)


def test_the_queue_is_served_in_its_order_until_every_pair_has_an_answer(study, ana, at):
    positions = []
    while (serving := serve_next(study, ana, at)) is not None:
        positions.append(serving.study_pair.position)
        answer(serving, ana, "duplicate", at)

    assert positions == list(range(study.study_pairs.count()))
    assert labels.progress(study, ana.pk).pairs_done == len(positions) > 3


def test_a_double_press_counts_once(study, ana, at):
    serving = serve_next(study, ana, at)

    first = answer(serving, ana, "duplicate", at)
    second = answer(serving, ana, "distinct", at + timedelta(seconds=1))

    assert second == first
    assert Label.objects.get().verdict == "duplicate"


def test_of_two_tabs_the_later_answer_counts_and_the_earlier_one_stays_as_history(study, ana, at):
    here = serve_next(study, ana, at)
    there = labels.serve(study_pair=here.study_pair, labeller_id=ana.pk)

    answer(here, ana, "duplicate", at)
    answer(there, ana, "distinct", at)

    assert labels.current_verdicts(study) == {here.study_pair.pair_id: "distinct"}
    assert Label.objects.count() == 2


def test_a_forged_or_foreign_key_is_refused_and_nothing_is_saved(study, ana, ben, at):
    serving = serve_next(study, ana, at)
    other = study.study_pairs.exclude(pk=serving.study_pair.pk).first()
    forged = signing.dumps([serving.study_pair.pk, ana.pk, serving.swapped, "nonce"], salt="another")
    attempts = [
        {"serving_key": forged},
        {"serving_key": "nonsense"},
        {"labeller_id": ben.pk},
        {"study_pair": other},
        {"swapped": not serving.swapped},
        {"verdict": "withdrawn"},
    ]
    values = {
        "serving_key": serving.key, "study_pair": serving.study_pair, "labeller_id": ana.pk, "verdict": "duplicate",
        "swapped": serving.swapped, "at": at,
    }  # fmt: skip

    for attempt in attempts:
        with pytest.raises(labels.LabelError):
            labels.record(**{**values, **attempt})

    assert not Label.objects.exists()
    labels.record(**values)


def test_a_skipped_pair_comes_back_after_the_others(study, ana, at):
    first = serve_next(study, ana, at)
    for _ in range(2):
        labels.skip(serving_key=first.key, study_pair=first.study_pair, labeller_id=ana.pk, at=at)
    served = []
    while (serving := serve_next(study, ana, at)) is not None:
        served.append(serving.study_pair)
        answer(serving, ana, "distinct", at)

    assert Skip.objects.count() == 1
    assert served[-1] == first.study_pair
    assert len(served) == study.study_pairs.count()


def test_a_second_labeller_gets_pairs_first_that_nobody_has_judged(study, ana, ben, at):
    first = serve_next(study, ana, at)
    answer(first, ana, "duplicate", at)

    for_ben = serve_next(study, ben, at)

    assert for_ben.study_pair.position == 1


def test_undo_takes_back_ones_own_last_answer_and_deletes_nothing(study, ana, ben, at):
    first = serve_next(study, ana, at)
    answer(first, ana, "duplicate", at)
    second = serve_next(study, ana, at)
    answer(second, ana, "duplicate", at)
    answer(labels.serve(study_pair=first.study_pair, labeller_id=ben.pk), ben, "duplicate", at)

    undone = [labels.undo_last(study=study, labeller_id=ana.pk, at=at) for _ in range(3)]

    assert undone == [second.study_pair, first.study_pair, None]
    assert Label.objects.count() == 5
    assert labels.current_verdicts(study) == {first.study_pair.pair_id: "duplicate"}
    assert serve_next(study, ana, at).study_pair in {first.study_pair, second.study_pair}


def test_people_who_disagree_make_a_pair_unsure(study, ana, ben, at):
    serving = serve_next(study, ana, at)
    answer(serving, ana, "duplicate", at)
    answer(labels.serve(study_pair=serving.study_pair, labeller_id=ben.pk), ben, "distinct", at)

    assert labels.current_verdicts(study) == {serving.study_pair.pair_id: "unsure"}


def test_progress_counts_pairs_and_labels_apart(study, ana, ben, at):
    serving = serve_next(study, ana, at)
    answer(serving, ana, "duplicate", at)
    answer(labels.serve(study_pair=serving.study_pair, labeller_id=ben.pk), ben, "duplicate", at)

    progress = labels.progress(study, ana.pk)

    assert (progress.pairs_done, progress.labels, progress.own_pairs) == (1, 2, 1)
    assert progress.pairs_total == study.study_pairs.filter(drawn=True).count()


def write_answers(path, lines):
    path.write_text("\n".join(["left_id,right_id,verdict,labeller,note,at", *lines]) + "\n", encoding="utf-8")
    return path


def test_answers_from_a_file_match_their_pairs_in_either_order_and_bad_rows_are_named_by_line(
    study, tmp_path, at
):
    rows.ingest(study.corpus, rows.write_jsonl(tmp_path / "more.jsonl", {
        "copy": {"text": rows.article("p")}, "void": {"text": "…"},
    }))  # fmt: skip
    file = write_answers(
        tmp_path / "answers.csv",
        [
            "pb,pa,duplicate,carla,seen,2026-03-01T08:00:00+01:00",
            "qa,qb,Distinct,,,",
            "qa,nowhere,duplicate,,,",
            "pa,copy,duplicate,,,",
            "pa,void,duplicate,,,",
            "ra,rb,maybe,,,",
            "ra,rb,duplicate,,,yesterday",
            "ra,,duplicate,,,",
        ],
    )

    first = label_files.import_labels(study=study, path=file, at=at)
    again = label_files.import_labels(study=study, path=file, at=at)

    assert (first.read, first.accepted, first.unchanged, first.rejected) == (8, 2, 0, 6)
    assert [problem["line"] for problem in first.problems] == [4, 5, 6, 7, 8, 9]
    assert (again.accepted, again.unchanged, again.rejected) == (0, 2, 6)
    label = Label.objects.get(labeller__username="carla")
    assert (label.note, label.at.isoformat(), label.origin) == ("seen", "2026-03-01T07:00:00+00:00", "import")
    assert not label.labeller.has_usable_password()


def test_answers_in_json_lines_are_read_and_lines_that_are_no_object_are_rejected(study, tmp_path, at):
    file = tmp_path / "answers.jsonl"
    file.write_text(
        '{"left_id": "pa", "right_id": "pb", "verdict": "unsure"}\n\nnothing\n[1]\n{"left_id": "pa"}\n'
    )

    imported = label_files.import_labels(study=study, path=file, at=at)

    assert (imported.read, imported.accepted, imported.rejected) == (4, 1, 3)


def test_a_file_that_cannot_be_read_or_lacks_a_column_is_refused_in_a_sentence(study, tmp_path, at):
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    headless = tmp_path / "headless.csv"
    headless.write_text("a,b\n1,2\n")

    for path, words in (
        (binary, "can't be read"),
        (headless, "no column"),
        (tmp_path / "none", "can't be read"),
    ):
        with pytest.raises(label_files.LabelFileError, match=words):
            label_files.import_labels(study=study, path=path, at=at)


def test_a_judged_pair_of_the_pool_that_was_not_drawn_becomes_known(corpus, tmp_path, settings, at):
    settings.ARRAYS_DIR = tmp_path / "arrays"
    documents = {f"d{number}": {"text": rows.article("p", changed=number)} for number in range(8)}
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))
    study = rows.study_of(corpus, ks=(3,), per_bucket=1)
    drawn = set(study.study_pairs.values_list("pair__left__ordinal", "pair__right__ordinal"))
    left, right = next((one, two) for one in range(8) for two in range(one + 1, 8) if (one, two) not in drawn)
    file = write_answers(tmp_path / "answers.csv", [f"d{right},d{left},duplicate,,,"])

    label_files.import_labels(study=study, path=file, at=at)

    known = study.study_pairs.get(drawn=False)
    assert (known.pair.left.ordinal, known.pair.right.ordinal) == (left, right)
    assert known.position == len(drawn)
    assert set(known.levels) == set(study.study_pairs.filter(drawn=True).first().levels)


def test_times_and_nestings_beyond_all_bounds_are_rejected_by_line(study, tmp_path, at):
    file = tmp_path / "answers.jsonl"
    ids = '"left_id": "pa", "right_id": "pb", "verdict": "duplicate"'
    times = ("9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59")
    lines = [*(f'{{{ids}, "at": "{time}"}}' for time in times), f'{{{ids}, "note": {"[" * 100_000}']
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    imported = label_files.import_labels(study=study, path=file, at=at)

    assert (imported.read, imported.accepted, imported.rejected) == (3, 0, 3)
    assert [problem["line"] for problem in imported.problems] == [1, 2, 3]
