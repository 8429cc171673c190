import numpy as np
import pytest

from dedup.shingling import jaccard, shingles
from dedup.text import words
from labeling.models import Label, Segment, StudyPair
from labeling.services import figures, label_files, pair_rows, pools, stored_files, studies
from labeling.services.corpora import create_corpus
from tests.db import rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def arrays(tmp_path, settings):
    settings.ARRAYS_DIR = tmp_path / "arrays"
    return settings.ARRAYS_DIR


@pytest.fixture
def filled(corpus, tmp_path):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted()))
    return corpus


def test_a_study_keeps_histograms_buckets_and_drawn_pairs_that_agree_with_its_pool(filled):
    study = rows.study_of(filled)

    assert study.state == "ready"
    pool = pools.open_pool(study)
    assert study.pool == len(pool) > 5
    for recipe in study.recipes.all():
        assert sum(recipe.histogram) == study.pool
        assert len(recipe.histogram) == recipe.scale + 1
    for recipe in study.recipes.filter(score="exact"):
        assert sum(stratum.population for stratum in recipe.strata.all()) == study.pool
    positions = sorted(study.study_pairs.values_list("position", flat=True))
    assert positions == list(range(len(positions)))


def test_the_scores_of_a_drawn_pair_are_the_exact_similarities_of_its_texts(filled):
    study = rows.study_of(filled)
    digests = {recipe.k: recipe.digest for recipe in study.recipes.filter(score="exact")}

    for row in study.study_pairs.select_related("pair__left", "pair__right"):
        for k, digest in digests.items():
            similarity = jaccard(*(shingles(words(side.body), k) for side in (row.pair.left, row.pair.right)))
            assert row.levels[f"{digest}:exact"] == int(1000 * similarity + 1e-9)


def test_permanent_random_numbers_survive_another_study_and_another_installation(filled, tmp_path, at):
    first = rows.study_of(filled, "first")
    second = rows.study_of(filled, "second", ks=(3, 7), bucket_width=0.2)
    other = create_corpus(name="News elsewhere", owner_id=None, at=at)
    other.salt = filled.salt
    other.save()
    rows.ingest(other, tmp_path / "docs.jsonl")
    third = rows.study_of(other, "third")

    def numbers(study):
        pairs = study.study_pairs.values_list("pair__left__body", "pair__right__body", "u")
        return {(left, right): u for left, right, u in pairs}

    shared = numbers(first).keys() & numbers(second).keys()
    assert shared
    assert all(numbers(first)[pair] == numbers(second)[pair] for pair in shared)
    assert numbers(first) == numbers(third)


def test_a_refresh_takes_in_new_documents_and_keeps_labels_pairs_and_places(filled, tmp_path, at):
    study = rows.study_of(filled)
    before = {row.pair_id: row.pk for row in study.study_pairs.all()}
    answers = tmp_path / "answers.csv"
    answers.write_text("left_id,right_id,verdict\npa,pb,duplicate\n")
    label_files.import_labels(study=study, path=answers, at=at)
    rows.ingest(
        filled, rows.write_jsonl(tmp_path / "more.jsonl", {"pc": {"text": rows.article("p", changed=2)}})
    )

    job = rows.run(studies.enqueue_study(study=study, by_id=None, at=at))

    study.refresh_from_db()
    after = {row.pair_id: row.pk for row in study.study_pairs.all()}
    assert job.state == "done", job.error
    assert study.texts == filled.next_ordinal
    assert before.items() <= after.items()
    assert len(after) > len(before)
    assert Label.objects.count() == 1
    assert figures.evaluate_study(study=study).labels.duplicate == 1


def test_a_second_run_without_news_changes_no_row(filled, at):
    study = rows.study_of(filled)

    def state():
        fields = ("pk", "pair", "u", "drawn", "position", "levels")
        return list(study.study_pairs.order_by("pk").values(*fields)), list(
            study.recipes.order_by("pk").values("pk", "histogram")
        )

    before = state()
    rows.run(studies.enqueue_study(study=study, by_id=None, at=at))

    assert state() == before
    assert stored_files.verify_files().problems == ()


def test_pairs_of_a_text_that_no_document_has_any_more_leave_the_pool(filled, tmp_path, at):
    study = rows.study_of(filled)
    rows.ingest(
        filled, rows.write_jsonl(tmp_path / "changed.jsonl", {"pa": {"text": "something else altogether"}})
    )

    pool = pools.open_pool(study)
    rows.run(studies.enqueue_study(study=study, by_id=None, at=at))

    study.refresh_from_db()
    assert not np.isin(pool.left, [0]).any()
    assert study.pool == len(pools.open_pool(study))
    assert not StudyPair.objects.filter(study=study, pair__left__ordinal=0).exists()


