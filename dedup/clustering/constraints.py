"""Clusters that respect what people and the product rule say.

A person's *duplicate* joins two texts, a *distinct* keeps them apart, also through third texts; texts whose
product facts clash never share a cluster. Links are then added best first; one that would break a rule is
left out. What people said against each other, or against the product rule, is listed with the chain that
causes it, never settled in silence.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dedup.clustering.components import Flags, Ordinals, by_smallest_ordinal, components, distinct

TextPair = tuple[int, int]
Blocked = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two texts that must not meet, joined by persons' *duplicate* verdicts along ``path`` (both ends included).

    ``against`` says what the chain of verdicts contradicts: a person's *distinct*, or the product rule.
    """

    left: int
    right: int
    path: tuple[int, ...]
    against: Literal["distinct", "product rule"]


@dataclass(frozen=True, slots=True)
class Clustering:
    """``labels``: ``int64[n]``, numbered by smallest ordinal. ``accepted``: ``bool[m]``, links that hold."""

    labels: Ordinals
    accepted: Flags
    contradictions: tuple[Contradiction, ...]


def cluster(
    n: int,
    left: Ordinals,
    right: Ordinals,
    *,
    scores: NDArray[np.float64] | None = None,
    must: Sequence[TextPair] = (),
    cannot: Sequence[TextPair] = (),
    groups: Ordinals | None = None,
    blocked: Blocked | None = None,
) -> Clustering:
    """Cluster ``n`` texts by links, under persons' verdicts and the product rule.

    ``scores`` (``float64[m]``) decides which links come first; ties, and all links without scores, go by
    their ordinals. ``must`` and ``cannot`` are pairs that a person called *duplicate* or *distinct*.
    ``groups`` (``int64[n]``) numbers the product facts of each text, -1 for a text without any, which is
    never blocked. ``blocked(a, b)`` says whether two group numbers may not share a cluster; without it,
    different groups may not. With ``blocked`` alone, every text is its own group.

    ``must`` always joins, even against ``cannot`` or the rule: such cases are the contradictions. The result
    doesn't depend on the order or direction of links or pairs. Only components that hold a clash are worked
    through link by link; the rest costs what connected components cost.
    """
    if groups is None and blocked is not None:
        groups = np.arange(n, dtype=np.int64)
    rules = _Rules(n, cannot, groups, blocked)
    forced = _ordered(must)
    forced_left, forced_right = _columns(forced)
    loose = components(n, np.concatenate((left, forced_left)), np.concatenate((right, forced_right)))
    clashing = rules.clashing(loose)
    denied = _denied(left, right, cannot)
    if not clashing.size:
        return Clustering(loose, ~denied, ())
    is_clashing = np.zeros(n, dtype=np.bool_)
    is_clashing[clashing] = True
    inside = is_clashing[loose[left]] & ~denied
    members = np.flatnonzero(is_clashing[loose])
    joined = _Joining(n, rules, members)
    for one, other in forced:
        joined.join(one, other)
    for one, other in _best_first(left[inside], right[inside], None if scores is None else scores[inside]):
        joined.join_if_allowed(one, other)
    roots = n + loose
    roots[members] = [joined.root(text) for text in members.tolist()]
    labels = by_smallest_ordinal(roots)
    accepted = (labels[left] == labels[right]) & ~denied
    return Clustering(labels, accepted, _contradictions(rules, forced, labels))


