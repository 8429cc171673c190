"""Clusters of a decision, and what holds each together."""

from django.db.models import F, QuerySet
from django.db.models.expressions import OrderBy
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from labeling.http import PageRequest, page_of, render_page
from labeling.models import Cluster, Decision, Document, Link

ORDERS: dict[str, tuple[str | OrderBy, ...]] = {
    "size": ("-documents", "number"),
    "loosest": (F("lowest_similarity").asc(nulls_last=True), "number"),
    "number": ("number",),
}
RANDOM_CLUSTERS = 20
SPREAD = 2_654_435_761
MEMBERS = 200
LINKS = 200


def _random(rows: QuerySet[Cluster], decision: Decision) -> QuerySet[Cluster]:
    """Twenty clusters that don't depend on who looks: those whose numbers hash lowest under the decision's id."""
    numbers = sorted(
        rows.values_list("number", flat=True), key=lambda number: (number + decision.pk) * SPREAD % 2**32
    )
    return rows.filter(number__in=numbers[:RANDOM_CLUSTERS])


@require_safe
def clusters(request: PageRequest, decision_id: int) -> HttpResponse:
    """The clusters of two and more documents, largest first unless another order is asked for."""
    decision = get_object_or_404(Decision.objects.select_related("corpus", "study", "recipe"), pk=decision_id)
    order = request.GET.get("order", "size")
    show = request.GET.get("show", "")
    rows = decision.clusters.filter(documents__gt=1).select_related("representative")
    if show == "chains":
        rows = rows.filter(is_chain=True)
    elif show == "random":
        rows = _random(rows, decision)
    rows = rows.order_by(*ORDERS.get(order, ORDERS["size"]))
    context = {
        "decision": decision,
        "study": decision.study,
        "corpus": decision.corpus,
        "page": page_of(request, rows),
        "order": order if order in ORDERS else "size",
        "show": show,
    }
    return render_page(request, "labeling/clusters.html", context)


@require_safe
def cluster(request: PageRequest, cluster_id: int) -> HttpResponse:
    """Members with their similarity to the representative, and the links between their texts."""
    rows = Cluster.objects.select_related(
        "decision__corpus", "decision__study", "decision__recipe", "representative"
    )
    found = get_object_or_404(rows, pk=cluster_id)
    members = found.members.select_related("document__text").order_by(
        "-is_representative", F("similarity").desc(nulls_last=True), "id"
    )
    texts = found.members.values("document__text")
    links = Link.objects.filter(decision=found.decision, left__in=texts, right__in=texts)
    shown = list(links.order_by(F("exact_jaccard").desc(nulls_last=True), "id")[:LINKS])
    context = {
        "cluster": found,
        "decision": found.decision,
        "study": found.decision.study,
        "corpus": found.decision.corpus,
        "page": page_of(request, members, per_page=MEMBERS),
        "links": _named(shown),
        "link_count": links.count(),
    }
    return render_page(request, "labeling/cluster.html", context)


def _named(links: list[Link]) -> list[dict[str, object]]:
    """Links with a document for each of their texts, so that people can read them."""
    keys = {link.left_id for link in links} | {link.right_id for link in links}
    first: dict[int, Document] = {}
    for document in Document.objects.filter(text__in=keys).order_by("id"):
        if document.text_id is not None:
            first.setdefault(document.text_id, document)
    return [
        {"link": link, "left": first.get(link.left_id), "right": first.get(link.right_id)} for link in links
    ]
