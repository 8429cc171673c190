import numpy as np
import pytest

from labeling.models import Decision
from labeling.services import cluster_labels, exports, numbering
from labeling.services.partitions import Partition
from tests.db import rows

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(tmp_path, settings):
    settings.ARRAYS_DIR = tmp_path / "arrays"


@pytest.fixture
def study(corpus, tmp_path):
    rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", rows.planted()))
    return rows.study_of(corpus)


def numbers(decision):
    return dict(decision.members.values_list("document__external_id", "cluster__number"))


def partition(clusters):
    documents = np.array(sorted(clusters), np.int64)
    return Partition(
        documents=documents, clusters=np.array([clusters[document] for document in documents], np.int64)
    )


def test_the_same_decision_again_keeps_every_number(study):
    first, again = rows.decision_of(study), rows.decision_of(study)

    assert numbers(again) == numbers(first)
    assert set(numbers(first).values()) == set(range(1, first.clusters.count() + 1))
    assert again.summary["numbers"] == {
        "previous": 1, "kept": first.clusters.count(), "new": 0, "retired": 0, "largest_changes": [],
    }  # fmt: skip
    assert list(exports.changes(again)) == []


def test_a_first_decision_has_only_new_numbers(study):
    first = rows.decision_of(study)

    found = first.summary["numbers"]
    assert (found["previous"], found["kept"], found["retired"]) == (None, 0, 0)
    assert found["new"] == first.clusters.count()
    assert {row["change"] for row in exports.changes(first)} == {"new"}


def test_clusters_that_others_joined_or_left_keep_their_numbers_and_no_number_is_given_twice(study):
    strict = rows.decision_of(study, threshold=0.95)
    loose = rows.decision_of(study, threshold=0.5)
    back = rows.decision_of(study, threshold=0.95)

    one, other = numbers(strict)["pa"], numbers(strict)["pb"]
    assert one != other
    assert numbers(loose)["pa"] == numbers(loose)["pb"] == min(one, other)
    retired = set(numbers(strict).values()) - set(numbers(loose).values())
    assert max(one, other) in retired
    assert len(retired) == loose.summary["numbers"]["retired"] > 0
    assert not retired & set(numbers(back).values())
    assert back.summary["numbers"]["new"] == len(retired)


def test_a_retired_number_points_to_where_most_of_its_documents_are(study):
    strict = rows.decision_of(study, threshold=0.95)
    loose = rows.decision_of(study, threshold=0.5)
    retired = max(numbers(strict)["pa"], numbers(strict)["pb"])

    cluster, is_in_use = numbering.follow(loose, retired)

    row = next(row for row in exports.changes(loose) if row["cluster_id"] == retired)
    assert (cluster.number, is_in_use) == (numbers(loose)["pa"], False)
    assert (row["change"], row["successor_id"]) == ("retired", cluster.number)
    assert (row["documents_before"], row["documents_now"], row["lies_in"]) == (1, 0, 1)
    assert numbering.follow(strict, retired)[1]
    assert numbering.follow(loose, 10**9) == (None, False)


def test_splits_merges_and_what_is_gone_are_told_from_documents():
    before = partition({1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 4})
    now = partition({1: 1, 2: 1, 3: 5, 4: 5, 5: 5, 7: 4, 8: 6})

    found = {row.number: row for row in numbering.changes_between(before, now)}

    assert sorted(found) == [1, 2, 3, 5, 6]
    assert (found[1].change, found[1].lies_in, found[1].comes_from) == ("changed", 2, 1)
    assert (found[2].change, found[2].successor, found[2].documents_now) == ("retired", 5, 0)
    assert (found[3].change, found[3].successor) == ("retired", None)
    assert (found[5].change, found[5].documents_now, found[5].comes_from) == ("new", 3, 2)
    assert (found[6].change, found[6].comes_from) == ("new", 0)


def test_decisions_of_before_numbers_were_carried_have_nothing_to_compare_with(study):
    decision = rows.decision_of(study)
    Decision.objects.update(summary={"documents": 18})
    decision.refresh_from_db()

    assert {row["decision_before"] for row in exports.changes(decision)} == {None}


def test_what_a_person_says_on_a_cluster_binds_the_next_decision(study, ana, at):
    first = rows.decision_of(study, threshold=0.5)
    cluster = first.clusters.get(members__document__external_id="pa")
    texts = list(cluster.members.values_list("document__text", flat=True))
    pair = cluster_labels.find_pair(cluster, *texts)

    cluster_labels.record(
        pair=pair,
        serving_key=cluster_labels.serve(pair, ana.pk),
        labeller_id=ana.pk,
        verdict="distinct",
        at=at,
    )
    second = rows.decision_of(study, threshold=0.5)

    assert numbers(first)["pa"] == numbers(first)["pb"]
    assert numbers(second)["pa"] != numbers(second)["pb"]
    assert numbers(first)["pa"] in {numbers(second)["pa"], numbers(second)["pb"]}
