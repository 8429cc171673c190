"""Whole files from a decision: rows in one order on every database, columns by contract."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import OuterRef, QuerySet, Subquery

from dedup.exporting import SUFFIXES, Column, ExportError, Format, Written, write_table
from labeling.models import Corpus, Decision, Document, Export, Label
from labeling.services import numbering, remarks, reports

ASSIGNMENT_COLUMNS = (
    Column("document_id"),
    Column("cluster_id", "integer"),
    Column("is_representative", "boolean"),
    Column("representative_id"),
    Column("representative_rule"),
    Column("similarity", "number"),
    Column("method"),
    Column("cluster_size", "integer"),
    Column("decision", "integer"),
    Column("recipe"),
    Column("threshold", "number"),
    Column("source"),
    Column("url"),
    Column("canonical_url"),
)
LINK_COLUMNS = (
    Column("left_id"),
    Column("right_id"),
    Column("method"),
    Column("recipe"),
    Column("similarity", "number"),
    Column("exact_jaccard", "number"),
    Column("verdict"),
    Column("decision", "integer"),
)
LABEL_COLUMNS = (
    Column("left_id"),
    Column("right_id"),
    Column("verdict"),
    Column("labeller"),
    Column("note"),
    Column("reasons"),
    Column("flagged", "boolean"),
    Column("at", "time"),
    Column("score_visible", "boolean"),
    Column("origin"),
    Column("study"),
)
CHANGE_COLUMNS = (
    Column("cluster_id", "integer"),
    Column("change"),
    Column("successor_id", "integer"),
    Column("documents_before", "integer"),
    Column("documents_now", "integer"),
    Column("lies_in", "integer"),
    Column("comes_from", "integer"),
    Column("decision", "integer"),
    Column("decision_before", "integer"),
)
WHAT = ("assignments", "links", "labels", "changes", "report")
CHUNK = 2000


def assignments(decision: Decision) -> Iterator[dict[str, Any]]:
    """One row for every document that the decision placed, in the order of document ids."""
    rows = decision.members.order_by("document__external_id", "id").values_list(
        "document__external_id",
        "cluster__number",
        "is_representative",
        "cluster__representative__external_id",
        "cluster__representative_rule",
        "similarity",
        "method",
        "cluster__documents",
        "document__source",
        "document__url",
        "document__canonical_url",
    )
    names = [column.name for column in ASSIGNMENT_COLUMNS]
    stated = (decision.number, decision.recipe.recipe, decision.threshold)
    for row in rows.iterator(chunk_size=CHUNK):
        yield dict(zip(names, (*row[:8], *stated, *row[8:]), strict=True))


def links(decision: Decision) -> Iterator[dict[str, Any]]:
    """One row for every copy of a text, then one for every accepted link; texts are named by their smallest document id."""
    yield from _copies(decision)
    rows = (
        decision.links.annotate(left_name=smallest_id("left"), right_name=smallest_id("right"))
        .order_by("left__ordinal", "right__ordinal")
        .values_list("left_name", "right_name", "method", "similarity", "exact_jaccard", "verdict")
    )
    for left, right, method, similarity, jaccard, verdict in rows.iterator(chunk_size=CHUNK):
        yield {
            "left_id": left,
            "right_id": right,
            "method": method,
            "recipe": decision.recipe.recipe if method in {"minhash", "simhash"} else "",
            "similarity": similarity,
            "exact_jaccard": jaccard,
            "verdict": verdict,
            "decision": decision.number,
        }


def _copies(decision: Decision) -> Iterator[dict[str, Any]]:
    """Link each document that repeats a text of its cluster with the first one that has it."""
    rows = (
        decision.members.filter(cluster__isnull=False, document__text__isnull=False)
        .order_by("document__text__ordinal", "cluster", "document__external_id", "id")
        .values_list("document__text", "cluster", "document__external_id")
    )
    place, first = None, ""
    for text, cluster, name in rows.iterator(chunk_size=CHUNK):
        if place != (text, cluster):
            place, first = (text, cluster), name
            continue
        yield {
            "left_id": first,
            "right_id": name,
            "method": "exact",
            "recipe": "",
            "similarity": 1.0,
            "exact_jaccard": 1.0,
            "verdict": "",
            "decision": decision.number,
        }


def labels(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Every person's current answer to each pair, each text named by its smallest document id."""
    newest = (
        Label.objects.filter(pair=OuterRef("pair"), labeller=OuterRef("labeller"))
        .order_by("-id")
        .values("pk")[:1]
    )
    rows = (
        Label.objects.filter(pair__corpus=corpus, pk=Subquery(newest))
        .exclude(verdict=Label.Verdict.WITHDRAWN)
        .annotate(left_name=smallest_id("pair__left"), right_name=smallest_id("pair__right"))
        .select_related("labeller", "study")
        .order_by("pair__left__ordinal", "pair__right__ordinal", "labeller__username", "id")
    )
    for row, held in _with_remarks(rows.iterator(chunk_size=CHUNK)):
        yield {
            "left_id": row.left_name,
            "right_id": row.right_name,
            "verdict": row.verdict,
            "labeller": row.labeller.get_username(),
            "note": held.note,
            "reasons": ";".join(held.reasons),
            "flagged": held.is_flagged,
            "at": row.at,
            "score_visible": row.score_visible,
            "origin": row.origin,
            "study": row.study.name if row.study else "",
        }


