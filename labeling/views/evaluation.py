"""Precision and recall with intervals for every recipe and threshold, live while labels arrive."""

import csv
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from dedup.evaluation import Evaluation, Figure, Interval
from labeling.forms.evaluation import EvaluationForm
from labeling.http import PageRequest, fetched, render_page
from labeling.models import Label, Study, StudyPair, StudyRecipe
from labeling.services import figures, labels, remarks
from labeling.views import charts

RULES = {
    "majority": "Majority: the lowest bucket from which every bucket upward holds mostly duplicates",
    "precision": "Best recall where precision is at least 0.95",
    "recall": "Best precision where recall is at least 0.95",
    "f1": "Best F1, the balance of precision and recall",
    "cost": "Least expected cost",
}
PILE = 50
COLUMNS = (
    "recipe", "k", "score", "threshold", "links", "labelled", "precision", "precision_low", "precision_high", "recall",
    "recall_low", "recall_high", "recall_all", "recall_all_low", "recall_all_high", "f1", "false_positives", "missed",
    "expected_cost", "warnings",
)  # fmt: skip


def _study(request: PageRequest, study_id: int) -> Study:
    return fetched(request, Study.objects.select_related("corpus"), pk=study_id)


def _evaluate(study: Study, form: EvaluationForm) -> Evaluation:
    values = form.cleaned_data
    return figures.evaluate_study(
        study=study,
        score=values["score"],
        thresholds=form.thresholds(),
        rule=values["rule"],
        cost_fp=values["cost_fp"],
        cost_fn=values["cost_fn"],
    )


def _points(rows: Sequence[Figure], name: str) -> list[charts.Estimate]:
    points = []
    for row in rows:
        value: Interval = getattr(row, name)
        points.append(
            charts.Estimate(at=row.threshold, estimate=value.estimate, low=value.low, high=value.high)
        )
    return points


def _panels(study: Study, evaluation: Evaluation, score: str) -> list[dict[str, Any]]:
    """One chart and one table for each recipe and score, in the order of k."""
    recipes = {(recipe.recipe, recipe.score): recipe for recipe in study.recipes.all()}
    shown = [row for row in evaluation.figures if row.score == score]
    ordered = sorted(shown, key=lambda row: (row.k, row.recipe, row.score, row.threshold))
    panels = []
    for (recipe, _), group in groupby(ordered, key=lambda row: (row.recipe, row.score)):
        rows = list(group)
        name = f"k = {rows[0].k}" if score != "hamming" else f"SimHash, k = {rows[0].k}"
        chart = charts.precision_and_recall(name, _points(rows, "precision"), _points(rows, "recall"))
        panels.append(
            {
                "name": name,
                "rows": rows,
                "chart": chart,
                "recipe": recipes.get((recipe, score)),
                "is_bits": score == "hamming",
            }
        )
    return panels


def _recommended(study: Study, evaluation: Evaluation) -> list[dict[str, Any]]:
    recipes = {(recipe.recipe, recipe.score): recipe for recipe in study.recipes.all()}
    by_place = {(row.recipe, row.score, row.threshold): row for row in evaluation.figures}
    return [
        {
            "rule": RULES.get(rule, rule),
            "figure": by_place.get(choice) if choice else None,
            "recipe": recipes.get((choice[0], choice[1])) if choice else None,
        }
        for rule, choice in evaluation.recommended.items()
    ]


