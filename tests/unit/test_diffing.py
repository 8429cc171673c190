import textwrap

import numpy as np
import pytest

from dedup.diffing import Change, alignment, diff
from tests.reference import cases, marked

BUDGET = (
    "The city council approved a new budget on Tuesday that raises spending on public transport by 12 percent.",
    "The plan adds three bus routes in the northern districts and extends evening service on the tram network.",
    "The mayor said the new routes would start in the spring and promised a review after one year.",
    "Opposition members asked for figures on the cost of the tram network and on the fares of the coming years.",
    "Residents of the northern districts welcomed the evening service and asked for shelters at the stops.",
)
FOOTER = "This story was first published by the Daily Ledger."
FILLER = " ".join(f"word{number}" for number in range(200))


def text(*paragraphs):
    return "\n\n".join(paragraphs)


def vocabulary(number, seed=4):
    rng = np.random.default_rng(seed)
    return [f"w{drawn}" for drawn in rng.integers(0, 4000, number)]


def with_replacements(words, number, seed=5):
    changed = list(words)
    for place in np.random.default_rng(seed).choice(len(words), number, replace=False):
        changed[place] = "changed"
    return changed


def test_a_syndicated_copy_is_one_fold_and_its_footer():
    found = diff(text(*BUDGET), text(*BUDGET, FOOTER))

    assert marked.lines(found) == [
        "fold | 4 equal paragraphs, 74 words",
        f"equal | {BUDGET[4]} | {BUDGET[4]}",
        f"right_only |  | {{+{FOOTER}+}}",
    ]
    assert (found.coverage_left, found.coverage_right) == (1.0, pytest.approx(90 / 99))


def test_a_correction_marks_the_number_and_lists_it():
    found = diff(BUDGET[0], BUDGET[0].replace("12", "14"))

    assert "by [-number:12-] percent." in marked.lines(found)[0]
    assert "by {+number:14+} percent." in marked.lines(found)[0]
    assert found.numbers_differ == (("12 percent", "14 percent"),)
    assert found.changes == (Change(1, "changed", "12", "14", 1, 1),)


def test_each_kind_of_fact_is_listed_by_itself():
    left = "Members did not agree on Monday. Tickets cost €3.50 since 5 May 2024, for 300 seats, they said in the hall."
    right = "Members did agree on Friday. Tickets cost €4.20 since 6 June 2024, for 350 seats, they said in the hall."

    found = diff(left, right)

    assert found.negations_differ == (("not", ""),)
    assert found.dates_differ == (("Monday", "Friday"), ("5 May 2024", "6 June 2024"))
    assert found.prices_differ == (("€3.50", "€4.20"),)
    assert found.numbers_differ == (("300", "350"),)


def test_facts_that_both_texts_have_are_not_listed():
    found = diff("The old price was 12 percent higher here", "The new cost is 12 percent lower there")

    assert found.facts == ()


def test_a_price_alone_on_its_line_is_paired_with_the_other_one():
    found = diff(text("A garden chair of oak", "12,50"), text("A garden chair of oak", "13,99"))

    assert found.numbers_differ == (("12,50", "13,99"),)


def test_numbers_of_a_footer_that_only_one_side_has_dont_differ():
    found = diff(text(*BUDGET), text(*BUDGET, "© 2024 Daily Ledger, 12 Main Street"))

    assert found.facts == ()


def test_addresses_are_marked_but_no_fact():
    found = diff("See https://a.example/item/123 for more", "See https://a.example/item/456 for more")

    assert found.facts == ()
    assert found.changed_words == 2


def test_a_moved_paragraph_points_to_its_other_place_with_its_changes_marked():
    moved = BUDGET[3].replace("figures", "numbers")

    found = diff(text(*BUDGET), text(moved, BUDGET[0], BUDGET[1], BUDGET[2], BUDGET[4]))

    first, *_, last = (row for row in found.rows if row.kind == "moved")
    assert (first.right_paragraph, first.left_paragraph, first.moved_to) == (1, None, 4)
    assert (last.left_paragraph, last.right_paragraph, last.moved_to) == (4, None, 1)
    assert "asked for {+numbers+} on" in marked.cell(first.right)
    assert "asked for [-figures-] on" in marked.cell(last.left)
    assert first.change == last.change
    assert (found.moved_words, found.deleted_words, found.inserted_words) == (19, 1, 1)


