from dedup.diffing import Variant, stack

STORY = "The council approved a new budget on Tuesday. It raises spending by 12 percent. The mayor spoke of buses."
FILLER = " ".join(f"word{number}" for number in range(100))


def joined(found):
    return "".join(part.text for part in found.parts)


def test_sixty_copies_with_four_endings_show_four_variants():
    endings = ["", " By the Ledger.", " By the Courier.", " All rights reserved."]
    others = [STORY + endings[number % 4] for number in range(1, 60)]

    found = stack(STORY, others)

    [spot] = found.spots
    assert [len(variant.texts) for variant in spot.variants] == [15, 15, 15, 15]
    assert spot.variants[0] == Variant("", tuple(range(0, 60, 4)))
    assert {variant.text for variant in spot.variants[1:]} == {
        "By the Ledger",
        "By the Courier",
        "All rights reserved",
    }
    assert (found.compared, found.texts) == (60, 60)


def test_each_spot_lists_its_own_text_first_then_the_most_frequent():
    found = stack(STORY, [STORY.replace("12", "14"), STORY.replace("12", "13"), STORY.replace("12", "13")])

    [spot] = found.spots
    assert spot.variants == (Variant("12", (0,)), Variant("13", (2, 3)), Variant("14", (1,)))
    assert joined(found) == STORY


def test_texts_with_the_same_words_are_one_variant():
    found = stack(STORY, [STORY.upper(), STORY.replace(".", " !")])

    assert found.spots == ()
    assert joined(found) == STORY


def test_changes_that_overlap_are_one_spot():
    found = stack(
        "one two three four five six",
        ["one TWO2 three four five six", "one alpha beta four five six", "one two gamma four five six"],
    )

    [spot] = found.spots
    assert [variant.text for variant in spot.variants] == [
        "two three",
        "TWO2 three",
        "alpha beta",
        "two gamma",
    ]


def test_long_shared_stretches_are_folded_between_spots():
    found = stack(f"Start {FILLER} middle {FILLER} end", [f"Begin {FILLER} centre {FILLER} end"])

    assert [part.kind for part in found.parts] == ["spot", "equal", "fold", "equal", "spot", "equal", "fold"]
    assert [part.words for part in found.parts if part.kind == "fold"] == [76, 89]
    assert joined(found) == f"Start {FILLER} middle {FILLER} end"


def test_nothing_is_folded_without_a_context():
    found = stack(FILLER, [f"{FILLER} more"], context=None)

    assert [part.kind for part in found.parts] == ["equal", "spot"]


def test_only_so_many_different_texts_are_compared_and_the_stack_says_so():
    found = stack(STORY, [STORY, *(f"{STORY} Number {number}" for number in range(5))], most_texts=2)

    assert (found.compared, found.texts) == (4, 7)
    assert [variant.texts for variant in found.spots[0].variants] == [(0, 1), (2,), (3,)]


def test_a_long_representative_is_shown_to_its_end():
    found = stack(FILLER, [FILLER.replace("word3 ", "")], max_words=10)

    assert joined(found) == FILLER
    assert found.parts[-1].kind == "uncompared"


def test_a_representative_without_words_is_shown_as_it_is():
    found = stack("***", ["--- something"])

    assert joined(found) == "***"
    assert found.spots[0].variants == (Variant("", (0,)), Variant("something", (1,)))
