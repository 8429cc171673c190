"""Checking and inserting: what is told, what is stored, and that nothing is lost between two crawlers or by a crash."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from labeling.models import Document, Job, Text
from labeling.services import corpora
from labeling.services.stored_files import verify_files
from labeling.stages import indexing
from labeling.stages.checking import check_and_insert, check_text, check_texts
from labeling.stages.indexing import IndexNotReadyError, enqueue_index
from tests.db import rows
from tests.environment import own_address
from tests.ingested import CASES

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folders(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    settings.ARRAYS_DIR = settings.DATA_DIR / "arrays"


@pytest.fixture
def corpus(db):
    return corpora.create_corpus(name="News", owner_id=None, at=rows.AT)


def insert(corpus, **texts):
    return check_and_insert(corpus, [{"id": name, "text": text} for name, text in texts.items()])


def told(answer):
    return answer["layer"], [match["id"] for match in answer["matches"]]


def test_an_empty_corpus_needs_no_study_before_it_can_be_asked(corpus):
    assert told(check_text(corpus, "anything")) == ("none", [])

    [first] = insert(corpus, one=rows.article("p"))

    assert (first["status"], *told(first)) == ("inserted", "none", [])
    assert told(check_text(corpus, rows.article("p").upper())) == ("exact", ["one"])


def test_each_layer_answers_and_says_how_similar_the_text_is(corpus):
    long = " ".join(rows.article(topic) for topic in "pqrstuvw")
    insert(corpus, long=long, short=rows.article("p", changed=4))

    exact, near, alike, unknown = check_texts(
        corpus,
        [long, long.replace("wmill", "wmills"), rows.article("p", changed=6), rows.article("x")],
    )

    assert told(exact) == ("exact", ["long"])
    assert told(near) == ("simhash", ["long"])
    assert near["matches"][0]["similarity"] >= 1 - 3 / 64
    assert 0.9 < near["matches"][0]["exact_jaccard"] < 1
    assert told(alike) == ("minhash", ["short"])
    assert alike["matches"][0]["similarity"] == alike["matches"][0]["exact_jaccard"]
    assert told(unknown) == ("none", [])


def test_inserting_an_id_again_changes_nothing_and_a_document_is_no_match_of_itself(corpus):
    insert(corpus, one=rows.article("p"))
    insert(corpus, two=rows.article("p", changed=4))

    [again] = insert(corpus, one=rows.article("p"))

    assert (again["status"], *told(again)) == ("unchanged", "minhash", ["two"])
    assert (Document.objects.count(), Text.objects.count()) == (2, 2)


def test_an_id_with_another_text_is_updated_and_its_old_text_is_no_match_any_more(corpus):
    insert(corpus, one=rows.article("p"))

    [changed] = insert(corpus, one=rows.article("p", changed=4))

    assert (changed["status"], *told(changed)) == ("updated", "none", [])
    assert told(check_text(corpus, rows.article("p"))) == ("minhash", ["one"])


def test_documents_of_a_batch_meet_those_before_them(corpus):
    answers = insert(
        corpus, one=rows.article("p"), two=rows.article("p"), three=rows.article("p", changed=4), void="…"
    )

    assert [told(answer) for answer in answers] == [
        ("none", []),
        ("exact", ["one"]),
        ("minhash", ["one", "two"]),
        ("none", []),
    ]
    assert [answer["words"] > 0 for answer in answers] == [True, True, True, False]


def test_a_document_without_an_id_or_with_one_that_came_before_is_rejected_with_a_sentence(corpus):
    answers = check_and_insert(
        corpus,
        [
            {"text": "no id"},
            {"id": "a", "text": "one"},
            {"id": "a", "text": "two"},
            {"id": "b" * 501, "text": "x"},
        ],
    )

    assert [answer["status"] for answer in answers] == ["rejected", "inserted", "rejected", "rejected"]
    assert (
        answers[0]["reason"] == "Document 1: there is no id; an insertion needs one, so that it counts once."
    )
    assert "duplicate id" in answers[2]["reason"]
    assert "longer than 500" in answers[3]["reason"]
    assert list(Document.objects.values_list("external_id", flat=True)) == ["a"]


def test_the_fields_of_an_inserted_document_are_read_by_the_rules_of_the_ingest(corpus):
    check_and_insert(
        corpus,
        [
            {
                "id": "p1",
                "text": "A kettle.\0",
                "url": "https://shop.example/kettle",
                "canonical_url": "/k",
                "first_seen": "2026-03-02T10:00:00+01:00",
                "price": "24,90 €",
                "gtin": "4006381333931",
            }
        ],
    )

    document = Document.objects.get()

    assert document.body == "A kettle."
    assert (document.source, document.canonical_url) == ("shop.example", "https://shop.example/k")
    assert document.first_seen.isoformat() == "2026-03-02T09:00:00+00:00"
    assert (document.price_minor, document.currency) == (2490, "EUR")
    assert document.identifiers == ["gtin:04006381333931"]


def test_inserted_texts_wait_for_the_next_study_and_then_belong_to_it(corpus, tmp_path):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted()))
    study = rows.study_of(corpus)
    insert(corpus, late=rows.article("p", changed=2))
    corpus.refresh_from_db()
    waiting = corpus.next_ordinal - study.texts

    study = rows.study_of(corpus, "later")

    assert waiting == 1
    assert study.texts == corpus.next_ordinal
    assert study.study_pairs.filter(pair__right__documents__external_id="late").exists()


def test_matches_carry_the_cluster_and_the_representative_of_the_active_decision(corpus, tmp_path):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted()))
    rows.decision_of(rows.study_of(corpus), threshold=0.5)

    answer = check_text(corpus, rows.article("p"))

    assert answer["threshold"] == 0.5
    assert {(match["id"], match["representative_id"]) for match in answer["matches"]} == {("pa", "pa")}
    assert answer["matches"][0]["cluster_id"] is not None


def test_equal_offers_of_other_prices_are_told_apart_and_both_are_kept():
    corpus = corpora.create_corpus(name="Shop", kind="products", owner_id=None, at=rows.AT)
    offer = {"text": rows.article("p"), "currency": "EUR"}

    answers = check_and_insert(
        corpus, [{"id": "a", "price": "10.00", **offer}, {"id": "b", "price": "12.00", **offer}]
    )

    assert told(answers[1]) == ("exact", ["a"])
    assert Text.objects.count() == 2


def test_a_large_corpus_is_first_indexed_by_a_job_that_is_asked_for_once(corpus, monkeypatch):
    insert(corpus, **{f"d{number}": rows.article(f"n{number}x") for number in range(6)})
    monkeypatch.setattr(indexing, "MOST_IN_MEMORY", 3)
    indexing._open.clear()

    with pytest.raises(IndexNotReadyError, match="is being made by job") as first:
        check_text(corpus, "anything")
    with pytest.raises(IndexNotReadyError) as second:
        insert(corpus, late="more")
    job = rows.run(first.value.job)

    assert second.value.job == first.value.job
    assert (job.state, job.report["texts"]) == ("done", 6)
    assert told(check_text(corpus, rows.article("n4x"))) == ("exact", ["d4"])
    assert told(check_text(corpus, rows.article("n4x", changed=4))) == ("minhash", ["d4"])
    assert verify_files().problems == ()


def test_newer_texts_are_stored_in_the_background_now_and_then(corpus, monkeypatch):
    monkeypatch.setattr(indexing, "STORE_EVERY", 4)
    insert(corpus, **{f"d{number}": rows.article(f"n{number}x") for number in range(3)})
    assert not Job.objects.exists()

    insert(corpus, **{f"e{number}": rows.article(f"m{number}x") for number in range(3)})
    check_text(corpus, "anything")
    check_text(corpus, "anything")
    [job] = Job.objects.all()
    rows.run(job)
    insert(corpus, last=rows.article("last"))

    with indexing.opened_index(corpus, indexing.index_spec(corpus)) as index:
        assert (index.stored, index.stop) == (6, 7)
    assert Job.objects.count() == 1


def test_another_k_makes_another_index_and_the_files_of_the_old_one_go(corpus, tmp_path):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted()))
    rows.run(enqueue_index(corpus))
    rows.decision_of(rows.study_of(corpus), k=5, threshold=0.5)

    report = rows.run(enqueue_index(corpus)).report

    assert "|k:5|" in report["recipe"]
    assert told(check_text(corpus, rows.article("p", changed=3)))[0] == "minhash"
    assert verify_files().problems == ()
    assert len(list((tmp_path / "data" / "arrays").rglob("tables.json"))) == 1


def test_after_a_restart_new_documents_still_match_old_ones(corpus):
    one, two = (CASES / "nd60-index-survives-restart" / f"batch{number}.jsonl" for number in (1, 2))
    check_and_insert(corpus, [json.loads(line) for line in one.read_text().splitlines()])
    rows.run(enqueue_index(corpus))
    indexing._open.clear()

    answers = check_and_insert(corpus, [json.loads(line) for line in two.read_text().splitlines()])

    assert {answer["id"]: told(answer)[1] for answer in answers}["new1"] == ["old1"]


def test_an_index_of_another_recipe_is_made_anew_and_identical_texts_stay_identical(corpus, monkeypatch):
    one, two = (CASES / "nd50-library-upgrade" / f"part{number}.jsonl" for number in (1, 2))
    check_and_insert(corpus, [json.loads(line) for line in one.read_text().splitlines()])
    rows.run(enqueue_index(corpus))
    monkeypatch.setattr("dedup.specs.NORMALISER_VERSIONS", {"unicode": 2, "lesson": 2})
    indexing._open.clear()

    answers = check_and_insert(corpus, [json.loads(line) for line in two.read_text().splitlines()])

    found = {answer["id"]: answer for answer in answers}["y1"]
    assert "norm:unicode.2" in found["recipe"]
    assert [(match["id"], match["exact_jaccard"]) for match in found["matches"]] == [("x1", 1.0)]


# What follows runs in processes of their own, on a database of their own.


def environment(folder, **more):
    return {
        **os.environ,
        "DATABASE_URL": own_address(folder),
        "NEARDUP_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "neardup_site.settings",
        **more,
    }


def manage(folder, *arguments, **more):
    command = [sys.executable, "manage.py", *map(str, arguments), "--json"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(folder, **more), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def crawler(folder, name, topics, size):
    command = [sys.executable, "-m", "tests.db.inserting_at_once", name, str(topics), str(size)]
    return subprocess.Popen(command, cwd=ROOT, env=environment(folder), stdout=subprocess.PIPE, text=True)


def test_two_crawlers_that_insert_at_once_lose_nothing_and_one_of_them_hears_of_the_other(tmp_path):
    manage(tmp_path, "check", "News", "--text", "begin", "--insert", "--id", "begin", "--make")

    crawlers = [crawler(tmp_path, name, 60, 4) for name in ("ana", "ben")]
    answers = [json.loads(line) for one in crawlers for line in one.communicate(timeout=120)[0].splitlines()]

    assert [one.returncode for one in crawlers] == [0, 0]
    assert {answer["status"] for answer in answers} == {"inserted"}
    for topic in range(60):
        heard = [answer["matches"] for answer in answers if answer["id"] in {f"ana{topic}", f"ben{topic}"}]
        assert sorted(heard, key=len) in ([[], [f"ana{topic}"]], [[], [f"ben{topic}"]])
    stored = manage(tmp_path, "documents", "News")
    assert len(stored) == 121
    assert len({document["exact_key"] for document in stored}) == 121


def test_a_crawler_that_is_killed_loses_nothing_that_it_was_told_is_inserted(tmp_path):
    manage(tmp_path, "check", "News", "--text", "begin", "--insert", "--id", "begin", "--make")
    victim = crawler(tmp_path, "ana", 400, 2)
    told_of = [json.loads(victim.stdout.readline())["id"] for _ in range(40)]
    victim.send_signal(signal.SIGKILL)
    told_of += [json.loads(line)["id"] for line in victim.communicate()[0].splitlines() if line.endswith("}")]

    stored = {document["id"] for document in manage(tmp_path, "documents", "News")}
    [found] = manage(tmp_path, "check", "News", "--text", f"{rows.article('t39x')} otherwise")

    assert set(told_of) <= stored
    assert len(stored) % 2 == 1, "half a batch was stored"
    assert [match["id"] for match in found["matches"]] == ["ana39"]


def test_the_seed_of_pythons_hashes_changes_no_answer(tmp_path):
    case = CASES / "nd45-hash-seed" / "docs.jsonl"
    printed = []
    for seed in ("0", "1", "random"):
        folder = tmp_path / seed
        folder.mkdir()
        manage(folder, "check", "News", "--text", "begin", "--insert", "--id", "begin", "--make")
        printed.append(manage(folder, "check", "News", "--documents", case, "--insert", PYTHONHASHSEED=seed))

    assert printed[0] == printed[1] == printed[2]
    assert any(answer["matches"] for answer in printed[0])
