"""The figures that the lesson prints, from the lesson's own texts, with both normalisers."""

import numpy as np
import pytest

from dedup import kernel
from dedup.banding import choose_bands
from dedup.kernel import TextColumn
from dedup.minhash import agreements
from dedup.shingling import jaccard, shingles
from dedup.simhash import hamming_distance
from dedup.specs import MinHashSpec, SimHashSpec
from dedup.text import exact_key, words

ORIGINAL = (
    "The city council approved a new budget on Tuesday that raises spending on public "
    "transport by 12 percent. The plan adds three bus routes in the northern districts "
    "and extends evening service on the tram network. The mayor said the new routes "
    "would start in the spring and promised a review after one year."
)
TEXTS = {
    "orig": ORIGINAL,
    "syndicated": ORIGINAL + " This story was first published by the Daily Ledger.",
    "edited": ORIGINAL.replace(
        "approved a new budget on Tuesday", "on Tuesday approved a new budget"
    ).replace("would start in the spring", "will begin operating in spring"),
    "other": (
        "The city council postponed a vote on the housing plan on Tuesday. The plan "
        "would allow taller buildings near tram stops and cut parking requirements. "
        "The mayor said a revised proposal would be presented in the spring."
    ),
}
ORDER = list(TEXTS)
normalisers = pytest.mark.parametrize("normaliser", ["unicode", "lesson"])


def streams(normaliser):
    return kernel.clean(TextColumn.from_strings(TEXTS.values()), normaliser).streams


@normalisers
@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("syndicated", ["0.85", "0.85", "0.85"]),
        ("edited", ["0.89", "0.62", "0.49"]),
        ("other", ["0.25", "0.04", "0.00"]),
    ],
)
def test_jaccard_similarities_are_those_of_the_lesson(normaliser, name, printed):
    left, right = (words(TEXTS[text], normaliser) for text in ("orig", name))

    found = [f"{jaccard(shingles(left, k), shingles(right, k)):.2f}" for k in (1, 3, 5)]

    assert found == printed


@normalisers
def test_the_kernel_counts_the_same_overlaps(normaliser):
    column = streams(normaliser)
    left, right = np.zeros(3, np.int64), np.arange(1, 4)

    printed = []
    for k in (1, 3, 5):
        shared, united = kernel.exact_overlaps(column, left, right, k)
        printed.append([f"{share:.2f}" for share in shared / united])

    assert printed == [["0.85", "0.89", "0.25"], ["0.85", "0.62", "0.04"], ["0.85", "0.49", "0.00"]]


@normalisers
def test_fingerprints_lie_as_far_apart_as_in_the_lesson(normaliser):
    fingerprints = kernel.fingerprints(streams(normaliser), SimHashSpec())

    distances = hamming_distance(np.repeat(fingerprints[:1], 3), fingerprints[1:])

    assert distances.tolist() == [11, 23, 31]


@normalisers
def test_all_four_texts_have_different_exact_keys(normaliser):
    assert len({exact_key(text, normaliser) for text in TEXTS.values()}) == 4


@normalisers
def test_estimates_decide_as_in_the_lesson(normaliser):
    (rows,) = kernel.signatures(streams(normaliser), [MinHashSpec()])
    pairs = [(0, 1), (0, 2), (1, 2), (0, 3)]

    left, right = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    estimates = agreements(rows, left, right) / 128

    assert [bool(estimate >= 0.6) for estimate in estimates] == [True, True, False, False]
    assert choose_bands(0.5, num_perm=128, weights=(0.2, 0.8)).recipe == "bands:30|rows:4"


def test_the_lesson_normaliser_is_the_default_one_on_the_lesson_texts():
    assert [words(text) for text in TEXTS.values()] == [words(text, "lesson") for text in TEXTS.values()]
