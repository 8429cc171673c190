from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dedup.numbers_rule import held, marks_of
from dedup.text import words
from tests.reference import numbers_rule as reference

PIECES = [
    "road",
    "506",
    "507",
    "c++",
    "c#",
    "-20",
    "20 °C",
    "€5",
    "5 %",
    "किताब",
    "٣",
    "手机",
    "b12",
    "snake_case",
    "²",
    "✗",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join) | st.text(max_size=60)
LENGTHS = st.integers(0, 40)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(left=TEXTS, right=TEXTS, more=LENGTHS)
def test_links_are_held_as_the_slow_definition_says(left, right, more):
    ours, theirs = (words(f"{text} {'and so on ' * more}") for text in (left, right))
    rows = marks_of(" ".join(stream).encode("utf-8", "surrogatepass") for stream in (ours, theirs))

    assert held(rows[:1], rows[1:]).tolist() == [reference.reason(ours, theirs)]


@given(left=TEXTS, right=TEXTS)
def test_the_order_of_the_two_texts_changes_nothing_and_a_text_never_waits_for_itself(left, right):
    rows = marks_of(" ".join(words(text)).encode("utf-8", "surrogatepass") for text in (left, right))

    assert held(rows, rows[::-1]).tolist() == held(rows[::-1], rows).tolist()
    assert held(rows, rows).tolist() == [0, 0]