def _pile(study: Study, recipe: StudyRecipe, threshold: float) -> dict[str, Any]:
    """Labelled duplicates below the threshold and labelled distinct pairs at or above it, nearest to the threshold first."""
    verdicts = labels.current_verdicts(study)
    key = f"{recipe.digest}:{recipe.score}"
    missed: list[tuple[float, StudyPair, float]] = []
    wrong: list[tuple[float, StudyPair, float]] = []
    judged = Label.objects.filter(pair=OuterRef("pair"))
    rows = study.study_pairs.filter(Exists(judged)).select_related("pair").order_by("position", "id")
    for row in rows:
        level = row.levels.get(key) if row.pair_id in verdicts else None
        if level is None:
            continue
        value = level if recipe.score == "hamming" else level / recipe.scale
        accepted = value <= threshold if recipe.score == "hamming" else value >= threshold - 1e-9
        if verdicts[row.pair_id] == "duplicate" and not accepted:
            missed.append((abs(value - threshold), row, value))
        elif verdicts[row.pair_id] == "distinct" and accepted:
            wrong.append((abs(value - threshold), row, value))
    return {
        "recipe": recipe,
        "threshold": threshold,
        "missed": sorted(missed, key=lambda entry: (entry[0], entry[1].pk))[:PILE],
        "wrong": sorted(wrong, key=lambda entry: (entry[0], entry[1].pk))[:PILE],
        "missed_count": len(missed),
        "wrong_count": len(wrong),
        "missed_reasons": _reasons(study, missed),
        "wrong_reasons": _reasons(study, wrong),
    }


def _reasons(study: Study, entries: list[tuple[float, StudyPair, float]]) -> list[tuple[str, int]]:
    """The reasons that people gave for these pairs, each with the number of pairs that have it."""
    pairs = [row.pair_id for _, row, _ in entries]
    return remarks.count_reasons(remarks.reasons_by_pair(study, pairs).values())


def _chosen_pile(
    request: PageRequest, study: Study, recommended: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """The piles of the threshold that the address names, else of the first recommendation."""
    try:
        threshold = float(request.GET.get("at", ""))
        recipe = study.recipes.filter(pk=int(request.GET.get("recipe", ""))).first()
    except ValueError:
        entry = next((entry for entry in recommended if entry["figure"] and entry["recipe"]), None)
        return _pile(study, entry["recipe"], entry["figure"].threshold) if entry else None
    return _pile(study, recipe, threshold) if recipe and 0 <= threshold <= 64 else None


@require_safe
def evaluation(request: PageRequest, study_id: int) -> HttpResponse:
    """Figures, charts and the two piles; a poll that finds no new label gets 204 and leaves the page alone."""
    study = _study(request, study_id)
    form = EvaluationForm.filled(request.GET)
    shown = form if form.is_valid() else EvaluationForm.filled({})
    shown.full_clean()
    version = figures.label_version(study)
    if request.GET.get("seen") == version and request.htmx:
        return HttpResponse(status=204, headers={"Vary": "HX-Request"})
    result = _evaluate(study, shown)
    recommended = _recommended(study, result)
    progress = labels.progress(study, request.user.pk)
    context = {
        "study": study,
        "corpus": study.corpus,
        "form": form,
        "values": shown.cleaned_data,
        "evaluation": result,
        "panels": _panels(study, result, shown.cleaned_data["score"]),
        "recommended": recommended,
        "pile": _chosen_pile(request, study, recommended),
        "version": version,
        "has_labels": bool(result.labels.sampled or result.labels.known),
        "waiting": progress.pairs_total - progress.pairs_done,
    }
    status = 200 if form.is_valid() else 422
    return render_page(
        request,
        "labeling/evaluation.html",
        context,
        partial="labeling/evaluation_figures.html",
        status=status,
    )


def _cells(row: Figure) -> Iterator[object]:
    yield from (row.recipe, row.k, row.score, row.threshold, row.links, row.labelled)
    for value in (row.precision, row.recall, row.recall_all):
        yield from (value.estimate, value.low, value.high)
    yield from (row.f1, row.false_positives, row.missed, row.expected_cost, " ".join(row.warnings))


@require_safe
def evaluation_csv(request: PageRequest, study_id: int) -> HttpResponse:
    """The figures of the page as CSV; an empty cell is "no data"."""
    study = _study(request, study_id)
    form = EvaluationForm.filled(request.GET)
    if not form.is_valid():
        return HttpResponse("The filters don't make sense together.\n", content_type="text/plain", status=422)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="evaluation-{study.pk}.csv"'
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    writer.writerows(list(_cells(row)) for row in _evaluate(study, form).figures)
    return response
