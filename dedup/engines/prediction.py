"""What a study will cost, from a sample of its texts, before it runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from dedup import kernel
from dedup.engines.estimating import PairEstimate, SampledPairs, estimate_hubs, estimate_pairs
from dedup.engines.families import families_of_exact_keys
from dedup.engines.protocol import TextSource
from dedup.kernel import CleanColumn, TextColumn
from dedup.minhash import agreements
from dedup.simhash import hamming_distance
from dedup.specs import StudySpec

PAIR_LIMIT = 50_000_000
PAIRED_TEXTS = 2_000
BASE_MB = 350.0
THRESHOLD_STEPS = tuple(round(0.05 * step, 2) for step in range(1, 20))

_SECONDS_PER_COLLISION = 1e-7
_SECONDS_PER_KEY = 3e-8
_TIMED_TEXTS = 1_000
_MEGABYTE = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What to expect of a study. All but ``texts`` and ``sampled`` are estimates.

    ``candidate_pairs`` is the expected size of the pool, between ``pairs_low`` and ``pairs_high`` in 19 cases of 20 as
    far as a sample can tell. ``hub_buckets`` counts the band keys that more texts will share than the hub limit.
    ``advice`` is one sentence: why it fits, or what to change.
    """

    texts: int
    sampled: int
    seconds: float
    memory_mb: float
    disk_mb: float
    candidate_pairs: int
    pairs_low: int
    pairs_high: int
    hub_buckets: int
    fits: bool
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What one text and one pair cost: measured seconds of one thread, and bytes of a clean stream."""

    read: float
    sign: float
    verify: float
    stream_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the study must fit into."""

    memory_mb: float | None
    pairs: int


def predict(
    source: TextSource,
    spec: StudySpec,
    *,
    sample: int,
    workers: int,
    memory_limit_mb: float | None = None,
    pair_limit: int = PAIR_LIMIT,
    seed: int = 1,
) -> Prediction:
    """Sign a seeded random sample of the texts and scale up what it shows.

    Each pair of the sample stands for ``(n / m)**2`` pairs of the corpus, near-duplicates and strangers alike, since a
    random sample holds both texts of a pair with that chance. The range allows for the drawing of the texts and for
    families in them; what is too rare to show in the sample stays unseen, so it is a range and no promise.

    Raises ``ValueError`` for a sample below 2 or without workers.
    """
    if sample < 2 or workers < 1:
        raise ValueError(f"a prediction needs two texts and one worker or more, not {sample} and {workers}")
    texts = len(source)
    ordinals = _sample_ordinals(texts, sample, seed)
    clean, sampled, costs = _sign_sample(source, spec, ordinals)
    limits = Limits(memory_mb=memory_limit_mb, pairs=pair_limit)
    with_words = round(texts * np.count_nonzero(clean.words) / max(len(clean.words), 1))
    pairs = estimate_pairs(sampled, spec, texts=with_words)
    hubs = estimate_hubs(sampled, spec, texts=with_words)
    memory_mb = _memory_mb(texts, pairs.expected, spec, workers)
    fits = pairs.expected <= limits.pairs and (limits.memory_mb is None or memory_mb <= limits.memory_mb)
    return Prediction(
        texts=texts,
        sampled=len(ordinals),
        seconds=_seconds(texts, pairs, spec, costs, workers),
        memory_mb=memory_mb,
        disk_mb=_disk_mb(texts, pairs.expected, spec, costs),
        candidate_pairs=round(pairs.expected),
        pairs_low=round(pairs.low),
        pairs_high=round(pairs.high),
        hub_buckets=hubs,
        fits=fits,
        advice=_advice(sampled, spec, texts=with_words, limits=limits, workers=workers, fits=fits),
    )


def _sample_ordinals(texts: int, sample: int, seed: int) -> NDArray[np.int64]:
    if texts <= sample:
        return np.arange(texts, dtype=np.int64)
    chosen = np.random.default_rng([seed, texts, sample]).choice(texts, sample, replace=False)
    return np.sort(chosen).astype(np.int64)


