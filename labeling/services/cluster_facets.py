"""Which clusters of a decision to look at: chains, those that a distinct verdict touches, by size, by likeness."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import OrderBy

from labeling.models import Cluster, Decision, Label, Member, Pair
from labeling.services.verdicts import corpus_verdicts

ORDERS: Mapping[str, tuple[str | OrderBy, ...]] = {
    "size": ("-documents", "number"),
    "loosest": (F("lowest_similarity").asc(nulls_last=True), "number"),
    "number": ("number",),
}
SIZES: Mapping[str, tuple[int, int | None]] = {
    "2": (2, 2),
    "3-9": (3, 9),
    "10-99": (10, 99),
    "100": (100, None),
}
LOWEST: Mapping[str, tuple[float, float]] = {
    "0-0.5": (0.0, 0.5),
    "0.5-0.7": (0.5, 0.7),
    "0.7-0.9": (0.7, 0.9),
    "0.9-1": (0.9, 1.01),
}
ONE_TEXT = "one"
RANDOM_CLUSTERS = 20
SPREAD = 2_654_435_761
GIANT_DOCUMENTS = 20
GIANT_SHARE = 0.02
BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many clusters of two documents and more there are: all, by preset, by size, by lowest similarity."""

    all: int
    presets: Mapping[str, int]
    sizes: Mapping[str, int]
    lowest: Mapping[str, int]


def several_documents(decision: Decision) -> QuerySet[Cluster]:
    """The decision's clusters of two documents and more."""
    return decision.clusters.filter(documents__gt=1)


def filtered(decision: Decision, *, show: str = "", size: str = "", lowest: str = "") -> QuerySet[Cluster]:
    """The clusters that a preset, a size and a lowest similarity leave; names that are unknown leave all."""
    rows = several_documents(decision)
    if size in SIZES:
        rows = rows.filter(_size(size))
    if lowest in LOWEST or lowest == ONE_TEXT:
        rows = rows.filter(_lowest(lowest))
    if show == "random":
        return _random(rows, decision)
    presets = _presets(decision)
    return rows.filter(presets[show]) if show in presets else rows


def counts(decision: Decision) -> Counts:
    """Count what each filter would leave by itself."""
    rows = several_documents(decision)
    conditions = {
        **{f"size {name}": _size(name) for name in SIZES},
        **{f"lowest {name}": _lowest(name) for name in (*LOWEST, ONE_TEXT)},
    }
    found = rows.aggregate(
        all=Count("pk"),
        **{f"n{place}": Count("pk", filter=rule) for place, rule in enumerate(conditions.values())},
    )
    by_name = {name: found[f"n{place}"] for place, name in enumerate(conditions)}
    return Counts(
        all=found["all"],
        presets={name: rows.filter(rule).count() for name, rule in _presets(decision).items()},
        sizes={name: by_name[f"size {name}"] for name in SIZES},
        lowest={name: by_name[f"lowest {name}"] for name in (*LOWEST, ONE_TEXT)},
    )


def giant_of(decision: Decision) -> Cluster | None:
    """The largest cluster, if it is suspiciously large: a chain of many documents, and of a good part of the corpus."""
    largest = decision.clusters.filter(is_chain=True).order_by("-documents", "number").first()
    documents = decision.summary.get("documents")
    if largest is None or not documents or largest.documents < max(GIANT_DOCUMENTS, GIANT_SHARE * documents):
        return None
    return largest


def sources_of(clusters: list[int]) -> dict[int, int]:
    """How many sources the documents of each of some clusters come from."""
    rows = Member.objects.filter(cluster__in=clusters).order_by().values("cluster")
    return dict(
        rows.annotate(sources=Count("document__source", distinct=True)).values_list("cluster", "sources")
    )


def touched_by_distinct(decision: Decision) -> set[int]:
    """Ids of the clusters that hold a text which people call distinct from another one, inside or outside."""
    verdicts = corpus_verdicts(decision.corpus)
    pairs = sorted(pair for pair, verdict in verdicts.items() if verdict == Label.Verdict.DISTINCT)
    found: set[int] = set()
    for start in range(0, len(pairs), BATCH):
        judged = Pair.objects.filter(pk__in=pairs[start : start + BATCH])
        for side in ("left", "right"):
            rows = decision.members.filter(cluster__isnull=False, document__text__in=judged.values(side))
            found.update(key for key in rows.values_list("cluster_id", flat=True) if key is not None)
    return found


def _presets(decision: Decision) -> dict[str, Q | Exists]:
    elsewhere = Member.objects.filter(cluster=OuterRef("pk")).exclude(
        document__source=OuterRef("representative__source")
    )
    return {
        "chains": Q(is_chain=True),
        "distinct": Q(pk__in=sorted(touched_by_distinct(decision))),
        "sources": Exists(elsewhere),
    }


def _size(name: str) -> Q:
    least, most = SIZES[name]
    return Q(documents__gte=least) if most is None else Q(documents__gte=least, documents__lte=most)


def _lowest(name: str) -> Q:
    if name == ONE_TEXT:
        return Q(lowest_similarity__isnull=True)
    low, high = LOWEST[name]
    return Q(lowest_similarity__gte=low, lowest_similarity__lt=high)


def _random(rows: QuerySet[Cluster], decision: Decision) -> QuerySet[Cluster]:
    """Twenty clusters that don't depend on who looks: those whose numbers hash lowest under the decision's id."""
    numbers = sorted(
        rows.values_list("number", flat=True), key=lambda number: (number + decision.pk) * SPREAD % 2**32
    )
    return rows.filter(number__in=numbers[:RANDOM_CLUSTERS])
