"""Links whose numbers or signs differ are held for a person, and what people say wins."""

import json

import pytest
from django.core.management import call_command

from dedup.text import words
from labeling.models import Decision, Label
from labeling.services import blocked, figures, pair_rows
from tests.db import rows
from tests.reference import numbers_rule as reference
from tests.reference.cases import texts

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folders(tmp_path, settings):
    settings.ARRAYS_DIR = tmp_path / "arrays"
    settings.EXPORTS_DIR = tmp_path / "exports"


@pytest.fixture
def study_of_case(corpus, tmp_path):
    def study_of_case(case, **more):
        documents = {name: {"text": text} for name, text in (texts(case) | more).items()}
        rows.ingest(corpus, rows.write_jsonl(tmp_path / "docs.jsonl", documents))
        return rows.study_of(corpus, ks=(1, 3))

    return study_of_case


def decided(capsys, study, *arguments):
    call_command("decide", study.name, *map(str, arguments), "--json")
    return json.loads(capsys.readouterr().out)


def together(decision_id):
    """Ids of documents that share a cluster with another one."""
    members = Decision.objects.get(pk=decision_id).members.filter(cluster__documents__gt=1)
    return sorted(members.values_list("document__external_id", flat=True))


@pytest.mark.parametrize("case", ["nd15", "nd36"])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("threshold", [0.3, 0.6])
def test_texts_that_differ_in_numbers_or_signs_are_never_merged_in_silence(
    capsys, study_of_case, case, k, threshold
):
    study = study_of_case(case)

    values = decided(capsys, study, "--k", k, "--threshold", threshold)

    assert together(values["decision"]) == []
    assert values["rule"] == ("numbers" if values["held_for_review"] else "")
    assert Decision.objects.get(pk=values["decision"]).held_pairs.count() == values["held_for_review"]


def test_at_one_word_all_roads_wait_for_a_person(capsys, study_of_case):
    study = study_of_case("nd36")

    values = decided(capsys, study, "--k", 1, "--threshold", 0.6)

    assert (values["held_for_review"], values["links"], values["rule"]) == (45, 0, "numbers")


def test_who_wants_them_merged_says_so(capsys, study_of_case):
    study = study_of_case("nd15")

    values = decided(capsys, study, "--k", 1, "--threshold", 0.6, "--numbers", "merge")

    assert together(values["decision"]) == ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2"]
    assert (values["held_for_review"], values["rule"]) == (0, "")


def test_what_a_person_says_wins(capsys, study_of_case, tmp_path):
    study = study_of_case("nd15")
    answers = tmp_path / "answers.csv"
    answers.write_text("left_id,right_id,verdict\na1,a2,duplicate\nb1,b2,distinct\nc1,c2,unsure\n")
    call_command("labels", "import", study.name, answers, "--json")
    capsys.readouterr()

    values = decided(capsys, study, "--k", 1, "--threshold", 0.6, "--numbers", "hold")

    held = names_of(Decision.objects.get(pk=values["decision"]).held_pairs.all())
    assert together(values["decision"]) == ["a1", "a2"]
    assert sorted(held) == [("c1", "c2"), ("d1", "d2")]


def names_of(held):
    return [(row.left.documents.get().external_id, row.right.documents.get().external_id) for row in held]


def test_a_third_text_doesnt_join_what_is_held(capsys, study_of_case):
    bridge = (
        "C++ and C# programming for beginners, a second edition of the book for those who begin to program"
    )
    left = f"C++ {bridge} with all that one needs to know in order to start and nothing more than that"
    study = study_of_case("nd15", e1=left, e2=left.replace("C++ C++", "C# C++"), e3=f"{left} and so it ends")

    values = decided(capsys, study, "--k", 1, "--threshold", 0.8)

    members = Decision.objects.get(pk=values["decision"]).members
    clusters = dict(members.values_list("document__external_id", "cluster"))
    assert clusters["e1"] != clusters["e2"]
    assert values["contradictions"] == 0


def test_labels_that_say_duplicate_of_most_turn_the_advice_off(capsys, study_of_case, tmp_path):
    study = study_of_case("nd36")
    recipe = pair_rows.find_recipe(study, k=3)
    chosen = {"study": study, "recipe": recipe, "threshold": 0.3, "rule": ""}
    assert blocked.held_links(**chosen).is_advised
    names = sorted(texts("nd36"))
    lines = [f"{left},{right},duplicate" for place, left in enumerate(names) for right in names[place + 1 :]]
    answers = tmp_path / "answers.csv"
    answers.write_text("\n".join(["left_id,right_id,verdict", *lines]))
    call_command("labels", "import", study.name, answers, "--json")

    held = blocked.held_links(**chosen)

    assert Label.objects.count() == 45
    assert held.labelled > 0
    assert held.share.estimate > 0.9
    assert not held.is_advised
    assert blocked.advised_rule(**chosen) == ""


def test_what_is_held_adds_up_with_what_passes_in_every_histogram(study_of_case):
    study = study_of_case("nd36")
    streams = {text.ordinal: words(text.body) for text in study.corpus.texts.all()}
    for recipe in study.recipes.all():
        passing = sum(recipe.histogram_rule["numbers"])
        expected = [
            row
            for row in study.study_pairs.select_related("pair__left", "pair__right")
            if not reference.reason(streams[row.pair.left.ordinal], streams[row.pair.right.ordinal])
        ]
        assert sum(recipe.histogram) - passing == study.pool - len(expected)


def test_a_study_from_before_the_rule_decides_as_it_did(study_of_case):
    study = study_of_case("nd15")
    recipe = pair_rows.find_recipe(study, k=3)
    recipe.histogram_rule = {}

    assert blocked.held_links(study=study, recipe=recipe, threshold=0.3, rule="price") is None
    assert blocked.advised_rule(study=study, recipe=recipe, threshold=0.3, rule="price") == "price"


def test_figures_with_the_rule_leave_the_held_links_out(study_of_case):
    study = study_of_case("nd36")

    without = figures.evaluate_study(study=study, score="exact", thresholds=(0.3,))
    with_rule = figures.evaluate_study(study=study, score="exact", thresholds=(0.3,), rule="numbers")

    assert max(row.links for row in without.figures) > 0
    assert {row.links for row in with_rule.figures} == {0}