def test_product_rules_are_known_for_each_drawn_pair_where_the_corpus_has_facts(db, tmp_path, at):
    shop = create_corpus(name="Shop", kind="products", owner_id=None, at=at)
    rows.ingest(shop, rows.write_jsonl(tmp_path / "shop.jsonl", {
        "a": {"text": rows.article("k"), "price": "24.90", "currency": "EUR"},
        "b": {"text": rows.article("k", changed=1), "price": "24.90", "currency": "EUR"},
        "c": {"text": rows.article("k", changed=2), "price": "99.00", "currency": "EUR"},
    }))  # fmt: skip

    study = rows.study_of(shop)

    passes = {
        (row.pair.left.ordinal, row.pair.right.ordinal): row.passes_rule["price"]
        for row in study.study_pairs.select_related("pair__left", "pair__right")
    }
    assert passes == {(0, 1): True, (0, 2): False, (1, 2): False}
    exact = study.recipes.get(k=3, score="exact")
    assert sum(exact.histogram_rule["price"]) == 1


def test_a_study_of_nothing_is_ready_and_has_no_figures(corpus):
    study = rows.study_of(corpus)

    evaluation = figures.evaluate_study(study=study)

    assert (study.pool, study.study_pairs.count()) == (0, 0)
    assert all(figure.precision.estimate is None for figure in evaluation.figures)


def test_damaged_and_missing_files_are_named_in_sentences(filled, arrays):
    rows.study_of(filled)
    damaged, missing = Segment.objects.filter(path__endswith=".npy").order_by("path")[:2]
    with (arrays / damaged.path).open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x55\x55")
    (arrays / missing.path).unlink()

    verified = stored_files.verify_files()

    assert len(verified.problems) == 2
    assert "damaged" in verified.problems[0]
    assert "missing" in verified.problems[1]


def test_the_rows_of_the_pool_give_the_figures_inclusion_probabilities_after_labels(filled, tmp_path, at):
    study = rows.study_of(filled)
    unlabelled = list(pair_rows.pool_rows(study))
    answers = tmp_path / "answers.csv"
    lines = [f"{row['left_id']},{row['right_id']},duplicate" for row in unlabelled]
    answers.write_text("\n".join(["left_id,right_id,verdict", *lines]) + "\n")

    label_files.import_labels(study=study, path=answers, at=at)

    labelled = list(pair_rows.pool_rows(study))
    assert {row["inclusion_probability"] for row in unlabelled} == {0.0}
    assert {row["inclusion_probability"] for row in labelled} == {1.0}
    assert {row["verdict"] for row in labelled} == {"duplicate"}


def test_an_unknown_recipe_is_refused_with_the_known_ones(filled):
    study = rows.study_of(filled)

    with pytest.raises(pair_rows.RecipeUnknownError, match="k = 3"):
        pair_rows.find_recipe(study, k=9)


def test_known_duplicates_outside_the_pool_lower_the_recall_of_everything_and_are_named(corpus, tmp_path, at):
    reworded = {
        f"{side}{number}": {"text": f"{side}{number}x {side}{number}y {side}{number}z"}
        for side in "mn"
        for number in range(4)
    }
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted() | reworded))
    study = rows.study_of(corpus, per_bucket=200)
    topics = [(f"{topic}a", f"{topic}b") for topic in "pqrs"]
    pairs = [*topics, *((f"m{number}", f"n{number}") for number in range(4))]
    file = tmp_path / "answers.csv"
    file.write_text(
        "".join(["left_id,right_id,verdict\n", *(f"{left},{right},duplicate\n" for left, right in pairs)])
    )

    assert label_files.import_labels(study=study, path=file, at=at).accepted == 8
    found = figures.evaluate_study(study=study, score="exact", thresholds=[0.3])

    for figure in found.figures:
        assert figure.recall_all.low <= figure.recall_all.estimate <= figure.recall_all.high
        assert figure.recall_all.estimate < figure.recall.estimate
        assert figure.recall_all.high < 1.0
        assert "4 known duplicate pairs were not surfaced" in figure.warnings[-1]
    assert "among surfaced pairs" in found.warnings[-1]
