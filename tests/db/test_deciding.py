import csv

import pytest

from dedup.exporting import ExportError
from labeling.models import Cluster, Decision, Job, Link, Member
from labeling.services import decisions, exports, label_files, outcomes, pair_rows
from labeling.services.corpora import create_corpus
from labeling.stages import deciding
from tests.db import rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(tmp_path, settings):
    settings.ARRAYS_DIR = tmp_path / "arrays"
    settings.EXPORTS_DIR = tmp_path / "exports"


@pytest.fixture
def study(corpus, tmp_path):
    documents = rows.planted() | {"void": {"text": "…"}, "copy": {"text": rows.article("p").upper()}}
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))
    return rows.study_of(corpus)


def judge(study, tmp_path, at, *lines):
    file = tmp_path / "answers.csv"
    file.write_text("\n".join(["left_id,right_id,verdict", *lines]) + "\n")
    assert label_files.import_labels(study=study, path=file, at=at).rejected == 0


def clusters(decision):
    """Ids of the documents of each cluster of two and more."""
    found = {}
    for cluster, document in decision.members.values_list("cluster", "document__external_id"):
        if cluster is not None:
            found.setdefault(cluster, []).append(document)
    return sorted(sorted(ids) for ids in found.values() if len(ids) > 1)


def test_documents_are_representatives_duplicates_or_without_content_and_nothing_else(study):
    decision = rows.decision_of(study)

    summary = decision.summary
    assert decision.state == "published"
    assert summary["documents"] == 20
    assert summary["documents"] == summary["representatives"] + summary["duplicates"] + summary["no_content"]
    assert summary["no_content"] == 1
    assert ["copy", "pa", "pb"] in clusters(decision)
    assert summary["clusters"] == len(clusters(decision))
    assert decision.members.count() == 20
    assert decision.members.filter(is_representative=True).count() == summary["representatives"]


@pytest.mark.parametrize("score", ["exact", "estimate", "hamming"])
def test_what_a_study_counts_for_each_threshold_is_what_a_decision_there_does(corpus, tmp_path, score):
    documents = rows.planted() | {"void": {"text": "…"}, "copy": {"text": rows.article("p").upper()}}
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))
    study = rows.study_of(corpus, simhash="tf")

    for recipe in study.recipes.filter(score=score):
        for threshold in (3, 9, 20) if score == "hamming" else (0.35, 0.6, 0.75, 0.9, 1.0):
            counted = outcomes.outcome_at(recipe, threshold, "")
            done = decisions.dry_run(study=study, recipe=recipe, threshold=threshold)
            assert (counted.clusters, counted.removed, counted.largest) == (
                done["clusters"], done["duplicates"], done["largest"]
            )  # fmt: skip


def test_a_decision_keeps_the_figures_it_was_taken_on(study, tmp_path, at):
    judge(study, tmp_path, at, "pa,pb,duplicate", "qa,qb,duplicate")

    decision = rows.decision_of(study, k=5, threshold=0.55)

    assert (decision.figures["k"], decision.figures["threshold"]) == (5, 0.55)
    assert decision.figures["precision"].keys() >= {"estimate", "low", "high"}
    assert decision.label_counts["duplicate"] == 2


def test_verdicts_join_and_separate_whatever_the_scores_say(study, tmp_path, at):
    judge(study, tmp_path, at, "pa,pb,distinct", "qlone,rlone,duplicate")

    decision = rows.decision_of(study)

    assert ["copy", "pa"] in clusters(decision)
    assert ["qlone", "rlone"] in clusters(decision)
    link = Link.objects.get(decision=decision, method="person")
    assert (link.verdict, link.similarity, link.exact_jaccard) == ("duplicate", None, 0.0)


def test_methods_say_how_each_document_came_to_its_representative(study, tmp_path, at):
    judge(study, tmp_path, at, "qlone,rlone,duplicate")

    decision = rows.decision_of(study)

    methods = {
        member.document.external_id: (member.method, member.similarity)
        for member in decision.members.select_related("document")
    }
    assert methods["copy"] == ("representative", 1.0)
    assert methods["pa"] == ("exact", 1.0)
    assert methods["pb"][0] == "minhash"
    assert 0.6 <= methods["pb"][1] < 1
    assert methods["rlone"] == ("person", 0.0)
    assert methods["slone"] == ("single", None)
    assert methods["void"] == ("no content", None)


