"""One cluster: the stack of its texts, the links that hold it, where it is thinnest, its members."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dedup.diffing import StackPart, Variant
from labeling.http import PageRequest, fetched, page_of, render_page
from labeling.models import Cluster, Document
from labeling.services import cluster_review
from labeling.services.cluster_review import Layers, LowestPair, Tie, Ties
from labeling.services.verdicts import corpus_verdicts

MEMBERS = 50
LINKS = 30
NAMED = 3
NUMBERS = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*(?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVariant:
    """What some documents have at a spot; ``text`` is empty where they have nothing there."""

    text: str
    documents: int
    named: tuple[Document, ...]
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPart:
    """A part of the representative's text; a spot has variants, and may differ in numbers."""

    kind: str
    text: str
    words: int
    variants: tuple[ShownVariant, ...] = ()
    numbers_differ: bool = False


def _variant(
    layers: Layers, names: Mapping[int, Document], variant: Variant, *, is_own: bool
) -> ShownVariant:
    keys = [layers.texts[place] for place in variant.texts]
    return ShownVariant(
        text=variant.text,
        documents=sum(layers.documents[place] for place in variant.texts),
        named=tuple(names[key] for key in keys[:NAMED] if key in names),
        is_own=is_own,
    )


def _part(layers: Layers, names: Mapping[int, Document], part: StackPart) -> ShownPart:
    numbers = {tuple(NUMBERS.findall(variant.text)) for variant in part.variants}
    return ShownPart(
        kind=part.kind,
        text=part.text,
        words=part.words,
        variants=tuple(
            _variant(layers, names, variant, is_own=place == 0) for place, variant in enumerate(part.variants)
        ),
        numbers_differ=len(numbers) > 1,
    )


def _stack(layers: Layers | None) -> dict[str, Any]:
    """The parts of the stack, and what is to be said of it as a whole."""
    if layers is None:
        return {"parts": []}
    wanted = {
        layers.texts[place]
        for part in layers.stack.spots
        for variant in part.variants
        for place in variant.texts[:NAMED]
    }
    names = cluster_review.documents_of_texts(sorted(wanted))
    parts = [_part(layers, names, part) for part in layers.stack.parts]
    return {
        "parts": parts,
        "spots": len(layers.stack.spots),
        "numbers_differ": sum(1 for part in parts if part.numbers_differ),
        "documents": layers.compared_documents,
        "texts": len(layers.texts),
        "is_whole": layers.compared_documents == layers.all_documents,
    }


def _named(ties: Iterable[Tie]) -> list[dict[str, object]]:
    """Links with a document for each of their texts, so that people can read them."""
    rows = list(ties)
    first = cluster_review.documents_of_texts([key for tie in rows for key in _ends(tie)])
    return [
        {"tie": tie, "left": first.get(tie.link.left_id), "right": first.get(tie.link.right_id)}
        for tie in rows
    ]


def _ends(tie: Tie) -> tuple[int, int]:
    return tie.link.left_id, tie.link.right_id


def _lowest(found: LowestPair | None) -> dict[str, Any] | None:
    """The lowest pair by the names of its documents, with the steps that lead from one to the other."""
    if found is None:
        return None
    steps = list(cluster_review.steps_of(found.chain, found.left))
    names = cluster_review.documents_of_texts([found.left, found.right, *(text for text, _ in steps)])
    return {
        "left_text": found.left,
        "right_text": found.right,
        "left": names.get(found.left),
        "right": names.get(found.right),
        "similarity": found.similarity,
        "is_of_all": found.is_of_all,
        "steps": [{"document": names.get(text), "tie": tie} for text, tie in steps],
        "is_linked": len(steps) == 1,
    }


def _ties(request: PageRequest, ties: Ties) -> dict[str, Any]:
    page = Paginator(range(ties.ids.size), LINKS).get_page(request.GET.get("links"))
    weakest = None if ties.weakest is None else _named(ties.take([ties.weakest]))[0]
    return {"ties": ties, "links": _named(ties.take(list(page))), "links_page": page, "weakest": weakest}


def _separated(cluster: Cluster) -> list[dict[str, Document | None]]:
    """Pairs of members that people call distinct, by the names of documents."""
    pairs = cluster_review.distinct_inside(cluster, corpus_verdicts(cluster.decision.corpus))
    names = cluster_review.documents_of_texts([key for pair in pairs for key in pair])
    return [{"left": names.get(left), "right": names.get(right)} for left, right in pairs]


@require_safe
def cluster(request: PageRequest, cluster_id: int) -> HttpResponse:
    """The texts laid over the representative's, then what ties them together, then every member."""
    rows = Cluster.objects.select_related(
        "decision__corpus", "decision__study", "decision__recipe", "representative__text"
    )
    found = fetched(request, rows, pk=cluster_id)
    members = found.members.select_related("document__text").order_by(
        "-is_representative", F("similarity").desc(nulls_last=True), "id"
    )
    ties = cluster_review.ties_of(found)
    context = {
        "cluster": found,
        "decision": found.decision,
        "study": found.decision.study,
        "corpus": found.decision.corpus,
        "page": page_of(request, members, per_page=MEMBERS),
        "stack": _stack(cluster_review.layers_of(found)),
        "lowest": _lowest(cluster_review.lowest_pair(found, ties)),
        "separated": _separated(found),
        **_ties(request, ties),
    }
    return render_page(request, "labeling/cluster.html", context)
