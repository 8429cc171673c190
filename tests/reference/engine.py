"""The candidate search as a textbook would write it: dictionaries, sets, all pairs."""

from collections import defaultdict
from itertools import combinations, pairwise


def band_members(signatures, bands, rows_per_band, valid):
    """Give, band by band, the lists of texts that agree on all rows of that band."""
    for band in range(bands):
        members = defaultdict(list)
        for text, row in enumerate(signatures):
            if valid[text]:
                members[tuple(row[band * rows_per_band : (band + 1) * rows_per_band])].append(text)
        yield band, [texts for texts in members.values() if len(texts) > 1]


def candidate_pairs(signatures, bands, rows_per_band, valid, hub_limit, neighbours):
    """Pairs as a sorted list, hubs as sorted (band, texts)."""
    pairs, hubs = set(), []
    for band, groups in band_members(signatures, bands, rows_per_band, valid):
        for texts in groups:
            if len(texts) <= hub_limit:
                pairs.update(combinations(texts, 2))
                continue
            hubs.append((band, texts))
            for place, text in enumerate(texts):
                pairs.update((text, other) for other in texts[place + 1 : place + 1 + neighbours])
    return sorted(pairs), sorted(hubs)


def colliding(keys, valid):
    """Rows whose key occurs twice or more among the valid rows."""
    ordered = sorted(key for key, is_valid in zip(keys, valid, strict=True) if is_valid)
    repeated = {key for key, following in pairwise(ordered) if key == following}
    return [row for row, key in enumerate(keys) if valid[row] and key in repeated]


def families(keys, valid):
    """Lists of valid rows with one key, as a mapping from the first of each."""
    rows = defaultdict(list)
    for row, key in enumerate(keys):
        if valid[row]:
            rows[key].append(row)
    return {members[0]: members for members in rows.values()}


def pool(streams, signatures_by_recipe, bands, rows_per_band, hub_limit, neighbours):
    """All pairs of different streams that collide under one recipe or more."""
    valid = [bool(stream) for stream in streams]
    found = set()
    for signatures in signatures_by_recipe:
        pairs, _ = candidate_pairs(signatures, bands, rows_per_band, valid, hub_limit, neighbours)
        found.update(pairs)
    return sorted(pair for pair in found if streams[pair[0]] != streams[pair[1]])
