"""One setting in the reader's hand: a slider whose every position is worked out before the page is sent."""

from collections.abc import Mapping, Sequence
from typing import Any

from dedup.evaluation import Evaluation, Figure
from labeling.forms.evaluation import EvaluationForm
from labeling.http import PageRequest, row_number
from labeling.models import Study, StudyRecipe
from labeling.services.outcomes import outcome_at
from labeling.templatetags import numbers

NOT_COUNTED = "not counted"
LOWEST, HIGHEST = 20, 100
NAMES = {
    "precision": "Precision",
    "recall": "Recall",
    "recall_all": "Recall, unsurfaced pairs too",
    "f1": "F1",
    "links": "Pairs merged",
    "clusters": "Clusters of two and more",
    "removed": "Documents removed",
    "largest": "Largest cluster",
    "wrong": "Wrong merges",
    "missed": "Missed duplicates",
    "cost": "Expected cost",
    "labelled": "Labels it rests on",
}
CAUTIONS = ("warnings", "unsure")
FIRST_RULES = ("f1", "cost", "precision", "recall", "majority")


def slider_thresholds(study: Study, score: str) -> tuple[float, ...]:
    """Every position of the slider: steps of 0.01 from 0.20 or the collection threshold up to 1, or every number of bits."""
    if score == "hamming":
        return tuple(float(bits) for bits in range(33))
    lowest = min(LOWEST, round(100 * study.spec["collection_threshold"]))
    return tuple(step / 100 for step in range(max(lowest, 1), HIGHEST + 1))


def recipe_name(recipe: StudyRecipe | Figure) -> str:
    """What a recipe is called beside its figures.

    >>> recipe_name(StudyRecipe(k=3, score="exact")), recipe_name(StudyRecipe(k=3, score="hamming"))
    ('k = 3', 'SimHash, k = 3')
    """
    return f"SimHash, k = {recipe.k}" if recipe.score == "hamming" else f"k = {recipe.k}"


def shown(figure: Figure, recipe: StudyRecipe | None, rule: str) -> dict[str, str]:
    """A setting's figures in words, in the order of ``NAMES``, and its warnings."""
    outcome = None if recipe is None else outcome_at(recipe, figure.threshold, rule)
    return {
        "precision": numbers.interval(figure.precision),
        "recall": numbers.interval(figure.recall),
        "recall_all": numbers.interval(figure.recall_all),
        "f1": numbers.interval(figure.f1_interval),
        "links": numbers.count(figure.links),
        "clusters": NOT_COUNTED if outcome is None else numbers.count(outcome.clusters),
        "removed": NOT_COUNTED if outcome is None else numbers.count(outcome.removed),
        "largest": NOT_COUNTED if outcome is None else numbers.plural(outcome.largest, "document,documents"),
        "wrong": numbers.count_interval(figure.false_positives_interval),
        "missed": numbers.count_interval(figure.missed_interval),
        "cost": numbers.count_interval(figure.expected_cost_interval),
        "labelled": numbers.count(figure.labelled),
        "warnings": " ".join(figure.warnings),
        "unsure": _unsure_words(figure),
    }


def _unsure_words(figure: Figure) -> str:
    """What the estimates would be if all unsure pairs were of one kind; empty where no pair is unsure."""
    spread = figure.unsure_range
    if spread is None:
        return ""
    ends = [
        f"{name} {low:.2f} to {high:.2f}"
        for name, (low, high) in (("precision", spread.precision), ("recall", spread.recall))
        if low is not None and high is not None
    ]
    return f"Were all unsure pairs duplicates, or all distinct: {', '.join(ends)}." if ends else ""


def place_of(
    request: PageRequest, recipes: Sequence[StudyRecipe], evaluation: Evaluation
) -> tuple[StudyRecipe, float]:
    """Recipe and threshold of the address, else those of the first recommendation, else the middle of the first recipe."""
    first = _recommended_place(recipes, evaluation) or (recipes[0], _middle(evaluation))
    wanted = row_number(request.GET.get("recipe", ""))
    recipe = next((row for row in recipes if row.pk == wanted), first[0])
    try:
        threshold = float(request.GET.get("at", ""))
    except ValueError:
        threshold = first[1]
    return recipe, threshold


def _recommended_place(
    recipes: Sequence[StudyRecipe], evaluation: Evaluation
) -> tuple[StudyRecipe, float] | None:
    for rule in FIRST_RULES:
        choice = evaluation.recommended.get(rule)
        recipe = next((row for row in recipes if choice and row.recipe == choice.recipe), None)
        if choice is not None and recipe is not None:
            return recipe, choice.threshold
    return None


def _middle(evaluation: Evaluation) -> float:
    thresholds = sorted({figure.threshold for figure in evaluation.figures})
    return thresholds[len(thresholds) // 2] if thresholds else 0.6


def panel(
    study: Study,
    evaluation: Evaluation,
    form: EvaluationForm,
    recipes: Sequence[StudyRecipe],
    place: tuple[StudyRecipe, float],
    across: Mapping[float, float],
) -> dict[str, Any]:
    """The slider at its place, and for the script the figures of every other place.

    ``across`` gives each threshold's place on the axis of the charts.
    """
    positions = slider_thresholds(study, form.cleaned_data["score"])
    rule = form.cleaned_data["rule"]
    by_recipe = {
        recipe.pk: {
            figure.threshold: figure for figure in evaluation.figures if figure.recipe == recipe.recipe
        }
        for recipe in recipes
    }
    recipe = place[0]
    threshold = min(positions, key=lambda position: (abs(position - place[1]), position))
    words = shown(by_recipe[recipe.pk][threshold], recipe, rule)
    return {
        "recipes": [(row.pk, recipe_name(row)) for row in recipes],
        "recipe": recipe,
        "threshold": threshold,
        "figure": by_recipe[recipe.pk][threshold],
        "mark": across[threshold],
        "low": positions[0],
        "high": positions[-1],
        "step": 1 if form.cleaned_data["score"] == "hamming" else 0.01,
        "figures": [(name, NAMES[name], words[name]) for name in NAMES],
        "cautions": [(name, words[name]) for name in CAUTIONS],
        "counted": bool(recipe.outcomes),
        "script": {
            "positions": [
                {"value": f"{position:g}", "words": numbers.threshold(position), "mark": across[position]}
                for position in positions
            ],
            "figures": {
                str(row.pk): [shown(by_recipe[row.pk][position], row, rule) for position in positions]
                for row in recipes
            },
        },
    }