def test_a_chain_shows_its_true_lowest_similarity(corpus, tmp_path):
    documents = {f"c{number}": {"text": rows.article("p", changed=4 * number)} for number in range(4)}
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))
    study = rows.study_of(corpus)

    decision = rows.decision_of(study, threshold=0.7)

    cluster = Cluster.objects.get(decision=decision, documents__gt=1)
    links = decision.links.count()
    assert cluster.texts > 2
    assert cluster.is_chain
    assert cluster.lowest_similarity < 0.7
    assert decision.summary["implied_pairs"] == cluster.texts * (cluster.texts - 1) // 2 - links > 0


def test_a_product_rule_keeps_offers_apart_that_share_every_word(db, tmp_path, at):
    shop = create_corpus(name="Shop", kind="products", owner_id=None, at=at)
    offers = {"a": "24.90", "b": "24.90", "c": "99.00"}
    documents = {
        key: {"text": rows.article("k", changed=number % 2), "price": price, "currency": "EUR"}
        for number, (key, price) in enumerate(offers.items())
    }
    rows.ingest(shop, rows.write_jsonl(tmp_path / "shop.jsonl", documents))
    study = rows.study_of(shop)

    free, ruled = rows.decision_of(study), rows.decision_of(study, rule="price")

    assert clusters(free) == [["a", "b", "c"]]
    assert clusters(ruled) == [["a", "b"]]
    assert ruled.summary["blocked_by_rule"] == 1
    assert Link.objects.get(decision=free, left__ordinal=0, right__ordinal=2).method == "exact"


def test_changes_are_counted_against_the_active_decision(study, tmp_path, at):
    first = rows.decision_of(study, threshold=0.95)
    recipe = pair_rows.find_recipe(study, k=3)

    outlook = decisions.dry_run(
        study=study, recipe=recipe, threshold=0.5, representative_order=("canonical", "first_seen", "trust")
    )
    second = rows.decision_of(study, threshold=0.5)
    back = rows.decision_of(study, threshold=0.95)

    assert first.summary["changes"]["new"] == first.summary["clusters"]
    assert outlook["changes"] == second.summary["changes"]
    assert second.summary["changes"]["new"] > 0
    assert second.summary["changes"]["split"] == 0
    assert back.summary["changes"]["split"] > 0
    assert back.summary["changes"]["merged"] == back.summary["changes"]["new"] == 0
    assert back.summary["changes"]["representative"] == second.summary["changes"]["representative"]
    assert Decision.objects.count() == 3


def test_a_run_that_died_half_way_is_begun_anew_and_published_whole(study, monkeypatch, tmp_path):
    whole = rows.decision_of(study)
    recipe = pair_rows.find_recipe(study, k=3)
    decision, job = decisions.decide(
        study=study, recipe=recipe, threshold=0.6, rule="", representative_order=["first_seen"], reason="",
        author_id=None, at=rows.AT,
    )  # fmt: skip
    with monkeypatch.context() as patch:
        write = deciding._write_batch

        def write_and_die(batch):
            write(batch)
            raise RuntimeError("power cut")

        patch.setattr(deciding, "_write_batch", write_and_die)
        assert rows.run(job).state == "failed"
    assert Member.objects.filter(decision=decision).exists()
    decision.refresh_from_db()
    assert decision.state == "pending"
    Job.objects.filter(pk=job.pk).update(state="queued")

    job = rows.run(job)

    assert job.state == "done", job.error
    decision.refresh_from_db()
    assert decision.state == "published"
    assert clusters(decision) == clusters(whole)
    assert decision.members.count() == whole.members.count()
    assert decision.links.count() == whole.links.count()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"threshold": 1.2}, "between 0 and 1"),
        ({"threshold": 0.60001}, "three digits"),
        ({"rule": "colour"}, "no product rule"),
        ({"representative_order": ["oldest"]}, "canonical"),
        ({"representative_order": ["trust", "trust"]}, "once"),
    ],
)
def test_what_does_not_fit_together_is_refused_before_anything_is_recorded(study, values, words):
    chosen = {
        "study": study, "recipe": pair_rows.find_recipe(study, k=3), "threshold": 0.6, "rule": "",
        "representative_order": ["trust"], "reason": "", "author_id": None, "at": rows.AT,
    }  # fmt: skip

    with pytest.raises(decisions.DecisionError, match=words):
        decisions.decide(**{**chosen, **values})

    assert not Decision.objects.exists()


