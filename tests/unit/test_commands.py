"""Each command, with its JSON, its exit status, and its sentence when something is wrong."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from labeling.models import Corpus
from tests.db import rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    settings.ARRAYS_DIR = settings.DATA_DIR / "arrays"
    settings.UPLOADS_DIR = settings.DATA_DIR / "uploads"
    settings.EXPORTS_DIR = settings.DATA_DIR / "exports"


def run(*arguments, status=0):
    """Run a command in this process; returns what it printed on standard output and on standard error."""
    out, err = StringIO(), StringIO()
    found = 0
    try:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    except SystemExit as exit_:
        found = exit_.code
    assert found == status, (found, err.getvalue())
    return out.getvalue(), err.getvalue()


def answer(*arguments, status=0):
    out, _ = run(*arguments, "--json", status=status)
    assert len(out.splitlines()) == 1
    return json.loads(out)


def lines(*arguments):
    return [json.loads(line) for line in run(*arguments)[0].splitlines()]


@pytest.fixture
def documents(tmp_path):
    return rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted() | {"void": {"text": "…"}})


@pytest.fixture
def studied(documents):
    answer("ingest", documents, "--corpus", "News")
    return answer("study", "News", "--name", "first", "--k", "3", "--k", "5")


@pytest.fixture
def labelled(studied, tmp_path):
    file = tmp_path / "answers.csv"
    answers = [
        f"{pair['left_id']},{pair['right_id']},{'duplicate' if pair['left_id'][0] == pair['right_id'][0] else 'distinct'}"
        for pair in lines("queue", "first")
    ]
    file.write_text("\n".join(["left_id,right_id,verdict", *answers]) + "\n")
    return answer("labels", "import", "first", file)


def test_ingest_reports_what_became_of_every_record(documents):
    first = answer("ingest", documents, "--corpus", "News")
    again = answer("ingest", documents, "--corpus", "News")

    assert {name: first[name] for name in ("corpus", "read", "accepted", "rejected", "no_content")} == {
        "corpus": "News", "read": 19, "accepted": 19, "rejected": 0, "no_content": 1,
    }  # fmt: skip
    assert (again["accepted"], again["unchanged"]) == (0, 19)


def test_ingest_ends_with_status_1_where_something_was_rejected_and_2_where_nothing_can_be_read(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "text": "good words"}\nnonsense\n')

    report = answer("ingest", bad, "--corpus", "News", status=1)
    _, missing = run("ingest", tmp_path / "missing.jsonl", "--corpus", "News", "--json", status=2)

    problem = report["problems"][0]
    assert problem.keys() >= {"file", "line", "field", "reason", "count", "examples"}
    assert (problem["file"], problem["line"], problem["count"]) == ("bad.jsonl", 2, 1)
    assert len(missing.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--map", "text"),
        ("--source-trust", "alpha"),
        ("--source-trust", "alpha=best"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_sentence(documents, arguments):
    out, err = run("ingest", documents, "--corpus", "News", *arguments, status=2)

    assert out == ""
    assert len(err.strip().splitlines()) == 1


def test_the_kind_of_a_corpus_that_exists_cannot_be_changed(documents):
    run("ingest", documents, "--corpus", "News")

    _, err = run("ingest", documents, "--corpus", "News", "--kind", "products", status=2)

    assert "can't be changed" in err


def test_documents_come_in_the_order_of_their_ids_with_what_was_stored(studied):
    everything = lines("documents", "News")
    some = lines("documents", "News", "--ids", "pa", "void", "nobody")

    assert [row["id"] for row in everything] == sorted(row["id"] for row in everything)
    assert len(everything) == 19
    assert [(row["id"], row["status"], row["exact_key"] is None) for row in some] == [
        ("pa", "ok", False),
        ("void", "no content", True),
    ]
    assert some[0]["text"] == rows.article("p")


def test_a_study_says_what_it_collected_and_can_be_run_again_but_not_with_other_settings(studied):
    again = answer("study", "News", "--name", "first")
    _, err = run("study", "News", "--name", "first", "--k", "9", status=2)

    assert studied["study"] == "first"
    assert {recipe["k"] for recipe in studied["recipes"]} == {3, 5}
    assert studied["buckets"][0].keys() >= {"recipe", "low", "high", "population", "sampled"}
    for name in ("pool", "buckets", "recipes", "pairs", "id"):
        assert again[name] == studied[name]
    assert "another --name" in err


def test_an_estimate_makes_no_study(documents):
    run("ingest", documents, "--corpus", "News")

    prediction = answer("study", "News", "--estimate-only")

    assert prediction["fits"]
    _, err = run("queue", "Study", status=2)
    assert "no study" in err


def test_who_names_a_corpus_where_a_study_is_asked_for_is_told_its_studies(labelled):
    _, err = run("evaluate", "News", status=2)

    assert "no study" in err
    assert "“first” (id" in err


def test_the_queue_shows_texts_and_no_scores_and_shrinks_with_the_labels(labelled):
    rest = lines("queue", "first")
    everything = lines("queue", "first", "--all")

    assert rest == []
    assert everything[0].keys() == {"pair", "left_id", "right_id", "left_text", "right_text"}
    assert len(everything) == labelled["accepted"]
    assert len(lines("queue", "first", "--all", "--limit", "2")) == 2


def test_pairs_show_every_score_and_can_be_narrowed(labelled):
    everything = lines("pairs", "first")
    narrow = lines("pairs", "first", "--min", "0.5", "--max", "0.9")

    assert everything[0].keys() == {
        "left_id", "right_id", "scores", "hamming", "u", "inclusion_probability", "verdict",
    }  # fmt: skip
    assert {
        scores.keys() >= {"estimate", "exact"} for row in everything for scores in row["scores"].values()
    } == {True}
    first_recipe = next(iter(everything[0]["scores"]))
    assert [row for row in everything if 0.5 <= row["scores"][first_recipe]["exact"] <= 0.9] == narrow


def test_labels_go_round_from_import_to_export_and_back(labelled, tmp_path):
    out = tmp_path / "labels.csv"

    written = answer("labels", "export", "News", "--out", out)
    printed = answer("labels", "export", "News")
    back = answer("labels", "import", "first", out)
    text, _ = run("labels", "import", "first", out)

    assert written["rows"] == len(printed["labels"]) == labelled["accepted"]
    assert (back["unchanged"], back["accepted"]) == (labelled["accepted"], 0)
    assert "unchanged" in text


def test_figures_have_intervals_counts_and_strict_json(labelled):
    values = answer(
        "evaluate", "first", "--score", "exact", "--thresholds", "0.5", "0.6", "--thresholds", "0.7"
    )
    text, _ = run("evaluate", "first", "--score", "estimate")

    assert values["labels"].keys() == {"duplicate", "distinct", "unsure", "sampled", "known"}
    assert {(figure["k"], figure["threshold"]) for figure in values["figures"]} == {
        (k, threshold) for k in (3, 5) for threshold in (0.5, 0.6, 0.7)
    }
    assert values["figures"][0]["precision"].keys() == {"estimate", "low", "high"}
    assert values["recommended"]["best_f1"].keys() >= {"recipe", "score", "threshold", "k"}
    assert "precision" in text


def test_figures_without_labels_are_null_and_never_nan(studied):
    values = answer("evaluate", "first")

    assert values["labels"]["sampled"] == 0
    assert {figure["recall"]["estimate"] for figure in values["figures"]} == {None}


def test_a_decision_can_be_tried_taken_and_exported(labelled, tmp_path):
    outlook = answer("decide", "first", "--k", "3", "--threshold", "0.6", "--dry-run")
    taken = answer("decide", "first", "--k", "3", "--threshold", "0.6", "--reason", "because")
    recipe = labelled and taken["recipe"]
    again = answer("decide", "first", "--recipe", recipe, "--threshold", "0.7", "--representative", "trust")
    written = answer(
        "export",
        taken["decision"],
        "--what",
        "assignments",
        "--out",
        tmp_path / "a.jsonl",
        "--format",
        "jsonl",
    )

    for name in (
        "clusters",
        "documents",
        "duplicates",
        "largest",
        "implied_pairs",
        "blocked_by_rule",
        "changes",
    ):
        assert outlook[name] == taken[name]
    assert outlook["decision"] is None
    assert again["number"] == taken["number"] + 1
    assert written["rows"] == taken["documents"] == 19
    assert written["sha256"]


def test_what_cannot_be_done_is_said_in_one_sentence_with_status_2(studied):
    attempts = [
        ("decide", "first", "--threshold", "0.6"),
        ("decide", "first", "--k", "9", "--threshold", "0.6"),
        ("decide", "first", "--k", "3", "--threshold", "1.6"),
        ("decide", "first", "--k", "3", "--threshold", "0.6", "--representative", "oldest"),
        ("decide", "nothing", "--k", "3", "--threshold", "0.6"),
        ("export", "99", "--out", "x.csv"),
        ("study", "Nowhere"),
        ("documents", "Nowhere"),
        ("labels", "import", "first", "/nowhere.csv"),
        ("check", "News", "--file", "/nowhere.txt"),
        ("evaluate", "first", "--thresholds", "7"),
        ("evaluate", "first", "--cost-fp", "-1"),
    ]

    for attempt in attempts:
        out, err = run(*attempt, status=2)

        assert out == ""
        assert len(err.strip().splitlines()) == 1, err


def test_an_export_to_a_folder_that_is_not_there_is_refused(labelled, tmp_path):
    taken = answer("decide", "first", "--k", "3", "--threshold", "0.6")

    _, err = run("export", taken["decision"], "--out", tmp_path / "nowhere" / "a.csv", status=2)

    assert "no folder" in err


def test_a_text_is_found_by_its_words_else_by_its_signature_else_not_at_all(labelled, tmp_path):
    taken = answer("decide", "first", "--k", "3", "--threshold", "0.6")
    file = tmp_path / "text.txt"
    file.write_text(rows.article("p", changed=2).replace("newp1", "otherwise"))

    same = answer("check", "News", "--text", rows.article("p").upper())
    alike = answer("check", "News", "--file", file)
    unknown = answer("check", "News", "--text", "nothing that anybody wrote")
    empty = answer("check", "News", "--text", "…")

    assert same["layer"] == "exact"
    assert same["matches"][0]["id"] == "pa"
    assert same["matches"][0]["cluster_id"] is not None
    assert taken["decision"]
    assert alike["layer"] == "minhash"
    assert {match["id"] for match in alike["matches"]} >= {"pa", "pb"}
    assert [found["layer"] for found in (unknown, empty)] == ["none", "none"]


def test_fingerprints_answer_before_signatures_where_the_study_has_them(documents):
    answer("ingest", documents, "--corpus", "News")
    answer("study", "News", "--simhash", "tf")
    near = rows.article("p").replace("pmill", "qmill")

    found = answer("check", "News", "--text", near)
    figures = answer("evaluate", "Study", "--score", "hamming", "--thresholds", "3", "10")

    assert found["layer"] in {"simhash", "minhash"}
    assert found["matches"]
    assert {figure["threshold"] for figure in figures["figures"]} == {3, 10}


def test_a_decision_on_distances_links_pairs_of_few_differing_bits(documents):
    answer("ingest", documents, "--corpus", "News")
    answer("study", "News", "--simhash", "plain")

    taken = answer("decide", "Study", "--k", "3", "--score", "hamming", "--threshold", "12")

    assert taken["documents"] == 19
    assert taken["clusters"] >= 1


def test_files_are_verified_and_damage_gives_status_1(labelled, settings):
    whole = answer("verify_arrays")
    next(settings.ARRAYS_DIR.rglob("*.npy")).unlink()

    damaged = answer("verify_arrays", status=1)

    assert whole["files"] == whole["whole"] > 0
    assert damaged["files"] - damaged["whole"] == len(damaged["problems"]) == 1


def test_the_whole_state_goes_into_one_file_and_comes_back(labelled, settings, tmp_path):
    from labeling.models import Corpus, Decision, Document, Job, Label, Pair, StudyPair

    taken = answer("decide", "first", "--k", "3", "--threshold", "0.6")
    answer("export", taken["decision"], "--out", tmp_path / "before.csv")
    kept = answer("backup", tmp_path / "state.zip")
    _, err = run("restore", tmp_path / "state.zip", status=2)
    for model in (Decision, Label, StudyPair, Pair, Document, Job):
        if model is Decision:
            for decision in Decision.objects.all():
                decision.members.all().delete()
                decision.clusters.all().delete()
        if model is Pair:
            from labeling.models import Link

            Link.objects.all().delete()
        model.objects.all().delete()
    Corpus.objects.all().delete()
    settings.DATA_DIR = tmp_path / "elsewhere"
    settings.ARRAYS_DIR = settings.DATA_DIR / "arrays"

    restored = answer("restore", tmp_path / "state.zip")

    assert "empty data folder" in err
    assert restored == kept
    answer("export", taken["decision"], "--out", tmp_path / "after.csv")
    assert (tmp_path / "after.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()
    assert answer("verify_arrays")["problems"] == []


def test_what_is_no_backup_changes_nothing(tmp_path):
    file = tmp_path / "state.zip"
    file.write_bytes(b"not a zip file")

    _, err = run("restore", file, status=2)

    assert "no backup" in err


def test_a_worker_takes_what_waits_and_ends_when_it_is_idle(db, documents):
    from django.utils import timezone

    from labeling.models import Job, Worker
    from labeling.services import sampling_corpus

    sampling_corpus.enqueue_sample(by_id=None, at=timezone.now())
    sampling_corpus.enqueue_sample(by_id=None, at=timezone.now())

    run("worker", "--until-idle")

    assert list(Job.objects.order_by("id").values_list("kind", "state")) == [
        ("ingest", "done"),
        ("study", "done"),
    ]
    assert not Worker.objects.exists()


@pytest.mark.parametrize(("path", "sentence"), [("", "A path is empty"), ("nowhere.jsonl", "doesn't exist")])
def test_a_path_that_leads_nowhere_is_refused_before_a_corpus_is_made_for_it(
    tmp_path, monkeypatch, path, sentence
):
    monkeypatch.chdir(tmp_path)

    _, err = run("ingest", path, "--corpus", "Stray", status=2)

    assert sentence in err
    assert not Corpus.objects.filter(name="Stray").exists()


@pytest.mark.parametrize("command", ["documents", "evaluate"])
def test_a_number_that_no_row_can_have_names_nothing(command):
    _, err = run(command, "9" * 5000, status=2)

    assert err.startswith("There is no ")


def test_a_reader_that_has_read_enough_is_no_error(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "manage.py", "verify_arrays", "--json"],
        cwd=Path(__file__).parents[2],
        env=environment | {"NEARDUP_DATA_DIR": str(tmp_path)},
        stdout=writing,
        stderr=subprocess.PIPE,
    )

    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