def test_moves_are_listed_once_with_both_places():
    found = diff(text(*BUDGET), text(BUDGET[4], *BUDGET[:4]))

    assert found.changes == (Change(1, "moved", BUDGET[4], BUDGET[4], 5, 1),)
    assert not found.order_differs


def test_many_moves_say_that_the_order_differs():
    paragraphs = [" ".join(vocabulary(20, seed)) for seed in range(12)]

    found = diff(text(*paragraphs), text(*reversed(paragraphs)))

    assert found.order_differs
    assert found.changed_words == 0


def test_a_short_paragraph_elsewhere_is_no_move():
    found = diff(text("Read more here", *BUDGET), text(*BUDGET, "Read more here"))

    assert {row.kind for row in found.rows} == {"left_only", "right_only", "equal", "fold"}


def test_a_split_paragraph_is_shown_as_one_row():
    halves = BUDGET[1].split(" and ")

    found = diff(text(*BUDGET), text(BUDGET[0], f"{halves[0]}.", f"It also {halves[1]}", *BUDGET[2:]))

    [row] = [row for row in found.rows if row.kind == "split"]
    assert (row.left_paragraphs, row.right_paragraphs) == ((2,), (2, 3))
    assert marked.cell(row.left).endswith("districts [-and-] extends evening service on the tram network.")
    assert marked.cell(row.right).endswith(
        "districts.\n\n{+It also+} extends evening service on the tram network."
    )


def test_joined_paragraphs_are_the_mirror_of_a_split():
    found = diff(text(*BUDGET), text(BUDGET[0], f"{BUDGET[1]} {BUDGET[2]}", *BUDGET[3:]))

    [row] = [row for row in found.rows if row.kind == "joined"]
    assert (row.left_paragraphs, row.right_paragraphs) == ((2, 3), (2,))
    assert found.changed_words == 0


def test_unrelated_paragraphs_are_not_paired():
    found = diff(
        BUDGET[0], "Tulips and roses need water every morning in a dry summer, gardeners in the valley say."
    )

    assert [row.kind for row in found.rows] == ["left_only", "right_only"]


def test_one_or_two_equal_words_inside_a_rewritten_stretch_are_marked_with_it():
    found = diff("a b c d the e f g h", "i j k l the m n o p")

    assert found.changed_words == 18


def test_an_equal_word_between_two_small_changes_stays_equal():
    found = diff("costs 12 of 14 euros in all", "costs 13 of 15 euros in all")

    assert marked.cell(found.rows[0].left) == "costs [-number:12-] of [-price:14-] euros in all"


def test_case_punctuation_and_blanks_are_not_marked():
    found = diff("The Mayor,  said: “Yes”\nand left", "the mayor said yes\nand left.")

    assert found.changes == ()


def test_case_punctuation_and_blanks_are_marked_on_wish():
    found = diff("The Mayor, said yes today", "the Mayor said yes today", literal=True)

    assert marked.lines(found) == ["changed | [-The Mayor, -]said yes today | {+the Mayor +}said yes today"]


def test_a_long_equal_stretch_inside_a_paragraph_is_folded_with_its_size():
    found = diff(f"First {FILLER} last word", f"Other {FILLER} final word")

    [row] = found.rows
    assert "<176 words>" in marked.cell(row.left)
    assert "<176 words>" in marked.cell(row.right)
    assert row.equal_words == 201


def test_opening_a_difference_shows_everything():
    found = diff(text(f"First {FILLER}", *BUDGET), text(f"Other {FILLER}", *BUDGET))

    assert {span.kind for row in found.unfolded for span in row.left} == {"equal", "deleted", "space"}
    assert len(found.unfolded) == 6


def test_nothing_is_folded_without_a_context():
    found = diff(text(*BUDGET), text(*BUDGET, FOOTER), context=None)

    assert [row.kind for row in found.rows] == ["equal"] * 5 + ["right_only"]


def test_more_context_keeps_more_paragraphs_open():
    found = diff(text(*BUDGET), text(*BUDGET, FOOTER), context=2)

    assert [row.kind for row in found.rows] == ["fold", "equal", "equal", "right_only"]


