"""The decision job: cluster, choose representatives, write links, clusters and members, then publish."""

from collections.abc import Iterator
from time import perf_counter, sleep
from typing import Any

from django.db import connection, transaction

from labeling.models import Cluster, Corpus, Decision, HeldPair, Job, Link, Member
from labeling.services import linking, numbering, partitions, representing
from labeling.services.representing import Chosen
from labeling.stages.published import Batch, Outcome
from labeling.stages.reporting import Reporter

PAUSE_SECONDS = 0.02
REMOVED_AT_ONCE = 500


def run(job: Job, reporter: Reporter) -> dict[str, Any]:
    """Publish the job's decision; a run that died is begun anew, since nobody has seen its rows."""
    decision = job.decision
    if decision is None:
        raise ValueError(f"{job} names no decision")
    if decision.state == Decision.State.PUBLISHED:
        return dict(decision.summary)
    began = perf_counter()
    corpus = Corpus.objects.get(pk=decision.corpus_id)
    decision.study.corpus = corpus
    reporter.begin("cluster", unit="pairs", total=decision.study.pool)
    _remove_rows(decision)
    linked = linking.link_texts(
        study=decision.study, recipe=decision.recipe, threshold=decision.threshold, rule=decision.rule
    )
    partition = partitions.partition_of(corpus, linked)
    chosen = _choose(decision, corpus, partition, reporter)
    reporter.begin("compare texts", unit="clusters")
    active = partitions.active_decision(corpus)
    before = None if active is None else numbering.published_numbers(active)
    numbered = numbering.numbered(corpus, before, partition)
    outcome = Outcome(decision, corpus, linked, chosen, numbered.clusters)
    summary = partitions.summarise(corpus, linked, partition)
    changed = _changes(corpus, partition, chosen)
    _write(outcome, corpus, reporter, total=summary["documents"])
    values = {
        **summary,
        "chains": decision.clusters.filter(is_chain=True).count(),
        "outside_study": corpus.texts.filter(ordinal__gte=decision.study.texts).count(),
        "changes": changed,
        "numbers": numbering.summarise(active, before, numbered),
    }
    Decision.objects.filter(pk=decision.pk).update(state=Decision.State.PUBLISHED, summary=values)
    return {**values, "seconds": {"decide": round(perf_counter() - began, 3)}}


def _remove_rows(decision: Decision) -> None:
    """Take away what a killed run left, a little at a time."""
    written = (
        decision.members.all(),
        decision.clusters.all(),
        decision.links.all(),
        decision.held_pairs.all(),
    )
    for rows in written:
        while ids := list(rows.order_by("pk").values_list("pk", flat=True)[:REMOVED_AT_ONCE]):
            rows.filter(pk__in=ids).delete()


def _choose(
    decision: Decision, corpus: Corpus, partition: partitions.Partition, reporter: Reporter
) -> dict[int, Chosen]:
    reporter.begin("choose representatives", unit="documents", total=int(partition.documents.size))
    entries = representing.choose_representatives(
        corpus, partition.documents, partition.clusters, decision.representative_order
    )
    chosen: dict[int, Chosen] = {}
    done = 0
    for entry in entries:
        chosen[entry.cluster] = entry
        done += len(entry.documents)
        reporter.advance(done)
    return chosen


def _changes(corpus: Corpus, partition: partitions.Partition, chosen: dict[int, Chosen]) -> dict[str, int]:
    """What is about to change against the decision that has been active until now."""
    active = partitions.active_decision(corpus)
    before = None if active is None else partitions.published_partition(active)
    old = {} if active is None else representing.published_representatives(active)
    new = representing.representatives_by_document(iter(chosen.values()))
    return {
        **partitions.changes(before, partition),
        "representative": partitions.moved_representatives(old, new),
    }


def _write(outcome: Outcome, corpus: Corpus, reporter: Reporter, *, total: int) -> None:
    reporter.begin("write links", unit="links")
    for done, links in _with_count(outcome.links()):
        with transaction.atomic():
            Link.objects.bulk_create(links, batch_size=100)
        reporter.advance(done)
        _pause()
    for held in outcome.held_pairs():
        with transaction.atomic():
            HeldPair.objects.bulk_create(held, batch_size=100)
        _pause()
    reporter.begin("write clusters", unit="documents", total=total)
    written = 0
    for batch in outcome.batches():
        written += _write_batch(batch)
        reporter.advance(written)
        _pause()
    for members in outcome.without_content(corpus):
        with transaction.atomic():
            Member.objects.bulk_create(members, batch_size=100)
        written += len(members)
        reporter.advance(written)
    reporter.check()


def _with_count(batches: Iterator[list[Link]]) -> Iterator[tuple[int, list[Link]]]:
    done = 0
    for batch in batches:
        done += len(batch)
        yield done, batch


@transaction.atomic
def _write_batch(batch: Batch) -> int:
    Cluster.objects.bulk_create(batch.clusters, batch_size=80)
    rows = []
    for cluster, members in zip(batch.clusters, batch.members, strict=True):
        for member in members:
            member.cluster = cluster
            rows.append(member)
    Member.objects.bulk_create(rows, batch_size=100)
    return len(rows)


def _pause() -> None:
    """Let people's answers through between two batches."""
    if connection.vendor == "sqlite":
        sleep(PAUSE_SECONDS)
