"""From a study's pool, a threshold and people's verdicts to clusters of texts: what a decision publishes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from dedup.clustering import Contradiction, cluster
from dedup.pairs import Pool
from dedup.product_rule import ProductFacts
from labeling.models import Corpus, Label, Pair, Study, StudyRecipe
from labeling.services import pools
from labeling.services.link_rules import LinkFacts, link_facts, needs_numbers, product_part, without_numbers
from labeling.services.product_facts import CorpusFacts
from labeling.services.verdicts import corpus_verdicts

Ordinals = NDArray[np.int64]
OrdinalPair = tuple[int, int]

POOL, EXACT, PERSON = 0, 1, 2
BEST_SCORE = 1_000.0
BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Candidate links: ``left`` and ``right`` ordinals, ``kinds`` (POOL, EXACT or PERSON), ``similarity`` and ``jaccard``.

    All are arrays of one length; a link without a number has NaN.
    """

    left: Ordinals
    right: Ordinals
    kinds: NDArray[np.int8]
    similarity: NDArray[np.float64]
    jaccard: NDArray[np.float64]

    def take(self, rows: NDArray[np.bool_]) -> "Links":
        """Some of the links."""
        return Links(
            left=self.left[rows],
            right=self.right[rows],
            kinds=self.kinds[rows],
            similarity=self.similarity[rows],
            jaccard=self.jaccard[rows],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Clusters of texts under a decision: ``labels`` is ``int64[texts]``, numbered by smallest ordinal.

    ``held`` are the links that wait for a person because numbers or signs differ, and ``reasons`` (``int8``) says why of each.
    """

    labels: Ordinals
    links: Links
    held: Links
    reasons: NDArray[np.int8]
    verdicts: dict[OrdinalPair, str]
    contradictions: tuple[Contradiction, ...]
    blocked_by_rule: int


def link_texts(*, study: Study, recipe: StudyRecipe, threshold: float, rule: str) -> Linked:
    """Link every pair that reaches the threshold and passes the rule, obey the verdicts, and cluster.

    Texts that came after the study are clusters of their own, unless their words equal another's. Raises like
    ``pools.open_pool``.
    """
    corpus = study.corpus
    size = corpus.next_ordinal
    pool = pools.open_pool(study)
    facts = link_facts(corpus, size)
    verdicts = verdicts_by_ordinal(corpus, size)
    rows = np.flatnonzero(pools.accepted(pool, recipe, threshold))
    allowed = rows[facts.passes(without_numbers(rule), pool.left[rows], pool.right[rows])]
    must = [pair for pair, verdict in verdicts.items() if verdict == Label.Verdict.DUPLICATE]
    distinct = [pair for pair, verdict in verdicts.items() if verdict == Label.Verdict.DISTINCT]
    reasons = _reasons(facts, pool, allowed, rule, must + distinct)
    links = _of_pool(pool, recipe, allowed[reasons == 0])
    held = _of_pool(pool, recipe, allowed[reasons > 0])
    links = _with(links, exact_links(corpus, facts.products, without_numbers(rule)), EXACT, 1.0)
    links = _with(links, _missing(links, must), PERSON, np.nan)
    apart = _pairs_of(held)
    clustering = cluster(
        size,
        links.left,
        links.right,
        scores=_order(links, recipe),
        must=must,
        cannot=[*distinct, *apart],
        **_product_groups(facts.products, rule),  # type: ignore[arg-type]
    )
    return Linked(
        labels=clustering.labels,
        links=links.take(clustering.accepted),
        held=held,
        reasons=reasons[reasons > 0],
        verdicts=verdicts,
        contradictions=_by_people(clustering.contradictions, apart),
        blocked_by_rule=int(rows.size - allowed.size),
    )


def _reasons(
    facts: LinkFacts, pool: Pool, rows: Ordinals, rule: str, judged: Iterable[OrdinalPair]
) -> NDArray[np.int8]:
    """Why each link must be seen by a person first; 0 where it needn't, or where a person has said what it is."""
    if not needs_numbers(rule):
        return np.zeros(rows.size, np.int8)
    reasons = facts.held(pool.left[rows], pool.right[rows])
    known = pools.find_pairs(pool, judged)
    return np.where(np.isin(rows, known), 0, reasons).astype(np.int8)


def _of_pool(pool: Pool, recipe: StudyRecipe, rows: Ordinals) -> Links:
    return Links(
        left=np.asarray(pool.left[rows], np.int64),
        right=np.asarray(pool.right[rows], np.int64),
        kinds=np.full(rows.size, POOL, np.int8),
        similarity=pools.similarities(pool, recipe, rows),
        jaccard=_jaccard(pool, recipe, rows),
    )


def _pairs_of(links: Links) -> list[OrdinalPair]:
    return list(zip(links.left.tolist(), links.right.tolist(), strict=True))


def _by_people(
    contradictions: tuple[Contradiction, ...], held: list[OrdinalPair]
) -> tuple[Contradiction, ...]:
    """Contradictions between what people said; where a chain of their verdicts joins a held pair, they have decided."""
    pairs = set(held)
    return tuple(found for found in contradictions if (found.left, found.right) not in pairs)


def verdicts_by_ordinal(corpus: Corpus, size: int) -> dict[OrdinalPair, str]:
    """The final verdict of each judged pair whose texts both have documents, by the two ordinals."""
    final = corpus_verdicts(corpus)
    live = pools.live_texts(corpus, size)
    found: dict[OrdinalPair, str] = {}
    keys = sorted(final)
    for start in range(0, len(keys), BATCH):
        rows = Pair.objects.filter(pk__in=keys[start : start + BATCH])
        for pk, left, right in rows.values_list("pk", "left__ordinal", "right__ordinal"):
            if live[left] and live[right]:
                found[left, right] = final[pk]
    return found


def exact_links(corpus: Corpus, facts: CorpusFacts, rule: str) -> list[OrdinalPair]:
    """Links between texts of equal words that only their product facts keep apart.

    Without a rule, each is linked with the first one of its words; with a rule, those that share a value and pass it.
    """
    shared = corpus.texts.values("exact_key").annotate(n=Count("pk")).filter(n__gt=1).order_by("exact_key")
    keys = [str(row["exact_key"]) for row in shared]
    live = pools.live_texts(corpus, corpus.next_ordinal)
    families: dict[str, list[int]] = {}
    for start in range(0, len(keys), BATCH):
        rows = corpus.texts.filter(exact_key__in=keys[start : start + BATCH]).order_by("ordinal")
        for key, ordinal in rows.values_list("exact_key", "ordinal"):
            if live[ordinal]:
                families.setdefault(key, []).append(ordinal)
    if not rule:
        return [(family[0], other) for family in families.values() for other in family[1:]]
    pairs = sorted({pair for family in families.values() for pair in _sharing_a_value(family, facts)})
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    allowed = _allowed(facts, rule, columns)
    return [pair for pair, is_allowed in zip(pairs, allowed.tolist(), strict=True) if is_allowed]


def _sharing_a_value(family: list[int], facts: CorpusFacts) -> Iterator[OrdinalPair]:
    by_value: dict[object, list[int]] = {}
    for ordinal in family:
        if facts.groups[ordinal] >= 0:
            for value in _values(facts.facts[facts.groups[ordinal]]):
                by_value.setdefault(value, []).append(ordinal)
    for members in by_value.values():
        yield from pairwise(members)


def _values(found: ProductFacts) -> Iterable[object]:
    prices = [] if found.price is None else [(found.price, found.currency)]
    return [*found.identifiers, *prices]


def _allowed(facts: CorpusFacts, rule: str, pairs: Ordinals) -> NDArray[np.bool_]:
    name = product_part(rule)
    if name is None:
        return np.ones(pairs.shape[0], np.bool_)
    return facts.passes(name, pairs[:, 0], pairs[:, 1])


def _product_groups(facts: CorpusFacts, rule: str) -> dict[str, object]:
    name = product_part(rule)
    if name is None or facts.is_empty:
        return {}
    return {"groups": facts.groups, "blocked": lambda one, other: facts.clash(name, one, other)}


def _jaccard(pool: Pool, recipe: StudyRecipe, rows: Ordinals) -> NDArray[np.float64]:
    """Exact similarities under the decision's recipe; a SimHash recipe has those of the smallest k of the study."""
    digest = recipe.digest if recipe.digest in pool.jaccard else next(iter(pool.jaccard))
    return pool.jaccard[digest][rows]


def _order(links: Links, recipe: StudyRecipe) -> NDArray[np.float64]:
    """What decides which links come first where not all can hold: equal words, then the most similar."""
    scores = -links.similarity if recipe.score == "hamming" else links.similarity
    return np.where(links.kinds == POOL, scores, BEST_SCORE)


def _missing(links: Links, pairs: list[OrdinalPair]) -> list[OrdinalPair]:
    present = set(pools.pair_codes(links.left, links.right).tolist()) if pairs else set()
    return [pair for pair in pairs if (pair[0] << 32 | pair[1]) not in present]


def _with(links: Links, pairs: list[OrdinalPair], kind: int, number: float) -> Links:
    columns = np.array(pairs, np.int64).reshape(-1, 2)
    numbers = np.full(len(pairs), number)
    return Links(
        left=np.concatenate((links.left, columns[:, 0])),
        right=np.concatenate((links.right, columns[:, 1])),
        kinds=np.concatenate((links.kinds, np.full(len(pairs), kind, np.int8))),
        similarity=np.concatenate((links.similarity, numbers)),
        jaccard=np.concatenate((links.jaccard, numbers)),
    )
