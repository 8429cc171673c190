"""What each rule picks among all recipes, why, and what speaks against resting on it."""

from collections.abc import Sequence
from typing import Any

from dedup.evaluation import Evaluation, Figure, Wishes
from dedup.evaluation.recommending import recommendations
from labeling.models import StudyRecipe
from labeling.templatetags import numbers
from labeling.views.setting import recipe_name

FEW_LABELS = 30
ORDER = ("majority", "precision", "recall", "cost", "f1")


def rule_title(rule: str, wishes: Wishes, costs: tuple[float, float]) -> str:
    """A rule in words, with the values that the analyst asks for."""
    end = "the lower end of " if wishes.safe else ""
    return {
        "majority": "Majority: from here upward every bucket holds mostly duplicates",
        "precision": f"Best recall where {end}precision is at least {wishes.least_precision:g}",
        "recall": f"Best precision where {end}recall is at least {wishes.least_recall:g}",
        "f1": "Best F1, the balance of precision and recall",
        "cost": f"Least expected cost, a wrong merge costing {costs[0]:g} and a missed duplicate {costs[1]:g}",
    }[rule]


def recommended(
    evaluation: Evaluation,
    recipes: Sequence[StudyRecipe],
    competing: Sequence[float],
    wishes: Wishes,
    costs: tuple[float, float],
) -> list[dict[str, Any]]:
    """One entry for each rule: its pick with the reason, the best of the other recipes, and what to be wary of."""
    entered = [figure for figure in evaluation.figures if figure.threshold in competing]
    per_recipe = {recipe.recipe: _picks(evaluation, entered, recipe.recipe, wishes) for recipe in recipes}
    by_choice = {figure.choice: figure for figure in entered}
    entries = []
    for rule in ORDER:
        choice = evaluation.recommended.get(rule)
        figure = by_choice.get(choice) if choice else None
        others = [
            other
            for name, picks in per_recipe.items()
            if figure and name != figure.recipe and (other := picks[rule]) is not None
        ]
        entries.append(
            {
                "rule": rule,
                "title": rule_title(rule, wishes, costs),
                "figure": figure,
                "recipe": next((row for row in recipes if figure and row.recipe == figure.recipe), None),
                "reason": _reason(rule, figure, others) if figure else _why_none(rule, entered, evaluation),
                "notes": _notes(figure, competing) if figure else [],
            }
        )
    return entries


def _picks(
    evaluation: Evaluation, figures: Sequence[Figure], recipe: str, wishes: Wishes
) -> dict[str, Figure | None]:
    own = [figure for figure in figures if figure.recipe == recipe]
    chosen = recommendations(
        own,
        [bucket for bucket in evaluation.buckets if bucket.recipe == recipe],
        least_recall=wishes.least_recall,
        least_precision=wishes.least_precision,
        safe=wishes.safe,
    )
    by_choice = {figure.choice: figure for figure in own}
    return {rule: by_choice.get(choice) if choice else None for rule, choice in chosen.items()}


def _merit(rule: str, figure: Figure) -> str:
    return {
        "majority": f"F1 {numbers.similarity(figure.f1)}",
        "precision": f"recall {numbers.similarity(figure.recall.estimate)}",
        "recall": f"precision {numbers.similarity(figure.precision.estimate)}",
        "f1": f"F1 {numbers.similarity(figure.f1)}",
        "cost": f"cost {numbers.count(figure.expected_cost)}",
    }[rule]


def _place(figure: Figure) -> str:
    return f"{recipe_name(figure)} at {numbers.threshold(figure.threshold)}"


def _reason(rule: str, figure: Figure, others: Sequence[Figure]) -> str:
    start = f"{_place(figure)} gives {_merit(rule, figure)}"
    if not others:
        return f"{start}; no other recipe has a setting that qualifies."
    rest = ", ".join(f"{_place(other)} {_merit(rule, other)}" for other in others)
    return f"{start}; the best of the others: {rest}."


def _why_none(rule: str, figures: Sequence[Figure], evaluation: Evaluation) -> str:
    if evaluation.labels.sampled == 0:
        return "No drawn pair has a verdict yet."
    if rule == "majority":
        return "Not even the topmost bucket is known to hold mostly duplicates."
    if rule in {"precision", "recall"}:
        reached = [value for row in figures if (value := getattr(row, rule).estimate) is not None]
        return f"The highest {rule} reached is {max(reached):.2f}." if reached else f"There is no {rule} yet."
    return "There is no figure to compare yet."


def _notes(figure: Figure, competing: Sequence[float]) -> list[str]:
    notes = []
    if len(competing) > 1 and figure.threshold in {min(competing), max(competing)}:
        notes.append(
            f"At the edge of the thresholds tried ({numbers.threshold(min(competing))} to "
            f"{numbers.threshold(max(competing))}): a better one may lie beyond."
        )
    if figure.labelled < FEW_LABELS:
        notes.append(f"Its precision rests on {numbers.plural(figure.labelled, 'label,labels')} only.")
    widths = [
        (name, interval.half_width)
        for name, interval in (("precision", figure.precision), ("recall", figure.recall))
        if interval.half_width is not None and interval.half_width > 0.1
    ]
    notes += [f"Its {name} is known no better than ±{100 * width:.0f} points." for name, width in widths]
    return notes