def test_a_few_equal_words_are_not_worth_a_fold():
    found = diff(text("One", "Two", "Three", "Four or five"), text("One", "Two", "Three", "Six or seven"))

    assert "fold" not in {row.kind for row in found.rows}


def test_one_long_paragraph_is_compared_sentence_by_sentence():
    sentences = " ".join(BUDGET * 2)

    found = diff(sentences, f"{sentences} {FOOTER}")

    assert found.unit == "sentence"
    assert found.rows[0].fold_size == "9 equal sentences, 164 words"
    assert marked.lines(found)[-1] == f"right_only |  | {{+{FOOTER}+}}"


def test_sentences_are_found_without_blanks_in_chinese():
    left = "今天市议会批准了新的预算。" * 12
    right = left.replace("批准", "否决", 1)

    found = diff(left, right)

    assert found.unit == "sentence"
    assert (
        marked.lines(found)[0] == "changed | 今天市议会[-批准-]了新的预算。 | 今天市议会{+否决+}了新的预算。"
    )


def test_lines_wrapped_at_another_width_are_the_same_paragraph():
    narrow, wide = (textwrap.fill(FILLER, width) for width in (66, 79))

    found = diff(text(narrow, BUDGET[0]), text(wide, BUDGET[0]))

    assert found.changes == ()


def test_lines_of_a_list_are_paragraphs_of_their_own():
    found = diff("milk\nbread\neggs\n", "milk\nbutter\neggs\n")

    assert marked.lines(found) == [
        "equal | milk | milk",
        "left_only | [-bread-] | ",
        "right_only |  | {+butter+}",
        "equal | eggs | eggs",
    ]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("ราคาใหม่ของร้านนี้", "ราคาเก่าของร้านนี้", "ราคา[-ใหม่-]ของร้านนี้"),
        ("قالت المدرسة نعم اليوم", "قالت المدرسة لا اليوم", "قالت المدرسة [-نعم-] اليوم"),
        ("नमस्ते दुनिया आज भी", "नमस्ते भारत आज भी", "नमस्ते [-दुनिया-] आज भी"),
        ("cafe\u0301 ole\u0301 au lait", "café noir au lait", "cafe\u0301 [-ole\u0301-] au lait"),
        (
            "1\ufe0f\u20e3 first of all here",
            "2\ufe0f\u20e3 first of all here",
            "[-number:1\ufe0f\u20e3-] first of all here",
        ),
        ("½ cup of warm milk", "⅓ cup of warm milk", "[-number:½-] cup of warm milk"),
    ],
)
def test_scripts_marks_and_joined_characters_stay_whole(left, right, expected):
    assert marked.cell(diff(left, right).rows[0].left) == expected


def test_both_directions_change_the_same_words():
    texts = cases.texts("ui32")

    there, back = diff(texts["left"], texts["right"]), diff(texts["right"], texts["left"])

    assert (there.changed_words, there.deleted_words) == (240, 240)
    assert (back.changed_words, back.inserted_words) == (240, 240)


def test_two_texts_of_seventy_kilobytes_fold_to_their_changes():
    words = vocabulary(8500)

    found = diff(" ".join(words), " ".join(with_replacements(words, 60)))

    shown = sum(span.words for row in found.rows for span in row.left if span.kind != "fold")
    assert (found.deleted_words, found.inserted_words, found.truncated_at) == (60, 60, None)
    assert shown < 2000


def test_a_longer_text_is_compared_to_the_limit_and_shown_to_its_end():
    left, right = " ".join(vocabulary(300)), " ".join(vocabulary(120))

    found = diff(left, right, max_words=100)

    assert found.truncated_at == 100
    assert (found.left_words, found.right_words) == (100, 100)
    assert found.rows[-1].kind == "uncompared"
    assert (marked.raw(found, "left"), marked.raw(found, "right")) == (left, right)


def test_a_giant_word_doesnt_escape_the_limit():
    found = diff("x" * 10_000, "y", max_words=10)

    assert found.truncated_at == 10
    assert marked.raw(found, "left") == "x" * 10_000


