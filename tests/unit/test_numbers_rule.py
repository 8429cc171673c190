import pytest

from dedup.numbers_rule import BREVITY, NUMBERS, held, marks_of
from dedup.text import normalise

LONG = "the council met again and talked about the same old plans for the old harbour " * 4


def reason(left, right):
    rows = marks_of(normalise(text).encode() for text in (left, right))
    return int(held(rows[:1], rows[1:])[0])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("C++ programming for beginners, second edition", "C# programming for beginners, second edition"),
        ("Store the vaccine at -20 °C today", "Store the vaccine at 20 °C today"),
        ("Deposit of $500 for every month", "Deposit of €500 for every month"),
        ("A class A+ freezer for your home", "A class A freezer for your home"),
        ("The part b12 is for sale here", "The part b13 is for sale here"),
        (f"{LONG} 12 people came", f"{LONG} 14 people came"),
        ("5 wins and 3 losses in all so far", "3 wins and 5 losses in all so far"),
    ],
)
def test_texts_that_differ_in_numbers_or_signs_alone_wait_for_a_person(left, right):
    assert reason(left, right) == NUMBERS


def test_in_a_short_text_a_different_number_counts_whatever_else_differs():
    left = "Regional road 506 is a paved road in Aven county with a length of 12 kilometres."
    right = "Regional road 511 is a paved road in Brock county with a length of 9 kilometres."

    assert reason(left, right) == NUMBERS


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (LONG, f"{LONG} and then everybody went home"),
        (f"{LONG} 12 people came", f"{LONG} 12 people came at last"),
        (f"{LONG} 12 people came", f"{LONG} 14 visitors were there"),
        ("Trams run until midnight on Fridays again", "Trams run until midnight on Sundays again"),
    ],
)
def test_edited_texts_are_left_to_the_threshold(left, right):
    assert reason(left, right) == 0


def test_very_short_texts_that_differ_wait_for_a_person():
    assert reason("red cotton shirt large", "red cotton shirt small") == BREVITY
    assert reason("red cotton shirt large", "Red  cotton shirt, LARGE") == 0


def test_a_text_without_words_has_an_empty_row():
    assert marks_of([b""]).tolist() == [[0, 0, 0]]
