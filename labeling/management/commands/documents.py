from typing import Any

from django.core.management.base import CommandParser
from django.db.models import QuerySet

from labeling.management.answering import AnsweringCommand, to_json
from labeling.models import Document
from labeling.services import corpora

IN_LIMIT = 900


class Command(AnsweringCommand):
    """Print what was stored."""

    help = "Print the documents of a corpus in the order of their ids, one JSON object a line."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which corpus, and which of its documents."""
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("--ids", nargs="+", action="extend", metavar="ID")

    def answer(self, options: dict[str, Any]) -> None:
        """Print line by line."""
        corpus = corpora.find_corpus(name=options["corpus"])
        rows = corpus.documents.select_related("text").order_by("external_id", "id")
        ids = options["ids"]
        if ids is None:
            self._print(rows)
            return
        wanted = sorted(set(ids))
        for start in range(0, len(wanted), IN_LIMIT):
            self._print(rows.filter(external_id__in=wanted[start : start + IN_LIMIT]))

    def _print(self, rows: QuerySet[Document]) -> None:
        for row in rows.iterator(chunk_size=500):
            self.stdout.write(to_json(document_values(row)))


def document_values(row: Document) -> dict[str, Any]:
    """A document as JSON; an exact key and words only where it has content."""
    return {
        "id": row.external_id,
        "source": row.source,
        "url": row.url,
        "canonical_url": row.canonical_url,
        "first_seen": None if row.first_seen is None else row.first_seen.isoformat(),
        "title": row.title,
        "price": row.price_minor,
        "currency": row.currency,
        "identifiers": row.identifiers,
        "flags": row.flags,
        "status": row.status,
        "status_reason": row.status_reason,
        "words": row.text.words if row.text else 0,
        "exact_key": row.text.exact_key if row.text else None,
        "product_key": row.text.product_key if row.text else "",
        "text": row.body,
    }
