"""The question itself: fingerprints first, then signatures; the first layer that finds something answers."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dedup.index.signing import Signed
from dedup.index.spec import IndexSpec
from dedup.kernel import TextColumn, exact_overlaps
from dedup.pairs import exact_similarities

Layer = Literal["exact", "simhash", "minhash", "none"]
MOST_MATCHES = 20
BITS = 64
ROUNDING = 1e-12

Ordinals = NDArray[np.int64]
Allows = Callable[[Ordinals, Ordinals], NDArray[np.bool_]]


class Match(NamedTuple):
    """A known text: its ordinal, what the layer saw (0 to 1), and the exact Jaccard similarity.

    ``similarity`` is the share of equal bits for ``simhash``, the exact Jaccard similarity for ``minhash``.
    """

    ordinal: int
    similarity: float
    jaccard: float


class Answer(NamedTuple):
    """Which layer found something, and what, most similar first."""

    layer: Layer
    matches: tuple[Match, ...]


class Index(Protocol):
    """Texts by ordinal that can be asked for."""

    spec: IndexSpec

    def near(self, signed: Signed) -> tuple[Ordinals, Ordinals, NDArray[np.uint8]]:
        """Texts within the recipe's distance of each fingerprint: places of the questions, ordinals, differing bits."""

    def candidates(self, signed: Signed) -> tuple[Ordinals, Ordinals]:
        """Texts that are likely to reach the threshold: places of the questions and ordinals, each pair once."""

    def streams(self, ordinals: Ordinals) -> TextColumn:
        """Clean streams of these ordinals, ascending; an empty one where a text is gone."""


def ask(index: Index, signed: Signed, allows: Allows | None = None) -> list[Answer]:
    """Look up each text: by its fingerprint and, where that finds nothing, by its signature.

    Exact keys are not looked at: whoever holds the texts knows those. ``allows`` tells which pairs of (place of the
    question, ordinal) may be matches, ``bool[m]``; without it all may. A text without a word is never found.
    """
    answers = [Answer("none", ())] * len(signed)
    rest: Ordinals = np.flatnonzero(signed.valid)
    layers: tuple[tuple[Layer, _Finder], ...] = (("simhash", _near), ("minhash", _alike))
    for layer, find in layers:
        if not rest.size:
            break
        for place, matches in find(index, _Asked(signed.take(rest), rest, allows)).items():
            answers[place] = Answer(layer, matches)
        rest = rest[[answers[place].layer == "none" for place in rest.tolist()]]
    return answers


class _Asked(NamedTuple):
    """Some of the questions: the texts, the place of each among all questions, and which matches are wanted."""

    signed: Signed
    places: Ordinals
    allows: Allows | None

    def allowed(self, asked: Ordinals, ordinals: Ordinals) -> NDArray[np.bool_]:
        if self.allows is None:
            return np.full(asked.shape, fill_value=True)
        return self.allows(self.places[asked], ordinals)


_Finder = Callable[[Index, _Asked], dict[int, tuple[Match, ...]]]


def _near(index: Index, asked: _Asked) -> dict[int, tuple[Match, ...]]:
    places, ordinals, distances = index.near(asked.signed)
    keep = asked.allowed(places, ordinals)
    places, ordinals, distances = places[keep], ordinals[keep], distances[keep]
    order = np.lexsort((ordinals, distances, places))
    first = np.arange(order.shape[0]) - np.searchsorted(places[order], places[order]) < MOST_MATCHES
    order = order[first]
    jaccards = compare(index, asked.signed, places[order], ordinals[order])
    similarities = 1.0 - distances[order].astype(np.float64) / BITS
    return _matches(asked, places[order], ordinals[order], similarities, jaccards)


def _alike(index: Index, asked: _Asked) -> dict[int, tuple[Match, ...]]:
    places, ordinals = index.candidates(asked.signed)
    keep = asked.allowed(places, ordinals)
    places, ordinals = places[keep], ordinals[keep]
    jaccards = compare(index, asked.signed, places, ordinals)
    alike = jaccards >= index.spec.threshold - ROUNDING
    return _matches(asked, places[alike], ordinals[alike], jaccards[alike], jaccards[alike])


def _matches(
    asked: _Asked,
    places: Ordinals,
    ordinals: Ordinals,
    similarities: NDArray[np.float64],
    jaccards: NDArray[np.float64],
) -> dict[int, tuple[Match, ...]]:
    found: dict[int, list[Match]] = {}
    columns = (asked.places[places], ordinals, similarities, jaccards)
    for place, ordinal, similarity, jaccard in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault(place, []).append(Match(ordinal, similarity, jaccard))
    return {place: best_first(matches) for place, matches in found.items()}


def best_first(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Order matches by what their layer saw, then by ordinal; at most 20."""
    ordered = sorted(matches, key=lambda match: (-match.similarity, -match.jaccard, match.ordinal))
    return tuple(ordered[:MOST_MATCHES])


def compare(index: Index, signed: Signed, asked: Ordinals, ordinals: Ordinals) -> NDArray[np.float64]:
    """Exact Jaccard similarity of each question with each text beside it: ``float64[m]``."""
    if not asked.size:
        return np.zeros(0, np.float64)
    distinct, others = np.unique(ordinals, return_inverse=True)
    column = _joined(signed.streams, index.streams(distinct))
    shared = exact_overlaps(column, asked, others.reshape(-1) + len(signed), index.spec.minhash.k)
    return exact_similarities(*shared)


def _joined(one: TextColumn, other: TextColumn) -> TextColumn:
    data = np.concatenate((one.data[one.offsets[0] : one.offsets[-1]], other.data))
    offsets = np.concatenate(
        (one.offsets - one.offsets[0], other.offsets[1:] + (one.offsets[-1] - one.offsets[0]))
    )
    return TextColumn(data, offsets)