def _runs(ordinals: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut ascending ordinals into runs of neighbours."""
    breaks = np.flatnonzero(np.diff(ordinals) != 1) + 1
    for run in np.split(ordinals, breaks):
        if run.size:
            yield int(run[0]), int(run[-1]) + 1


def _sign_sample(
    source: TextSource, spec: StudySpec, ordinals: NDArray[np.int64]
) -> tuple[CleanColumn, SampledPairs, Costs]:
    read = _time_of_reading(source)
    column = TextColumn.from_strings([text for run in _runs(ordinals) for text in source.batch(*run)])
    warm = kernel.clean(column.take(np.arange(min(len(column), 20))), spec.normaliser)
    _sign(warm.streams, spec)
    began = perf_counter()
    clean = kernel.clean(column, spec.normaliser)
    signatures, fingerprints = _sign(clean.streams, spec)
    signed = (perf_counter() - began) / max(len(column), 1)
    sampled = _sampled_pairs(signatures, fingerprints, clean, spec)
    costs = Costs(
        read=read,
        sign=signed,
        verify=_time_of_verifying(clean.streams, spec),
        stream_bytes=clean.streams.data.size / max(len(column), 1),
    )
    return clean, sampled, costs


def _sign(streams: TextColumn, spec: StudySpec) -> tuple[list[NDArray[np.uint32]], NDArray[np.uint64] | None]:
    simhash = spec.simhash_spec
    signatures = kernel.signatures(streams, spec.minhash_specs)
    return signatures, None if simhash is None else kernel.fingerprints(streams, simhash)


def _sampled_pairs(
    signatures: Sequence[NDArray[np.uint32]],
    fingerprints: NDArray[np.uint64] | None,
    clean: CleanColumn,
    spec: StudySpec,
) -> SampledPairs:
    """Compare up to 2,000 texts of the sample, each with each."""
    families = families_of_exact_keys(clean.exact_keys, clean.words > 0)
    family_of = families.numbers
    with_words = np.flatnonzero(clean.words)
    chosen = with_words[:: max(1, -(-with_words.size // PAIRED_TEXTS))]
    left_places, right_places = np.triu_indices(chosen.size, 1)
    left, right = chosen[left_places], chosen[right_places]
    is_near = np.zeros(left.size, np.bool_)
    if fingerprints is not None:
        is_near = hamming_distance(fingerprints[left], fingerprints[right]) <= spec.simhash_distance
    return SampledPairs(
        texts=int(chosen.size),
        left=left_places,
        right=right_places,
        levels=tuple(agreements(rows, left, right) for rows in signatures),
        is_near=is_near,
        is_identical=family_of[left] == family_of[right],
        signatures=tuple(rows[chosen] for rows in signatures),
        leads=families.leads[chosen],
    )


def _time_of_reading(source: TextSource) -> float:
    stop = min(len(source), _TIMED_TEXTS)
    began = perf_counter()
    source.batch(0, stop)
    return (perf_counter() - began) / max(stop, 1)


def _time_of_verifying(streams: TextColumn, spec: StudySpec) -> float:
    count = min(len(streams), _TIMED_TEXTS)
    left = np.arange(count, dtype=np.int64)
    right = left[::-1].copy()
    kernel.exact_overlaps(streams, left[:1], right[:1], spec.ks[0])
    began = perf_counter()
    for k in spec.ks:
        kernel.exact_overlaps(streams, left, right, k)
    return (perf_counter() - began) / max(count, 1)


def _seconds(texts: int, pairs: PairEstimate, spec: StudySpec, costs: Costs, workers: int) -> float:
    keys = texts * spec.num_perm / 3 * len(spec.ks)
    threaded = (
        texts * costs.sign
        + pairs.expected * costs.verify
        + keys * _SECONDS_PER_KEY
        + pairs.collisions * _SECONDS_PER_COLLISION
    )
    return texts * costs.read + threaded / workers


def _memory_mb(texts: int, pairs: float, spec: StudySpec, workers: int) -> float:
    text_bytes = 4 * spec.num_perm * len(spec.ks) + 32 + 4 + 24 + (8 if spec.simhash else 0)
    block_bytes = min(10 * 8 * texts, 96_000_000) * workers
    return BASE_MB + (texts * text_bytes + pairs * (2 * _pair_bytes(spec)) + block_bytes) / _MEGABYTE


def _disk_mb(texts: int, pairs: float, spec: StudySpec, costs: Costs) -> float:
    text_bytes = (
        costs.stream_bytes + 8 + 4 + 32 + 4 * spec.num_perm * len(spec.ks) + (8 if spec.simhash else 0)
    )
    return (texts * text_bytes + pairs * _pair_bytes(spec)) / _MEGABYTE


def _pair_bytes(spec: StudySpec) -> int:
    return 16 + 12 * len(spec.ks) + (1 if spec.simhash else 0)


def _advice(
    sampled: SampledPairs, spec: StudySpec, *, texts: int, limits: Limits, workers: int, fits: bool
) -> str:
    if fits:
        return "The study fits: collect the pairs."
    for threshold in THRESHOLD_STEPS:
        if threshold <= spec.collection_threshold:
            continue
        pairs = estimate_pairs(sampled, replace(spec, collection_threshold=threshold), texts=texts).expected
        if _fits(texts, pairs, spec, limits, workers):
            return (
                f"Raise the collection threshold from {spec.collection_threshold} to {threshold}: "
                f"that leaves about {round(pairs):,} pairs."
            )
    return _advice_on_recipes(spec, texts, limits, workers)


def _advice_on_recipes(spec: StudySpec, texts: int, limits: Limits, workers: int) -> str:
    if limits.memory_mb is None:
        return "Split the corpus: even near-identical texts make more pairs than the limit allows."
    for count in range(len(spec.ks) - 1, 0, -1):
        fewer = replace(spec, ks=tuple(sorted(spec.ks)[:count]))
        if _fits(texts, 0.0, fewer, limits, workers):
            names = " and ".join(str(k) for k in fewer.ks)
            return f"Study fewer k: with k = {names} alone the signatures fit into memory."
    needed = _memory_mb(texts, 0.0, replace(spec, ks=spec.ks[:1]), workers)
    return f"Give it more memory: {needed:,.0f} MB are needed for one k, the limit is {limits.memory_mb:,.0f} MB."


def _fits(texts: int, pairs: float, spec: StudySpec, limits: Limits, workers: int) -> bool:
    if pairs > limits.pairs:
        return False
    return limits.memory_mb is None or _memory_mb(texts, pairs, spec, workers) <= limits.memory_mb