@pytest.mark.parametrize(
    "unit",
    [
        "x",
        "1",
        "1,",
        "-",
        ".",
        '"',
        "a1",
        "n't",
        "www.",
        "€",
        " ",
        "\n",
        "\u0301",
        "(",
        "5 ",
        "not ",
        "May ",
        "日",
    ],
)
def test_monotonous_texts_are_compared_without_delay(unit):
    left, right = f"Start {unit * 20_000} end", f"Begin {unit * 20_000} end"

    found = diff(left, right)

    assert (marked.raw(found, "left"), marked.raw(found, "right")) == (left, right)


def test_thousands_of_lines_are_aligned_in_blocks():
    lines = [" ".join(vocabulary(4, seed)) for seed in range(1200)]
    changed = [" ".join(with_replacements(line.split(), 1, seed)) for seed, line in enumerate(lines)]

    found = diff("\n".join(lines), "\n".join(changed))

    assert {row.kind for row in found.rows} == {"changed"}
    assert found.deleted_words == 1200


def test_thousands_of_lines_in_another_order_still_find_their_equals():
    lines = [" ".join(vocabulary(13, seed)) for seed in range(1100)]

    found = diff("\n".join(lines), "\n".join(lines[600:] + lines[:600]))

    assert (found.changed_words, found.moved_words) == (0, 500 * 13)


def test_of_very_many_loose_paragraphs_only_equal_ones_are_moves(monkeypatch):
    monkeypatch.setattr(alignment, "MOST_COMPARED", 4)
    first, second, third = (" ".join(vocabulary(20, seed)) for seed in range(3))

    found = diff(
        text(first, second, third, *BUDGET), text(*BUDGET, second, first, third.replace("w", "v", 1))
    )

    moves = [(row.left_paragraph, row.moved_to) for row in found.rows if row.kind == "moved" and row.left]
    assert moves == [(1, 7), (2, 6)]
    assert found.deleted_words == 20


@pytest.mark.parametrize(
    ("left", "right", "kinds"),
    [
        ("", "", []),
        ("", "text", ["right_only"]),
        ("  \n ", "text", ["left_only", "right_only"]),
        ("***", "…", ["equal"]),
    ],
)
def test_texts_without_words_have_nothing_to_mark(left, right, kinds):
    found = diff(left, right)

    assert [row.kind for row in found.rows] == kinds
    assert (found.coverage_left, found.equal_words) == (None, 0)


def test_two_texts_without_words_have_no_equal_share():
    assert diff("", "…").equal_share is None
    assert diff("a b", "a c").equal_share == 0.5


def test_the_strip_shows_where_changes_are():
    found = diff(text(*BUDGET), text(*BUDGET[:4], BUDGET[4].replace("stops", "ends")))

    [mark] = found.strip
    assert (mark.kind, mark.change, mark.start + mark.height) == ("changed", 1, 1000)
    assert 750 < mark.start < 850


def test_what_was_inserted_follows_what_was_deleted_in_one_flow():
    found = diff("we saw a big dog there", "we saw a small red dog over there")

    assert marked.cell(found.rows[0].inline) == "we saw a [-big-]{+small red+} dog {+over+} there"


def test_words_put_in_at_the_end_keep_their_blank_in_one_flow():
    found = diff("we saw a big dog", "we saw a big dog there")

    assert marked.cell(found.rows[0].inline) == "we saw a big dog {+there+}"


def test_an_inserted_sentence_is_marked_from_its_beginning():
    left = "The council met. The mayor spoke first. They left late in the evening."
    right = "The council met. The mayor spoke first. The mayor was late. They left late in the evening."

    found = diff(left, right)

    assert "{+The mayor was late+}." in marked.cell(found.rows[0].right)


def test_two_facts_inside_one_word_share_its_mark():
    found = diff("same words here 他不没去 了 and there", "same words here and there", normaliser="lesson")

    assert marked.cell(found.rows[0].left) == "same words here [-negation:他不没去-][- 了-] and there"


def test_a_fact_that_only_moved_doesnt_differ():
    left = "The council approved on 5 May the plan that costs 12 million in all and is paid by the state."
    right = "The council approved the plan that costs 12 million in all on 5 May and is paid by the state."

    found = diff(left, right)

    assert found.facts == ()
    assert found.changed_words == 6
