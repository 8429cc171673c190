"""Clusters, replays, representatives and differences by their definitions: slow and obvious."""

from itertools import combinations

import numpy as np

Pair = tuple[int, int]


def components(n: int, links: list[Pair]) -> list[int]:
    """Walk from each text that has no number yet, in order."""
    neighbours = {text: set() for text in range(n)}
    for one, other in links:
        neighbours[one].add(other)
        neighbours[other].add(one)
    labels = [-1] * n
    number = 0
    for start in range(n):
        if labels[start] < 0:
            waiting = [start]
            while waiting:
                text = waiting.pop()
                if labels[text] < 0:
                    labels[text] = number
                    waiting.extend(neighbours[text])
            number += 1
    return labels


def may_not_meet(one: int, other: int, cannot: list[Pair], groups: list[int]) -> bool:
    is_distinct = (one, other) in cannot or (other, one) in cannot
    return is_distinct or (groups[one] >= 0 and groups[other] >= 0 and groups[one] != groups[other])


def cluster(
    n: int, links: list[Pair], scores: list[float], must: list[Pair], cannot: list[Pair], groups: list[int]
) -> list[int]:
    """Add persons' links, then the others best first, looking at every pair of members before each step."""
    kept = list(must)
    ordered = sorted(
        zip(scores, links, strict=True), key=lambda entry: (-entry[0], min(entry[1]), max(entry[1]))
    )
    for _, (one, other) in ordered:
        labels = components(n, kept)
        if labels[one] == labels[other]:
            continue
        left = [text for text in range(n) if labels[text] == labels[one]]
        right = [text for text in range(n) if labels[text] == labels[other]]
        if not any(may_not_meet(a, b, cannot, groups) for a in left for b in right):
            kept.append((one, other))
    return components(n, kept)


def replay(
    n: int, links: list[Pair], levels: list[int], scale: int, documents: list[int]
) -> list[tuple[int, ...]]:
    """Cluster from the start at every level: links, clusters, removed documents, largest cluster."""
    outcome = []
    for level in range(scale + 1):
        kept = [link for link, at in zip(links, levels, strict=True) if at >= level]
        labels = components(n, kept)
        sizes = [sum(documents[text] for text in range(n) if labels[text] == label) for label in set(labels)]
        removed = sum(documents) - sum(size > 0 for size in sizes)
        outcome.append((len(kept), sum(size > 1 for size in sizes), removed, max(sizes, default=0)))
    return outcome


def pairs_inside(labels: list[int]) -> list[Pair]:
    return [(a, b) for a, b in combinations(range(len(labels)), 2) if labels[a] == labels[b]]


def is_bridge(n: int, links: list[Pair], link: int) -> bool:
    rest = links[:link] + links[link + 1 :]
    return len(set(components(n, rest))) > len(set(components(n, links)))


def weakest_score(n: int, links: list[Pair], scores: list[float]) -> float:
    """The lowest score without whose links, and all lower ones, the cluster falls apart."""
    for score in sorted(set(scores)):
        above = [link for link, at in zip(links, scores, strict=True) if at > score]
        if len(set(components(n, above))) > 1:
            return score
    raise AssertionError("a cluster without links falls apart")


def longest_common_subsequence(left: list[str], right: list[str]) -> int:
    lengths = np.zeros((len(left) + 1, len(right) + 1), dtype=int)
    for row, one in enumerate(left, start=1):
        for column, other in enumerate(right, start=1):
            if one == other:
                lengths[row, column] = lengths[row - 1, column - 1] + 1
            else:
                lengths[row, column] = max(lengths[row - 1, column], lengths[row, column - 1])
    return int(lengths[-1, -1])


def heaviest_pairing(weights: list[list[float]]) -> float:
    """Largest total weight of pairs that keep their order on both sides, trying every choice."""

    def best(row: int, column: int) -> float:
        if row == len(weights) or column == len(weights[0]):
            return 0.0
        without = max(best(row + 1, column), best(row, column + 1))
        return max(without, weights[row][column] + best(row + 1, column + 1))

    return best(0, 0) if weights and weights[0] else 0.0


def clusters_of(labels: list[int]) -> list[set[int]]:
    """Members of each cluster, by label."""
    return [
        {text for text, at in enumerate(labels) if at == label}
        for label in range(max(labels, default=-1) + 1)
    ]


def carried_numbers(previous: list[int], labels: list[int], used: int = -1) -> list[int]:
    """Numbers of new clusters: each old cluster claims its largest part, the largest claim on a cluster wins."""
    new = clusters_of(labels)
    claims: dict[int, tuple[int, int]] = {}
    for number in sorted({number for number in previous if number >= 0}):
        old = {text for text, at in enumerate(previous) if at == number}
        home = max(range(len(new)), key=lambda label: (len(new[label] & old), -label))
        claims[home] = max(claims.get(home, (0, 0)), (len(new[home] & old), -number))
    first = max([used, *previous]) + 1
    free = iter(range(first, first + len(new)))
    return [-claims[label][1] if label in claims else next(free) for label in range(len(new))]


def strongest_chain(links: list[Pair], scores: list[float], start: int, end: int) -> float | None:
    """The highest score at which links of that score and more lead from start to end; None where none do."""
    for score in sorted(set(scores), reverse=True):
        kept = [link for link, value in zip(links, scores, strict=True) if value >= score]
        labels = components(max(start, end, *(max(link) for link in links)) + 1, kept)
        if start != end and labels[start] == labels[end]:
            return score
    return None