def _with_remarks(rows: Iterator[Any]) -> Iterator[tuple[Any, remarks.Remarks]]:
    while batch := list(islice(rows, remarks.BATCH)):
        held = remarks.remarks_of(batch)
        yield from ((row, held[row.pk]) for row in batch)


def changes(decision: Decision) -> Iterator[dict[str, Any]]:
    """One row for every cluster number whose documents aren't those of the decision before, ascending."""
    before = (decision.summary.get("numbers") or {}).get("previous")
    for row in numbering.changes_of(decision):
        yield {
            "cluster_id": row.number,
            "change": row.change,
            "successor_id": row.successor,
            "documents_before": row.documents_before,
            "documents_now": row.documents_now,
            "lies_in": row.lies_in,
            "comes_from": row.comes_from,
            "decision": decision.number,
            "decision_before": before,
        }


def smallest_id(text: str) -> Subquery:
    """The smallest document id of the text that a column names; null where no document has it any more."""
    rows: QuerySet[Document] = Document.objects.filter(text=OuterRef(text))
    return Subquery(rows.order_by("external_id").values("external_id")[:1])


def write_export(
    *,
    decision: Decision,
    what: str,
    format: str,  # noqa: A002
    at: datetime,
    path: Path | None = None,
) -> Export:
    """Write a file, whole or not at all.

    Without ``path`` it goes to the folder of exports and gets a row; with one, the returned row is not stored.
    Raises ``ExportError`` with a sentence for what can't be written, ``OSError`` where the disk refuses.
    """
    if decision.state != Decision.State.PUBLISHED:
        raise ExportError(
            f"The clusters of {decision} are still being written; export it when they are there."
        )
    target = path or Path(settings.EXPORTS_DIR) / file_name(decision, what, format, at)
    if path is None:
        target.parent.mkdir(parents=True, exist_ok=True)
    elif not target.parent.is_dir():
        raise ExportError(f"There is no folder {target.parent} to write to.")
    written = write(decision, what, format, target)
    export = Export(
        decision=decision,
        what=what,
        format=format,
        file=target.name if path is None else str(target),
        rows=written.rows,
        size=written.size,
        sha256=written.sha256,
        at=at,
    )
    if path is None:
        export.save()
    return export


def write(decision: Decision, what: str, format: str, target: Path) -> Written:  # noqa: A002
    """Write one of the tables, or the report. Raises ``ExportError`` for what isn't offered."""
    if what == "report":
        return reports.write_report(decision, target, format)
    if format not in SUFFIXES:
        raise ExportError(f"A table can't be written as {format}; known are {', '.join(SUFFIXES)}.")
    return write_rows(what, decision, target, format)


def write_rows(what: str, decision: Decision, target: Path, format: Format) -> Written:  # noqa: A002
    """Write one of the tables of a decision."""
    if what == "assignments":
        return write_table(assignments(decision), ASSIGNMENT_COLUMNS, target, format)
    if what == "links":
        return write_table(links(decision), LINK_COLUMNS, target, format)
    if what == "labels":
        return write_table(labels(decision.corpus), LABEL_COLUMNS, target, format)
    if what == "changes":
        return write_table(changes(decision), CHANGE_COLUMNS, target, format)
    raise ExportError(f"There is no export “{what}”; known are {', '.join(WHAT)}.")


def file_name(decision: Decision, what: str, format: str, at: datetime) -> str:  # noqa: A002
    """Name of a file in the folder of exports; says what it holds and when it was written."""
    suffix = ".html" if what == "report" else dict(SUFFIXES.items()).get(format, f".{format}")  # type: ignore[call-overload]
    moment = f"{at.astimezone(UTC):%Y%m%dT%H%M%S%f}"
    return f"corpus-{decision.corpus_id}-decision-{decision.number}-{what}-{moment}{suffix}"
