"""The index in files: what it keeps, what it refuses, and what a crash leaves of it."""

import pytest

from dedup.index import IndexSpec, MemoryIndex, SegmentIndex, ask, build_index, forget_tables, sign_texts
from dedup.index.table_files import plan_tables, tables_folder
from dedup.index.tables import MOST_OF_ONE_KEY
from dedup.specs import MinHashSpec, SimHashSpec

SPEC = IndexSpec(minhash=MinHashSpec(), simhash=SimHashSpec())


class Texts(list):
    def batch(self, start, stop):
        return self[start:stop]


def article(number):
    return " ".join(f"word{number}x{place}" for place in range(40))


def build(arrays, texts, spec=SPEC):
    return build_index(Texts(texts), spec, arrays=arrays, report=lambda _: None, workers=1)


def layer(index, text):
    [answer] = ask(index, sign_texts([text], index.spec))
    return answer.layer, [match.ordinal for match in answer.matches]


def test_the_recipe_at_the_usual_threshold_is_the_lessons_thirty_bands_of_four():
    assert SPEC.banding.recipe == "bands:30|rows:4"
    assert "bands:30|rows:4" in SPEC.recipe


@pytest.mark.parametrize(
    ("minhash", "simhash"),
    [
        (MinHashSpec(normaliser="lesson"), SimHashSpec()),
        (MinHashSpec(), SimHashSpec(max_distance=8)),
        (MinHashSpec(), SimHashSpec(max_distance=-1)),
    ],
)
def test_recipes_that_do_not_fit_together_are_refused(minhash, simhash):
    with pytest.raises(ValueError, match=r"words by|differ in 0 to 7"):
        IndexSpec(minhash=minhash, simhash=simhash)


def test_the_tables_of_an_index_survive_the_process_that_made_them(tmp_path):
    build(tmp_path, [article(number) for number in range(30)])

    index = SegmentIndex(tmp_path, SPEC)

    assert index.stored == index.stop == 30
    assert layer(index, article(7)) == ("simhash", [7])


def test_another_recipe_finds_no_tables_instead_of_reading_wrong_ones(tmp_path):
    build(tmp_path, [article(1)])

    other = SegmentIndex(tmp_path, IndexSpec(minhash=MinHashSpec(k=5), simhash=SimHashSpec()))

    assert other.stop == 0


def test_a_table_that_is_missing_or_cut_off_counts_as_no_index_and_is_made_again(tmp_path):
    build(tmp_path, [article(1), article(2)])
    damaged = next(tables_folder(tmp_path, SPEC).glob("*.keys.npy"))
    damaged.write_bytes(damaged.read_bytes()[:-8])

    assert SegmentIndex(tmp_path, SPEC).stop == 0

    build(tmp_path, [article(1), article(2)])

    assert SegmentIndex(tmp_path, SPEC).stop == 2


def test_a_run_that_is_killed_before_the_record_leaves_the_tables_that_were_there(tmp_path, monkeypatch):
    texts = [article(number) for number in range(8)]
    build(tmp_path, texts[:4])

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("dedup.index.building.write_record", die)
        with pytest.raises(KeyboardInterrupt):
            build(tmp_path, texts)

    assert SegmentIndex(tmp_path, SPEC).stop == 4
    build(tmp_path, texts)
    assert layer(SegmentIndex(tmp_path, SPEC), texts[6]) == ("simhash", [6])


def test_tables_that_no_record_names_any_more_are_deleted(tmp_path):
    texts = [article(number) for number in range(12)]
    for upto in (4, 6, 12):
        build(tmp_path, texts[:upto])

    names = {path.name.partition(".")[0] for path in tables_folder(tmp_path, SPEC).glob("*.npy")}

    assert names == {"0-12"}
    forget_tables(tmp_path, SPEC.recipe)
    assert SegmentIndex(tmp_path, SPEC).stop == 0


@pytest.mark.parametrize(
    ("there", "stop", "planned"),
    [
        ([], 5, [(0, 5)]),
        ([(0, 5)], 5, [(0, 5)]),
        ([(0, 100)], 110, [(0, 100), (100, 110)]),
        ([(0, 100), (100, 110)], 120, [(0, 100), (100, 120)]),
        ([(0, 100), (100, 150)], 180, [(0, 180)]),
        ([(0, 1000)], 2000, [(0, 1000), (1000, 2000)]),
        ([(0, 100)], 40, [(0, 40)]),
    ],
)
def test_new_tables_take_in_those_that_are_hardly_larger(there, stop, planned):
    assert plan_tables(there, stop, largest=1_500) == planned


def test_a_key_that_very_many_texts_have_does_not_bring_all_of_them():
    index = MemoryIndex(SPEC)
    texts = [f"{article(0)} tail{number} end{number} stop{number} last{number}" for number in range(1_500)]
    index.extend(sign_texts(texts, SPEC))

    places, _ = index.candidates(sign_texts([article(0)], SPEC))

    assert len(texts) > MOST_OF_ONE_KEY
    assert 0 < places.size <= 200


def test_texts_without_words_neither_find_nor_are_found():
    index = MemoryIndex(SPEC)
    index.extend(sign_texts(["…", article(1), "!"], SPEC))

    answers = ask(index, sign_texts(["", "…", article(1)], SPEC))

    assert [answer.layer for answer in answers] == ["none", "none", "simhash"]
    assert [match.ordinal for match in answers[2].matches] == [1]
