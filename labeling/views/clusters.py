"""The clusters of a decision, and the filters that lead to those worth reading."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from labeling.http import PageRequest, fetched, page_of, render_page, row_number
from labeling.models import Decision
from labeling.services import cluster_facets, numbering
from labeling.services.cluster_facets import LOWEST, ONE_TEXT, ORDERS, RANDOM_CLUSTERS, SIZES, Counts

PRESETS = {
    "chains": "Chains",
    "distinct": "Touched by a distinct verdict",
    "sources": "Several sources",
}
SIZE_NAMES = {"2": "2", "3-9": "3–9", "10-99": "10–99", "100": "100 and more"}
LOWEST_NAMES = {
    "0-0.5": "under 0.50",
    "0.5-0.7": "0.50–0.70",
    "0.7-0.9": "0.70–0.90",
    "0.9-1": "0.90 and more",
    ONE_TEXT: "one text",
}
ORDER_NAMES = {"size": "Largest first", "loosest": "Least similar inside first", "number": "By number"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One value of a filter, as a link; ``count`` is None where nothing is counted."""

    value: str
    name: str
    count: int | None
    is_chosen: bool


def _choices(names: dict[str, str], counted: dict[str, int], chosen: str) -> list[Choice]:
    return [
        Choice(value=value, name=name, count=counted.get(value), is_chosen=value == chosen)
        for value, name in names.items()
    ]


def _filters(found: Counts, chosen: dict[str, str]) -> dict[str, list[Choice]]:
    """Every filter with its values; the first value of each leaves all."""
    random = {"random": min(found.all, RANDOM_CLUSTERS)}
    return {
        "shows": _choices(
            {"": "All", **PRESETS, "random": "20 at random"},
            {"": found.all, **found.presets, **random},
            chosen["show"],
        ),
        "sizes": _choices({"": "Any", **SIZE_NAMES}, dict(found.sizes), chosen["size"]),
        "lowests": _choices({"": "Any", **LOWEST_NAMES}, dict(found.lowest), chosen["lowest"]),
        "orders": _choices(ORDER_NAMES, {}, chosen["order"]),
    }


def _chosen(request: PageRequest) -> dict[str, str]:
    """The values of the address that are known, each else the first."""
    known = {
        "show": {*PRESETS, "random"},
        "size": set(SIZES),
        "lowest": {*LOWEST, ONE_TEXT},
        "order": set(ORDERS),
    }
    first = {"order": "size"}
    return {
        name: request.GET[name] if request.GET.get(name) in values else first.get(name, "")
        for name, values in known.items()
    }


def _named(request: PageRequest, decision: Decision) -> HttpResponse | None:
    """Go to the cluster that the address names by its number, a retired one to where most of it is now."""
    given = request.GET.get("number", "").strip()
    if not given:
        return None
    found, is_in_use = numbering.follow(decision, row_number(given))
    if found is None:
        messages.warning(request, f"No cluster has or had the number {given[:20]} under {decision}.")
        return redirect("labeling:clusters", decision.pk)
    if not is_in_use:
        messages.info(
            request, f"Number {given} is retired under {decision}; most of its documents are in {found} now."
        )
    return redirect("labeling:cluster", found.pk)


@require_safe
def clusters(request: PageRequest, decision_id: int) -> HttpResponse:
    """The clusters of two and more documents, largest first unless another order is asked for."""
    rows = Decision.objects.select_related("corpus", "study", "recipe")
    decision = fetched(request, rows, pk=decision_id)
    named = _named(request, decision)
    if named is not None:
        return named
    chosen = _chosen(request)
    found = cluster_facets.filtered(
        decision, show=chosen["show"], size=chosen["size"], lowest=chosen["lowest"]
    ).select_related("representative")
    page = page_of(request, found.order_by(*ORDERS[chosen["order"]]))
    sources = cluster_facets.sources_of([cluster.pk for cluster in page])
    touched = cluster_facets.touched_by_distinct(decision)
    context: dict[str, Any] = {
        "decision": decision,
        "study": decision.study,
        "corpus": decision.corpus,
        "page": page,
        "rows": [
            {"cluster": cluster, "sources": sources.get(cluster.pk, 0), "is_touched": cluster.pk in touched}
            for cluster in page
        ],
        **_filters(cluster_facets.counts(decision), chosen),
        **chosen,
    }
    return render_page(request, "labeling/clusters.html", context)