class _Rules:
    """What may not meet: pairs of texts, and groups of product facts."""

    def __init__(
        self, n: int, cannot: Iterable[TextPair], groups: Ordinals | None, blocked: Blocked | None
    ) -> None:
        self.cannot = _ordered(cannot)
        self.groups = np.full(n, -1, dtype=np.int64) if groups is None else groups
        self._blocked = blocked or (lambda one, other: one != other)

    def clash(self, some: set[int], others: set[int]) -> bool:
        return any(one != other and self._blocked(one, other) for one in some for other in others)

    def clashing(self, labels: Ordinals) -> Ordinals:
        """Components that hold a pair which may not meet."""
        found = {int(labels[one]) for one, other in self.cannot if labels[one] == labels[other]}
        for label, kinds in self._groups_by_component(labels):
            if label not in found and self.clash(kinds, kinds):
                found.add(label)
        return np.array(sorted(found), dtype=np.int64)

    def _groups_by_component(self, labels: Ordinals) -> Iterator[tuple[int, set[int]]]:
        """Components with more than one group, and their groups."""
        with_groups = np.flatnonzero(self.groups >= 0)
        if not with_groups.size:
            return
        span = int(self.groups.max()) + 1
        keys = distinct(labels[with_groups] * span + self.groups[with_groups])
        several, starts, counts = np.unique(keys // span, return_index=True, return_counts=True)
        for place in np.flatnonzero(counts > 1):
            start = starts[place]
            yield int(several[place]), set((keys[start : start + counts[place]] % span).tolist())


class _Joining:
    """Union-find over some texts whose trees know what they may not meet."""

    def __init__(self, n: int, rules: _Rules, texts: Ordinals) -> None:
        self._parent = list(range(n))
        self._rules = rules
        with_groups = texts[rules.groups[texts] >= 0]
        self._groups = {
            text: {group}
            for text, group in zip(with_groups.tolist(), rules.groups[with_groups].tolist(), strict=True)
        }
        self._foes: dict[int, set[int]] = {}
        for one, other in rules.cannot:
            self._foes.setdefault(one, set()).add(other)
            self._foes.setdefault(other, set()).add(one)

    def root(self, text: int) -> int:
        parent = self._parent
        while parent[text] != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    def join(self, one: int, other: int) -> None:
        kept, gone = sorted((self.root(one), self.root(other)))
        if kept == gone:
            return
        self._parent[gone] = kept
        for table in (self._groups, self._foes):
            if gone in table:
                table.setdefault(kept, set()).update(table.pop(gone))

    def join_if_allowed(self, one: int, other: int) -> None:
        first, second = self.root(one), self.root(other)
        if first == second or self._hostile(first, second):
            return
        if self._rules.clash(self._groups.get(first, set()), self._groups.get(second, set())):
            return
        self.join(first, second)

    def _hostile(self, first: int, second: int) -> bool:
        some, others = self._foes.get(first, set()), self._foes.get(second, set())
        if len(others) < len(some):
            some, second = others, first
        return any(self.root(foe) == second for foe in some)


def _contradictions(rules: _Rules, must: list[TextPair], labels: Ordinals) -> tuple[Contradiction, ...]:
    """Pairs that may not meet although a chain of *duplicate* verdicts joins them."""
    neighbours: dict[int, list[int]] = {}
    for one, other in must:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    found = [
        Contradiction(one, other, path, "distinct")
        for one, other in rules.cannot
        if labels[one] == labels[other] and (path := _path(neighbours, one, other))
    ]
    return tuple(found + _product_contradictions(rules, neighbours))


def _product_contradictions(rules: _Rules, neighbours: dict[int, list[int]]) -> list[Contradiction]:
    """For each two clashing groups in one chain of verdicts, the pair with the smallest ordinals."""
    found: list[Contradiction] = []
    seen: set[int] = set()
    for start in sorted(neighbours):
        if start in seen:
            continue
        chain = sorted(_reachable(neighbours, start))
        seen.update(chain)
        first_of: dict[int, int] = {}
        for text in chain:
            if rules.groups[text] >= 0:
                first_of.setdefault(int(rules.groups[text]), text)
        texts = list(first_of.items())
        found += [
            Contradiction(one, other, _path(neighbours, one, other), "product rule")
            for place, (group, one) in enumerate(texts)
            for other_group, other in texts[place + 1 :]
            if rules.clash({group}, {other_group})
        ]
    return found


def _reachable(neighbours: dict[int, list[int]], start: int) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        for text in neighbours[waiting.pop()]:
            if text not in reached:
                reached.add(text)
                waiting.append(text)
    return reached


def _path(neighbours: dict[int, list[int]], start: int, end: int) -> tuple[int, ...]:
    """Shortest chain of verdicts from one text to another; empty if there is none."""
    came_from: dict[int, int] = {start: start}
    waiting = deque([start])
    while waiting and end not in came_from:
        text = waiting.popleft()
        for neighbour in sorted(neighbours.get(text, ())):
            if neighbour not in came_from:
                came_from[neighbour] = text
                waiting.append(neighbour)
    if end not in came_from:
        return ()
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


def _ordered(pairs: Iterable[TextPair]) -> list[TextPair]:
    return sorted({(min(pair), max(pair)) for pair in pairs})


def _columns(pairs: list[TextPair]) -> tuple[Ordinals, Ordinals]:
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _denied(left: Ordinals, right: Ordinals, cannot: Sequence[TextPair]) -> Flags:
    """Links whose two ends a person called distinct."""
    forbidden = set(_ordered(cannot))
    if not forbidden:
        return np.zeros(len(left), dtype=np.bool_)
    ends = np.unique(np.array(list(forbidden)))
    denied = np.isin(left, ends) & np.isin(right, ends)
    for link in np.flatnonzero(denied):
        pair = int(left[link]), int(right[link])
        denied[link] = (min(pair), max(pair)) in forbidden
    return denied


def _best_first(left: Ordinals, right: Ordinals, scores: NDArray[np.float64] | None) -> list[TextPair]:
    low, high = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((high, low)) if scores is None else np.lexsort((high, low, -scores))
    return list(zip(low[order].tolist(), high[order].tolist(), strict=True))
