"""The sample and the figures as one would compute them by hand: loops over pairs, straight from the formulas."""

import itertools
import math
from types import SimpleNamespace

from scipy.stats import beta

MASK = 2**64 - 1


def mix(state):
    """One round of splitmix64."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def permanent_random_number(left, right, salt):
    """A number in (0, 1) from two keys in sorted order and a salt."""
    state = mix(salt & MASK)
    for key in sorted((left, right)):
        state = mix(state ^ key)
    return ((state >> 11) + 0.5) / 2**53


def draw(levels, u, edges, quota):
    """The drawn pairs, and for each (digest, low): population, drawn pairs in the order of u, next u."""
    drawn, strata = set(), {}
    for digest, column in levels.items():
        for low, high in itertools.pairwise(edges):
            inside = sorted((u[pair], pair) for pair, level in enumerate(column) if low <= level < high)
            chosen = [pair for _, pair in inside[:quota]]
            next_u = inside[quota][0] if len(inside) > quota else 1.0
            strata[digest, low] = (len(inside), chosen, next_u)
            drawn.update(chosen)
    return sorted(drawn), strata


def inclusion_probabilities(strata, sample):
    """The largest cutoff among the buckets that a pair lies in, for every pair of the sample."""
    count = len(sample.u)
    probabilities = [0.0] * count
    for stratum in strata:
        inside = [
            pair
            for pair in range(count)
            if stratum.low <= sample.levels[stratum.digest, "exact"][pair] < stratum.high
        ]
        members = sorted(
            (pair for pair in inside if sample.drawn[pair] and sample.u[pair] < stratum.next_u),
            key=lambda pair: sample.u[pair],
        )[: stratum.sampled]
        prefix = 0
        while prefix < len(members) and sample.verdicts[members[prefix]] != -2:
            prefix += 1
        if prefix == 0:
            cutoff = 0.0
        elif prefix == stratum.population:
            cutoff = 1.0
        elif prefix < len(members):
            cutoff = (sample.u[members[prefix - 1]] + sample.u[members[prefix]]) / 2
        else:
            cutoff = (sample.u[members[prefix - 1]] + stratum.next_u) / 2
        for pair in inside:
            probabilities[pair] = max(probabilities[pair], cutoff)
    return probabilities


def surfacing_chance(pair, banded, sample):
    """One minus the chance that the pair collides under no recipe, at least 0.05."""
    missed = 1.0
    for summary in banded:
        similarity = sample.levels[summary.digest, "exact"][pair] / 1000
        missed *= (1 - similarity**summary.rows_per_band) ** summary.bands
    return max(1 - missed, 0.05)


def figures(summary, edges, strata, banded, sample, threshold_level, *, rule=None, unsure_as=None):  # noqa: C901 - one formula after another
    """Precision, recall, errors and so on of one setting on an exact score, or None where there is no data."""
    probabilities = inclusion_probabilities(strata, sample)
    levels = sample.levels[summary.digest, "exact"]
    count = len(sample.u)
    verdict = [
        unsure_as if value == -1 and unsure_as is not None else value for value in map(int, sample.verdicts)
    ]
    clear = [pair for pair in range(count) if verdict[pair] in (0, 1)]
    known = [pair for pair in range(count) if int(sample.verdicts[pair]) in (0, 1)]
    sampled = [pair for pair in clear if sample.u[pair] <= probabilities[pair]]
    passes = sample.passes[rule] if rule else [True] * count
    passing = summary.histogram_rule if rule else summary.histogram

    buckets = list(itertools.pairwise(edges))

    def cell(low, high, *, blocked=False):
        members = [pair for pair in sampled if low <= levels[pair] < high and bool(passes[pair]) != blocked]
        certain = [pair for pair in known if low <= levels[pair] < high and bool(passes[pair]) != blocked]
        size = sum(
            int(summary.histogram[level]) - int(passing[level]) if blocked else int(passing[level])
            for level in range(low, min(high, 1001))
        )
        weights = {pair: 1 / probabilities[pair] for pair in members}
        return SimpleNamespace(
            size=size,
            members=members,
            share=sum(weights[pair] * verdict[pair] for pair in members) / sum(weights.values())
            if members
            else None,
            kish=sum(weights.values()) ** 2 / sum(weight**2 for weight in weights.values())
            if members
            else 0.0,
            duplicates=sum(verdict[pair] == 1 for pair in certain),
            distinct=sum(verdict[pair] == 0 for pair in certain),
            surfaced=_surfaced(members, weights, verdict, banded, sample),
        )

    whole = [cell(low, high) for low, high in buckets]
    _fill(whole)
    blocked = [cell(low, high, blocked=True) for low, high in buckets]
    _fill(blocked)
    for stopgap, other in zip(blocked, whole, strict=True):
        stopgap.share = other.share if stopgap.share is None else stopgap.share
        stopgap.surfaced = other.surfaced if stopgap.surfaced is None else stopgap.surfaced
    inside, outside = [], [*blocked] if rule else []
    for (low, high), bucket in zip(buckets, whole, strict=True):
        bucket.centre = 0.5
        if low >= threshold_level:
            inside.append(bucket)
        elif high <= threshold_level:
            outside.append(bucket)
        else:
            for part, side in ((cell(threshold_level, high), inside), (cell(low, threshold_level), outside)):
                part.share = bucket.share if part.share is None else part.share
                part.surfaced = bucket.surfaced if part.surfaced is None else part.surfaced
                part.centre = (
                    (bucket.share * bucket.kish + 0.5) / (bucket.kish + 1) if bucket.members else 0.5
                )
                if side is inside:
                    part.centre = (part.centre + 0.5) / 2
                side.append(part)
    if all(bucket.share is None for bucket in whole):
        return SimpleNamespace(
            precision=None, recall=None, recall_all=None, missed=None, links=sum(c.size for c in inside)
        )

    def duplicates(part):
        return min(max(part.size * part.share, part.duplicates), part.size - part.distinct)

    links = sum(part.size for part in inside)
    found, missed = sum(map(duplicates, inside)), sum(map(duplicates, outside))
    everywhere = sum(duplicates(part) * max(part.surfaced or 1.0, 1.0) for part in inside + outside)
    labelled = any(part.members for part in inside)
    return SimpleNamespace(
        links=links,
        labelled=sum(len(part.members) for part in inside),
        precision=found / links if links and labelled else None,
        precision_interval=_korn_graubard(inside, found, links) if links and labelled else None,
        recall=found / (found + missed) if found + missed > 0 else None,
        recall_all=found / everywhere if everywhere > 0 else None,
        missed=missed,
    )


def _surfaced(members, weights, verdict, banded, sample):
    if not members:
        return None
    chosen = [pair for pair in members if verdict[pair] == 1] or members
    total = sum(weights[pair] for pair in chosen)
    return sum(weights[pair] / surfacing_chance(pair, banded, sample) for pair in chosen) / total


def _fill(buckets):
    """Buckets without labels lie on the line between their labelled neighbours."""
    for name in ("share", "surfaced"):
        known = [place for place, bucket in enumerate(buckets) if getattr(bucket, name) is not None]
        values = {place: getattr(buckets[place], name) for place in known}
        for place, bucket in enumerate(buckets):
            if place in values or not known:
                continue
            below = [other for other in known if other < place]
            above = [other for other in known if other > place]
            if not below or not above:
                value = values[above[0] if above else below[-1]]
            else:
                left, right = below[-1], above[0]
                value = values[left] + (values[right] - values[left]) * (place - left) / (right - left)
            setattr(bucket, name, value)


def _korn_graubard(inside, found, links, confidence=0.95):
    open_parts = [part for part in inside if part.duplicates + part.distinct < part.size]
    certain = sum(part.duplicates for part in inside if part not in open_parts)
    unknown = sum(part.size for part in open_parts)
    if not unknown:
        return found / links, found / links
    smoothed = variance = 0.0
    for part in open_parts:
        own = (part.share * part.kish + part.centre) / (part.kish + 1) if part.kish else part.centre
        size = 1 / (1 / part.kish - 1 / part.size) if part.kish else 0.0
        smoothed += part.size * own / unknown
        variance += (part.size / unknown) ** 2 * own * (1 - own) / max(size, 1.0)
    share, size = (found - certain) / unknown, smoothed * (1 - smoothed) / variance
    hits, misses, tail = share * size, (1 - share) * size, (1 - confidence) / 2
    low = beta.ppf(tail, hits, misses + 1) if hits > 1e-9 else 0.0
    high = beta.ppf(1 - tail, hits + 1, misses) if misses > 1e-9 else 1.0
    low = max(math.floor(certain + low * unknown + 1e-6), sum(part.duplicates for part in inside))
    high = min(math.ceil(certain + high * unknown - 1e-6), sum(part.size - part.distinct for part in inside))
    return min(low, found) / links, max(high, found) / links


def kappa(first, second):
    """Cohen's kappa, or None if chance alone would give full agreement."""
    pairs = len(first)
    raw = sum(left == right for left, right in zip(first, second, strict=True)) / pairs
    chance = sum(
        (list(first).count(verdict) / pairs) * (list(second).count(verdict) / pairs) for verdict in (1, 0, -1)
    )
    return None if chance > 1 - 1e-12 else (raw - chance) / (1 - chance)
