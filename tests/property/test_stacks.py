from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.diffing import stack
from dedup.text import words

text = st.lists(st.sampled_from(["a", "b", "c", "d", "e\u0301", "日本", "½"]), max_size=14).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(text, st.lists(text, max_size=4), st.sampled_from([None, 0, 1]))
def test_a_representative_with_one_texts_variants_put_in_is_that_text(representative, others, context):
    found = stack(representative, others, context=context)

    for place, expected in enumerate([representative, *others]):
        rebuilt = [
            next(variant.text for variant in part.variants if place in variant.texts)
            if part.kind == "spot"
            else part.text
            for part in found.parts
        ]
        assert words(" ".join(rebuilt)) == words(expected)
    assert "".join(part.text for part in found.parts) == representative
