import hashlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.candidates import decode_pairs, encode_pairs
from dedup.engines.families import families_of_exact_keys, families_of_keys, share_out
from tests.reference import engine as reference

marked_keys = st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=40)


def members_by_leader(families):
    return {
        int(lead): families.members[
            families.starts[lead] : families.starts[lead] + families.sizes[lead]
        ].tolist()
        for lead in np.flatnonzero(families.leads)
    }


@settings(max_examples=150, deadline=None)
@given(marked_keys)
def test_families_are_the_rows_that_share_a_key(rows):
    keys = np.array([key for key, _ in rows], np.uint64)
    valid = np.array([is_valid for _, is_valid in rows], np.bool_)
    expected = reference.families(keys.tolist(), valid.tolist())

    families = families_of_keys(keys, valid)

    assert members_by_leader(families) == expected
    assert families.has_repeats == any(len(members) > 1 for members in expected.values())
    number_of = {row: lead for lead, members in expected.items() for row in members}
    assert families.numbers.tolist() == [number_of.get(row, -1) for row in range(len(rows))]


@settings(max_examples=150, deadline=None)
@given(marked_keys)
def test_exact_keys_that_begin_alike_are_still_told_apart(rows):
    contents = [bytes(8) + hashlib.sha256(bytes([key])).digest()[8:] for key, _ in rows]
    keys = np.frombuffer(b"".join(contents), np.uint8).reshape(-1, 32)
    valid = np.array([is_valid for _, is_valid in rows], np.bool_)

    families = families_of_exact_keys(keys, valid)

    assert members_by_leader(families) == reference.families(contents, valid.tolist())


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=40), st.data())
def test_pairs_of_leaders_become_pairs_of_members_all_of_them_if_they_are_few(keys, data):
    families = families_of_keys(np.array(keys, np.uint64), np.ones(len(keys), np.bool_))
    members = members_by_leader(families)
    leaders = sorted(members)
    pairs = [(a, b) for a in leaders for b in leaders if a < b and data.draw(st.booleans())]
    codes = encode_pairs(np.array([a for a, _ in pairs], np.int64), np.array([b for _, b in pairs], np.int64))

    shared, bounded = share_out(codes, families, pair_limit=12)

    found = set(zip(*(column.tolist() for column in decode_pairs(shared)), strict=True))
    for a, b in pairs:
        product = {(min(x, y), max(x, y)) for x in members[a] for y in members[b]}
        if len(product) <= 12:
            assert product <= found
        else:
            assert 0 < len(product & found) <= 12
            larger = max(members[a], members[b], key=lambda family: (len(family), -family[0]))
            assert (len(larger), tuple(larger[:5])) in bounded
    assert found <= {(min(x, y), max(x, y)) for a, b in pairs for x in members[a] for y in members[b]}