@pytest.mark.parametrize("file_format", ["csv", "jsonl", "parquet", "xlsx"])
@pytest.mark.parametrize("what", ["assignments", "links", "labels", "changes"])
def test_every_table_is_written_in_every_format_and_counted(study, tmp_path, at, what, file_format):
    judge(study, tmp_path, at, "pa,pb,duplicate")
    decision = rows.decision_of(study)

    export = exports.write_export(decision=decision, what=what, format=file_format, at=at)

    expected = {
        "assignments": 20,
        "links": decision.links.count() + 1,
        "labels": 1,
        "changes": decision.clusters.count(),
    }[what]
    assert export.rows == expected
    assert (tmp_path / "exports" / export.file).stat().st_size == export.size


def test_assignments_name_every_document_once_in_the_order_of_code_points(study, tmp_path, at):
    decision = rows.decision_of(study)
    path = tmp_path / "assignments.csv"

    exports.write_export(decision=decision, what="assignments", format="csv", at=at, path=path)

    with path.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert list(read[0]) == [
        "document_id", "cluster_id", "is_representative", "representative_id", "representative_rule", "similarity",
        "method", "cluster_size", "decision", "recipe", "threshold", "source", "url",
        "canonical_url",
    ]  # fmt: skip
    ids = [row["document_id"] for row in read]
    assert ids == sorted(ids)
    assert len(set(ids)) == 20
    void = next(row for row in read if row["document_id"] == "void")
    assert (void["cluster_id"], void["method"]) == ("", "no content")


def test_links_name_every_copy_of_a_text_once(corpus, tmp_path, at):
    documents = {f"a{number}": {"text": "ten times the same words"} for number in range(10)}
    documents |= {
        "b0": {"text": "Größe, einmal"},
        "b1": {"text": "GRÖSSE – einmal"},
        "lone": {"text": "alone"},
    }
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))

    found = list(exports.links(rows.decision_of(rows.study_of(corpus))))

    assert {(row["method"], row["similarity"]) for row in found} == {("exact", 1.0)}
    assert [(row["left_id"], row["right_id"]) for row in found] == [
        *(("a0", f"a{number}") for number in range(1, 10)),
        ("b0", "b1"),
    ]


def test_a_report_counts_the_chains_and_says_what_they_are(corpus, tmp_path, at):
    words = [f"w{number}" for number in range(40)]
    texts = {f"c{start}": " ".join(words[start : start + 28]) for start in (0, 6, 12)}
    rows.ingest(
        corpus,
        rows.write_jsonl(tmp_path / "docs.jsonl", {name: {"text": text} for name, text in texts.items()}),
    )
    decision = rows.decision_of(rows.study_of(corpus))
    path = tmp_path / "report.html"

    exports.write_export(decision=decision, what="report", format="html", at=at, path=path)

    assert decision.summary["chains"] == 1
    assert "<td>1</td>" in path.read_text(encoding="utf-8").split("Chains</th>")[1][:12]


def test_a_report_escapes_whatever_people_wrote(study, tmp_path, at):
    decision = rows.decision_of(study)
    Decision.objects.update(reason="<script>alert(1)</script>")
    decision.refresh_from_db()
    path = tmp_path / "report.html"

    exports.write_export(decision=decision, what="report", format="html", at=at, path=path)

    page = path.read_text(encoding="utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "Recall in the pool" in page


@pytest.mark.parametrize(
    ("what", "file_format"), [("secrets", "csv"), ("assignments", "doc"), ("report", "csv")]
)
def test_exports_that_do_not_exist_are_refused_and_leave_no_file(study, tmp_path, at, what, file_format):
    decision = rows.decision_of(study)

    with pytest.raises(ExportError):
        exports.write_export(decision=decision, what=what, format=file_format, at=at, path=tmp_path / "out")

    assert not (tmp_path / "out").exists()
