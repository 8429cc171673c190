"""Where known texts stand: their documents, and the cluster and representative that the active decision gave each."""

from collections.abc import Collection, Iterable
from typing import Any, ClassVar

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from labeling.models import Corpus, Decision, Document, Member, Text

IN_LIMIT = 900
LISTED = 20

Named = dict[str, Any]


def documents_of(corpus: Corpus, ordinals: Collection[int]) -> dict[int, list[Named]]:
    """The documents of texts: ``pk`` and ``id`` of each, the first 21 by id; a text without a document isn't named."""
    found: dict[int, list[Named]] = {}
    for part in _parts(sorted(ordinals)):
        texts = dict(
            Text.objects.filter(corpus=corpus, ordinal__in=part).order_by().values_list("pk", "ordinal")
        )
        rows = Document.objects.filter(text__in=texts).annotate(
            place=Window(RowNumber(), partition_by=F("text"), order_by="external_id")
        )
        few = rows.filter(place__lte=LISTED + 1).order_by("text", "place")
        for text_id, pk, name in few.values_list("text", "pk", "external_id"):
            found.setdefault(texts[text_id], []).append({"pk": pk, "id": name})
    return found


class Places:
    """Documents of some texts, with the places that a decision gave them."""

    NOWHERE: ClassVar[Named] = {"cluster_id": None, "representative_id": None}

    def __init__(self, corpus: Corpus, decision: Decision | None, ordinals: Collection[int]) -> None:
        self._documents = documents_of(corpus, ordinals)
        named = [document["pk"] for documents in self._documents.values() for document in documents]
        self._places = {} if decision is None else dict(_members(decision, named))

    def documents(self, ordinal: int) -> list[Named]:
        """The documents of one text: id, number of the cluster, id of its representative."""
        return [
            {"id": document["id"], **self._places.get(document["pk"], self.NOWHERE)}
            for document in self._documents.get(ordinal, ())
        ]


def _members(decision: Decision, documents: list[int]) -> Iterable[tuple[int, Named]]:
    for part in _parts(documents):
        rows = Member.objects.filter(decision=decision, document__in=part, cluster__isnull=False)
        columns = ("document", "cluster__number", "cluster__representative__external_id")
        for document, number, representative in rows.order_by().values_list(*columns):
            yield document, {"cluster_id": number, "representative_id": representative}


def _parts(values: list[int]) -> Iterable[list[int]]:
    return (values[start : start + IN_LIMIT] for start in range(0, len(values), IN_LIMIT))
