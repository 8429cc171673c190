"""The crawler's question, slow and obvious: every text is compared with every known one, layer after layer."""

from tests.reference.hashing import fingerprint, overlap, signature


def ask(streams, known, spec, hashfunc):
    """``streams`` and ``known`` are clean streams; returns a layer and the ordinals that it finds for each stream."""
    answers = []
    prints = [fingerprint(one, spec.simhash.k, spec.simhash.weighting) for one in known]
    rows = [signature(one, spec.minhash, hashfunc) for one in known]
    for stream in streams:
        if not stream:
            answers.append(("none", set()))
            continue
        own = fingerprint(stream, spec.simhash.k, spec.simhash.weighting)
        near = {
            ordinal
            for ordinal, other in enumerate(prints)
            if known[ordinal] and (own ^ other).bit_count() <= spec.simhash.max_distance
        }
        alike = {
            ordinal
            for ordinal, other in enumerate(known)
            if other
            and is_likely(signature(stream, spec.minhash, hashfunc), rows[ordinal], spec)
            and reaches(*overlap(stream, other, spec.minhash.k), spec.threshold)
        }
        answers.append(("simhash", near) if near else ("minhash", alike) if alike else ("none", set()))
    return answers


def is_likely(one, other, spec):
    """A band is equal, and the estimate is at most 0.15 below the threshold."""
    agreeing = sum(left == right for left, right in zip(one, other, strict=True))
    if agreeing < (spec.threshold - 0.15) * len(one):
        return False
    banding = spec.banding
    rows = banding.rows_per_band
    return any(
        one[band * rows : (band + 1) * rows] == other[band * rows : (band + 1) * rows]
        for band in range(banding.bands)
    )


def reaches(shared, together, threshold):
    return shared / together >= threshold - 1e-12
