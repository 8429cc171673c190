import pytest

from labeling.models import Document, Job, Problem, Text
from labeling.services import corpora, ingesting
from labeling.stages import ingesting as stage
from tests.db import rows

pytestmark = pytest.mark.django_db


def counts(job):
    names = ("read", "accepted", "updated", "unchanged", "rejected", "no_content", "exact_duplicates")
    return {name: job.report[name] for name in names if job.report[name]}


def stored(corpus):
    """Everything that an ingest decides, without ids that a database hands out."""
    documents = Document.objects.filter(corpus=corpus).order_by("external_id")
    fields = ("external_id", "text__ordinal", "own_body", "status", "title", "identifiers", "flags")
    texts = Text.objects.filter(corpus=corpus).order_by("ordinal").values_list("ordinal", "exact_key", "body")
    return list(documents.values_list(*fields)), list(texts)


def test_every_document_is_kept_and_equal_words_are_one_text(corpus, tmp_path):
    path = rows.write_jsonl(tmp_path / "docs.jsonl", {
        "a": {"text": "One two three."}, "b": {"text": "one TWO three"}, "c": {"text": "One two three."},
        "d": {"text": "another text"}, "void": {"text": "   "}, "dots": {"text": "…"},
    })  # fmt: skip

    job = rows.ingest(corpus, path)

    assert counts(job) == {"read": 6, "accepted": 6, "no_content": 2, "exact_duplicates": 2}
    assert [text.body for text in corpus.texts.order_by("ordinal")] == ["One two three.", "another text"]
    bodies = {row.external_id: (row.own_body, row.body, row.status) for row in corpus.documents.all()}
    assert bodies["b"] == ("one TWO three", "one TWO three", "ok")
    assert bodies["c"] == (None, "One two three.", "ok")
    assert (bodies["void"][2], bodies["dots"][2]) == ("no content", "no content")
    assert Document.objects.get(external_id="dots").status_reason == stage_reason("no word")


def stage_reason(words):
    from labeling.stages import storing

    return next(reason for reason in (storing.NO_WORD, storing.NO_TEXT) if words in reason)


def test_reading_the_same_file_again_changes_nothing(corpus, tmp_path):
    path = rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted())
    rows.ingest(corpus, path)
    before = stored(corpus)

    job = rows.ingest(corpus, path)

    assert counts(job) == {"read": 18, "unchanged": 18}
    assert stored(corpus) == before


def test_a_changed_document_points_to_its_new_text_and_the_old_text_stays(corpus, tmp_path):
    rows.ingest(
        corpus, rows.write_jsonl(tmp_path / "one.jsonl", {"a": {"text": "old words"}, "b": {"text": "x y"}})
    )
    path = rows.write_jsonl(tmp_path / "two.jsonl", {
        "a": {"text": "new words"}, "b": {"text": "x y", "title": "T"}, "c": {"text": "X y"},
    })  # fmt: skip

    job = rows.ingest(corpus, path)

    assert counts(job) == {"read": 3, "accepted": 1, "updated": 2, "exact_duplicates": 1}
    assert Document.objects.get(external_id="a").text.body == "new words"
    assert [text.body for text in corpus.texts.order_by("ordinal")] == ["old words", "x y", "new words"]
    assert corpus.next_ordinal == 3


def test_in_a_corpus_of_products_equal_words_with_other_facts_are_texts_of_their_own(db, tmp_path, at):
    shop = corpora.create_corpus(name="Shop", kind="products", owner_id=None, at=at)
    path = rows.write_jsonl(tmp_path / "docs.jsonl", {
        "red": {"text": "steel kettle", "price": "24.90", "currency": "EUR"},
        "blue": {"text": "steel kettle", "price": "29.90", "currency": "EUR"},
        "again": {"text": "Steel kettle", "price": "24.90", "currency": "EUR"},
    })  # fmt: skip

    rows.ingest(shop, path)

    assert sorted(shop.texts.values_list("product_key", flat=True)) == ["EUR2490", "EUR2990"]
    assert Document.objects.get(external_id="again").text == Document.objects.get(external_id="red").text


def test_bad_records_are_named_with_file_line_and_reason_and_the_good_ones_go_on(corpus, tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "text": "good words"}\nnonsense\n{"id": "b", "text": "more good words"}\n')

    job = rows.ingest(corpus, path)

    assert (job.state, counts(job)) == ("done", {"read": 3, "accepted": 2, "rejected": 1})
    problem = Problem.objects.get(is_rejection=True)
    assert (problem.file, problem.line) == ("docs.jsonl", 2)
    assert job.report["problems"][0]["count"] == 1


def test_a_file_that_cannot_be_read_fails_the_job_with_one_sentence(corpus, tmp_path):
    job = rows.ingest(corpus, tmp_path / "missing.jsonl")

    assert job.state == "failed"
    assert "missing.jsonl" in job.error
    assert "\n" not in job.error


def test_counts_of_problems_are_exact_and_stored_rows_are_bounded(corpus, tmp_path, monkeypatch):
    from labeling.stages import counting

    monkeypatch.setattr(counting, "ROWS_PER_REASON", 5)
    path = tmp_path / "docs.jsonl"
    path.write_text("nonsense\n" * 20 + '{"id": "a", "text": "good words"}\n')

    job = rows.ingest(corpus, path)

    assert job.report["rejected"] == 20
    assert Problem.objects.filter(job=job, is_rejection=True).count() == 5
    assert sum(group["count"] for group in job.report["problems"] if group["is_rejection"]) == 20


class StoppedError(Exception):
    """Stands for the power cut."""


@pytest.mark.parametrize("stopped_after", [0, 1, 2, 3])
def test_a_run_that_was_cut_off_goes_on_to_the_same_rows_and_the_same_report(
    corpus, tmp_path, monkeypatch, at, stopped_after
):
    documents = rows.planted() | {"again": {"text": rows.article("p")}}
    first = rows.write_jsonl(tmp_path / "one.jsonl", documents)
    first.write_text(first.read_text() + "nonsense\n" + '{"id": "pa", "text": "the id once more"}\n')
    second = rows.write_jsonl(
        tmp_path / "two.jsonl", {"pa": {"text": "and again"}, "z": {"text": "last words"}}
    )
    whole = corpora.create_corpus(name="Whole", owner_id=None, at=at)
    monkeypatch.setattr(stage, "BATCH_PAGES", 7)
    expected = rows.run(
        ingesting.enqueue_ingest(corpus=whole, paths=[first, second], options={}, by_id=None, at=at)
    )
    job = ingesting.enqueue_ingest(corpus=corpus, paths=[first, second], options={}, by_id=None, at=at)
    with monkeypatch.context() as patch:
        left = [stopped_after]
        store = stage.store_pages

        def store_some(*arguments):
            left[0] -= 1
            store(*arguments)
            if left[0] < 0:
                raise StoppedError

        patch.setattr(stage, "store_pages", store_some)
        job = rows.run(job)
        assert job.state == "failed"
    Job.objects.filter(pk=job.pk).update(state="queued")

    job = rows.run(job)

    assert job.state == "done"
    assert counts(job) == counts(expected)
    assert job.report["problems"] == expected.report["problems"]
    assert stored(corpus) == stored(whole)
    assert job.problems.count() == expected.problems.count()


def test_unknown_options_and_no_path_are_refused_before_a_job_is_made(corpus, tmp_path, at):
    for paths, options in ((["x"], {"colour": "red"}), ([], {})):
        with pytest.raises(ingesting.IngestError):
            ingesting.enqueue_ingest(corpus=corpus, paths=paths, options=options, by_id=None, at=at)

    assert not Job.objects.exists()
